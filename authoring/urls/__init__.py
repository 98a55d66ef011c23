from authoring.urls import endpoints, plans, prompts, requirements

urlpatterns = [
    *prompts.urlpatterns,
    *endpoints.urlpatterns,
    *plans.urlpatterns,
    *requirements.urlpatterns,
]

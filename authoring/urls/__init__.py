from authoring.urls import endpoints, plans, pools, prompts, requirements

urlpatterns = [
    *prompts.urlpatterns,
    *endpoints.urlpatterns,
    *plans.urlpatterns,
    *requirements.urlpatterns,
    *pools.urlpatterns,
]

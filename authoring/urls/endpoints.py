from django.urls import path

from authoring.views import endpoints

urlpatterns = [
    path("operator/models/", endpoints.endpoints, name="endpoints"),
    path("operator/models/new/", endpoints.new_endpoint, name="new_endpoint"),
    path("operator/models/<slug:name>/", endpoints.endpoint, name="endpoint"),
    path("operator/models/<slug:name>/retire/", endpoints.retire, name="endpoint_retire"),
    path("operator/models/<slug:name>/restore/", endpoints.restore, name="endpoint_restore"),
]

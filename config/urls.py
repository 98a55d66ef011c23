from django.urls import include, path

from config.health import healthz

urlpatterns = [
    path("", include("annotation.urls")),
    path("", include("curation.urls")),
    path("api/v1/", include("api.urls")),
    path("healthz", healthz, name="healthz"),
]

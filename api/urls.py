from django.urls import path, re_path

from api import views

# Signing in to the site is not asked for here: every view asks for a bearer token instead.
urlpatterns = [
    path("releases/", views.ListReleases.as_view(), name="api_releases"),
    path(
        "releases/<str:name>/<str:version>/",
        views.ShowRelease.as_view(),
        name="api_release",
    ),
    path(
        "releases/<str:name>/<str:version>/files/<path:path>",
        views.GetReleaseFile.as_view(),
        name="api_release_file",
    ),
    re_path(r"^(?P<path>.*)$", views.NothingHere.as_view(), name="api_nothing"),
]

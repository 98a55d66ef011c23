from django.urls import path, re_path

from api import agreement, imports, views

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
    path("projects/<slug:slug>/imports/", imports.Imports.as_view(), name="api_imports"),
    path("projects/<slug:slug>/imports/<int:pk>/", imports.OneImport.as_view(), name="api_import"),
    path(
        "projects/<slug:slug>/imports/<int:pk>/field_map/",
        imports.ImportFieldMap.as_view(),
        name="api_import_field_map",
    ),
    *(
        path(
            f"projects/<slug:slug>/imports/<int:pk>/{action}/",
            imports.ImportAction.as_view(action=action),
            name=f"api_import_{action}",
        )
        for action in ("check", "store", "undo")
    ),
    path("projects/<slug:slug>/agreement/", agreement.Agreement.as_view(), name="api_agreement"),
    path(
        "projects/<slug:slug>/agreement/tables/<slug:name>.csv",
        agreement.AgreementTable.as_view(),
        name="api_agreement_table",
    ),
    path("projects/<slug:slug>/progress/", agreement.Progress.as_view(), name="api_progress"),
    re_path(r"^(?P<path>.*)$", views.NothingHere.as_view(), name="api_nothing"),
]

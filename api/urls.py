from django.urls import path, re_path

from api import agreement, imports, submissions, views
from api.resources.urls import urlpatterns as resources

# Signing in to the site is not asked for here: every view asks for a bearer token instead.
urlpatterns = [
    *resources,
    path("problems/<slug:code>/", views.ShowProblem.as_view(), name="api_problem"),
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
    path(
        "releases/<str:name>/<str:version>/archive.zip",
        views.GetReleaseArchive.as_view(),
        name="api_release_archive",
    ),
    path(
        "releases/<str:name>/<str:version>/submissions/",
        submissions.Submissions.as_view(),
        name="api_submissions",
    ),
    path(
        "releases/<str:name>/<str:version>/submissions/<int:pk>/",
        submissions.OneSubmission.as_view(),
        name="api_submission",
    ),
    path(
        "releases/<str:name>/<str:version>/submissions/<int:pk>/comparison/",
        submissions.OneComparison.as_view(),
        name="api_comparison",
    ),
    path(
        "releases/<str:name>/<str:version>/leaderboard/",
        submissions.Leaderboard.as_view(),
        name="api_leaderboard",
    ),
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
    re_path(r"^(?P<path>[\s\S]*)\Z", views.NothingHere.as_view(), name="api_nothing"),
]

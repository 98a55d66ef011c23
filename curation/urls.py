from django.urls import path

from curation.views import agreement, calibration, progress, project, release, run, spot_check

urlpatterns = [
    path("projects/<slug:slug>/", project.project, name="project"),
    path("projects/<slug:slug>/runs/", project.start_run, name="start_run"),
    path("projects/<slug:slug>/runs/<int:pk>/", run.run, name="run"),
    path("projects/<slug:slug>/runs/<int:pk>/freeze/", run.freeze, name="freeze"),
    path("projects/<slug:slug>/runs/<int:pk>/spot-check/", spot_check.spot_check, name="spot_check"),
    path("projects/<slug:slug>/calibrations/<int:pk>/close/", calibration.close, name="calibration_close"),
    path("projects/<slug:slug>/progress/", progress.progress, name="progress"),
    path("projects/<slug:slug>/progress/people/<int:pk>/pause/", progress.pause, name="progress_pause"),
    path("projects/<slug:slug>/progress/people/<int:pk>/go-on/", progress.go_on, name="progress_go_on"),
    path("projects/<slug:slug>/progress/people/<int:pk>/remind/", progress.remind, name="progress_remind"),
    path("projects/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("projects/<slug:slug>/agreement/compute/", agreement.compute, name="report_compute"),
    path("projects/<slug:slug>/agreement/responses/<int:pk>/", agreement.response, name="judged_response"),
    path(
        "projects/<slug:slug>/agreement/<int:report>/<slug:key>.<str:kind>",
        agreement.figure,
        name="report_figure",
    ),
    path("releases/<str:name>/<str:version>/", release.release, name="release"),
    path("releases/<str:name>/<str:version>/files/<path:path>", release.release_file, name="release_file"),
]

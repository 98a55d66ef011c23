from django.urls import path

from curation.views import calibration, project, release, run, spot_check

urlpatterns = [
    path("projects/<slug:slug>/", project.project, name="project"),
    path("projects/<slug:slug>/runs/", project.start_run, name="start_run"),
    path("projects/<slug:slug>/runs/<int:pk>/", run.run, name="run"),
    path("projects/<slug:slug>/runs/<int:pk>/freeze/", run.freeze, name="freeze"),
    path("projects/<slug:slug>/runs/<int:pk>/spot-check/", spot_check.spot_check, name="spot_check"),
    path("projects/<slug:slug>/calibrations/<int:pk>/close/", calibration.close, name="calibration_close"),
    path("releases/<str:name>/<str:version>/", release.release, name="release"),
    path("releases/<str:name>/<str:version>/files/<path:path>", release.release_file, name="release_file"),
]

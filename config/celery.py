"""The Celery application. A message is a nudge; the row it names is the truth (annotation/services/jobs.py)."""

import os

from celery import Celery
from celery.signals import worker_ready

from config import folder_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

folder_transport.register()
app = Celery("plumb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation", "authoring", "curation"])


@worker_ready.connect
def sweep_at_start(sender: object, **kwargs: object) -> None:
    """What an earlier worker left behind is taken up at once, not only at the next tick."""
    app.send_task("curation.tasks.sweep")

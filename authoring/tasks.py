"""Jobs of authoring as Celery sees them: an id in, one service called. Each may run twice, early, late or never."""

from importlib import import_module

from celery import shared_task
from django.utils import timezone


@shared_task
def work_on_plan(pk: int) -> None:
    # Loaded by the worker alone: the client of the models is slow to load, and no web process speaks to one.
    if import_module("authoring.services.asking").work(pk, clock=timezone.now):
        work_on_plan.delay(pk)

"""A plan by two real workers, of which one is killed: what was answered is never asked again, and nothing is lost."""

import signal

import pytest

from annotation.models import Response
from authoring.models import ModelRequest, Plan
from authoring.tasks import work_on_plan
from curation.tasks import sweep
from tests.authoring.model_server import KEY
from tests.authoring.plans_under_way import KEY_NAME, asked_server, make_endpoint, make_plan
from tests.factories import make_prompt
from tests.workers import running_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]


def test_a_worker_is_killed_in_the_middle_and_another_goes_on(
    transactional_db, project, settings, monkeypatch
):
    with asked_server(settings, monkeypatch) as server:
        endpoint = make_endpoint(server, parallel=6)
        for number in range(40):
            make_prompt(project, f"p{number}", text=f"Write text {number}.")
        server.delay = 0.25
        plan = make_plan(project, endpoint, samples=1)
        told = {"MODEL_ORIGINS": server.origin, KEY_NAME: KEY, "JOB_LEASE_SECONDS": "10"}
        with running_workers(2, **told) as workers:
            work_on_plan.delay(plan.pk)
            done = plan.requests.filter(state=ModelRequest.State.DONE)
            workers[0].wait_until(lambda: done.count() >= 8, "some are answered")
            under_way = plan.requests.filter(state=ModelRequest.State.RUNNING)
            serving = next(each for each in workers if f":{each.pid}" in under_way.first().claimed_by)
            serving.process.send_signal(signal.SIGKILL)
            serving.process.wait()
            other = next(each for each in workers if each is not serving)
            lost = {request.pk for request in under_way}
            assert lost
            finished = Plan.objects.filter(pk=plan.pk, state=Plan.State.DONE)

            def goes_on():
                sweep.delay()
                return finished.exists()

            other.wait_until(goes_on, "the other worker to end it", seconds=90)
        assert Response.objects.count() == 40
        asked_twice = [key for key, times in server.once.items() if times > 1]
        assert len(asked_twice) <= len(lost), "those that were under way, and no other"
        assert plan.requests.filter(attempt__gt=1).count() == plan.requests.filter(pk__in=lost).count()

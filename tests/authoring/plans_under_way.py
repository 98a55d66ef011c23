"""Plans over the small server of the tests, with a clock that sleeping moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal

from annotation.models import Project, Prompt
from authoring.models import Endpoint, Plan
from authoring.services import asking, plans
from tests.authoring.model_server import KEY, ModelServer, serving
from tests.factories import NOW

KEY_NAME = "PLUMB_MODEL_KEY_TESTS"


class Clock:
    """Stands still but for sleeping."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@contextmanager
def asked_server(settings: object, monkeypatch: object) -> Iterator[ModelServer]:
    """A server that the site may ask, with its key in the environment."""
    with serving() as server:
        settings.MODEL_ORIGINS = [server.origin]
        monkeypatch.setenv(KEY_NAME, KEY)
        yield server


def make_endpoint(server: ModelServer, name: str = "tiny", **columns: object) -> Endpoint:
    told = {
        "model": f"{name}-1",
        "public_name": f"{name.title()} One",
        "family": name,
        "base_url": server.base_url,
        "key_name": KEY_NAME,
        "input_price": Decimal("1.50"),
        "output_price": Decimal("6.00"),
        "parallel": 4,
        "timeout_seconds": 20,
        "created_at": NOW,
    }
    return Endpoint.objects.create(name=name, **{**told, **columns})


def make_plan(project: Project, *endpoints: Endpoint, started: bool = True, **asked: object) -> Plan:
    told = {
        "name": f"Plan {project.plans.count() + 1}",
        "kind": Plan.Kind.RESPONSES,
        "prompts": Prompt.objects.all(),
        "samples": 2,
        "temperature": Decimal("0.80"),
        "max_tokens": 256,
    }
    plan = plans.make(project, endpoints=endpoints, by=None, now=NOW, **{**told, **asked})
    if started:
        plans.start(plan, by=None, now=NOW)
    return plan


def run(plan: Plan, clock: Clock | None = None, slices: int = 200) -> Plan:
    """Work on it until there is nothing more to do."""
    clock = clock or Clock()
    for _ in range(slices):
        if not asking.work(plan.pk, clock=clock, sleep=clock.sleep):
            break
    plan.refresh_from_db()
    return plan

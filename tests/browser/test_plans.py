"""Models and plans in a real browser: sound in every look, and a plan made, begun and followed without reloading."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from authoring import tasks
from authoring.models import Endpoint, ModelRequest, Plan
from authoring.services import answers, batches, plans
from tests.authoring.model_server import completion
from tests.authoring.plans_under_way import make_plan
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, in_looks
from tests.factories import NOW, make_import, make_prompt, make_user

State = ModelRequest.State
ORIGIN = "https://models.example.org"
LONG = "a-model-with-a-rather-long-name-that-somebody-thought-would-be-a-good-idea-9b-instruct"


@pytest.fixture(autouse=True)
def _no_workers(monkeypatch, settings):
    monkeypatch.setattr(tasks.work_on_plan, "delay_on_commit", lambda pk: None)
    settings.MODEL_ORIGINS = [ORIGIN]


@pytest.fixture
def models(db):
    told = {"base_url": f"{ORIGIN}/v1", "created_at": NOW, "input_price": "1.25", "output_price": 10}
    tiny = Endpoint.objects.create(name="tiny", model="tiny-1", public_name="Tiny One", **told)
    long = Endpoint.objects.create(
        name=LONG[:60], model=LONG, public_name=LONG, key_name="PLUMB_MODEL_KEY_NOT_THERE", **told
    )
    Endpoint.objects.create(name="old", model="old-1", public_name="Old One", retired_at=NOW, **told)
    return tiny, long


@pytest.fixture
def prompts(project):
    brought = make_import(project)
    for n in range(30):
        genre = project.genres.all()[n % 2]
        make_prompt(project, f"prompt-{n}", genre=genre, language=["en", "zh"][n % 2], source=brought)


def fail(request, kind, detail):
    ModelRequest.objects.filter(pk=request.pk).update(
        state=State.FAILED, attempt=1, ended_at=NOW, error_kind=kind, error=detail
    )
    request.attempts.create(number=1, sent_at=NOW, ended_at=NOW, status=400, error_kind=kind, detail=detail)


@pytest.fixture
def under_way(project, models, prompts):
    """A plan in the middle of its work, with answers and errors."""
    now = timezone.now()
    plan = make_plan(project, *models, name="First round", started=False)
    plans.start(plan, by=None, now=now - timedelta(minutes=3))
    requests = list(plan.requests.order_by("pk"))
    for request in requests[:8]:
        found = answers.Answer(
            "A bridge sings.\n\nNobody listens.", "stop", 900, 700, "tiny-1", completion("A.")
        )
        answers.store(request.pk, found, sent_at=now - timedelta(seconds=9), now=now)
    fail(requests[8], "refused", '{"error": {"message": "' + "This cannot be written here. " * 20 + '"}}')
    fail(requests[9], "broken_answer", "x" * 400)
    return plan


def assert_sound(page, what):
    assert axe(page) == [], what
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{what} is {wider} px wider than the window"


@in_looks(LOOKS)
def test_the_pages_of_operators_are_sound(look, models, page_of, complaints, settings):
    complaints.allow("status of 422")
    page_of(make_user("olga", is_superuser=True))
    look.goto(reverse("endpoints"))
    assert_sound(look, "the list")
    look.goto(reverse("endpoint", args=[LONG[:60]]))
    assert_sound(look, "an end point")
    look.goto(reverse("new_endpoint"))
    look.locator("#id_base_url").fill("https://elsewhere.example.org/v1")
    look.locator("#id_extra").fill("{")
    look.locator("#endpoint .button.primary").click()
    look.locator(".summary").first.wait_for()
    assert_sound(look, "a refused end point")
    settings.MODEL_ORIGINS = []
    look.goto(reverse("endpoints"))
    assert_sound(look, "the list where no server may be asked")


@in_looks(LOOKS)
def test_the_pages_of_making_a_plan_are_sound(look, project, models, prompts, lead, page_of, complaints):
    complaints.allow("status of 422")
    page_of(lead)
    look.goto(reverse("plans", args=["bridges"]))
    assert_sound(look, "the empty list")
    look.goto(reverse("new_plan", args=["bridges"]))
    for summary in look.locator("#make summary").all():
        summary.click()
    assert_sound(look, "the form")
    look.locator("#make > .form-foot .button.primary").click()
    look.locator(".summary").first.wait_for()
    assert_sound(look, "a refused plan")
    draft = make_plan(project, *models, started=False)
    look.goto(reverse("plan", args=["bridges", draft.pk]))
    assert_sound(look, "a draft")


@in_looks(LOOKS)
def test_the_pages_of_a_plan_are_sound(look, under_way, lead, page_of):
    page_of(lead)
    of_plan = ["bridges", under_way.pk]
    look.goto(reverse("plans", args=["bridges"]))
    assert_sound(look, "the list")
    look.goto(reverse("plan", args=of_plan))
    assert_sound(look, "a plan that runs")
    look.goto(reverse("plan_cancel", args=of_plan))
    assert_sound(look, "the question before a cancellation")
    look.goto(reverse("plan_requests", args=of_plan))
    assert_sound(look, "the requests")
    for state in (State.DONE, State.FAILED, State.WAITING):
        request = under_way.requests.filter(state=state).first()
        look.goto(reverse("plan_request", args=[*of_plan, request.pk]))
        for summary in look.locator("main summary").all():
            summary.click()
        assert_sound(look, f"a request: {state}")
    plans.pause(under_way, why=answers.MEANINGS["key_refused"], by=None, now=NOW)
    look.goto(reverse("plan", args=of_plan))
    assert_sound(look, "a paused plan")


@in_looks(LOOKS)
def test_the_page_of_batch_files_is_sound(look, under_way, lead, page_of):
    source = under_way.sources.select_related("plan__project").order_by("pk").first()
    lines = [json.loads(line) for line in batches.take_out(source, 1, by=None, now=NOW)]
    response = {"status_code": 200, "body": completion("A bridge sings.")}
    told = [json.dumps({"custom_id": line["custom_id"], "response": response}) for line in lines[:2]]
    page_of(lead)
    look.goto(reverse("plan_batches", args=["bridges", under_way.pk]))
    assert_sound(look, "batch files")
    content = "\n".join([*told, "{", told[0]]).encode()
    file = {"name": "results.jsonl", "mimeType": "application/jsonl", "buffer": content}
    look.locator(f"#file-{source.pk}").set_input_files(file)
    look.locator(f"form:has(#file-{source.pk}) .button.primary").click()
    look.locator("#report").wait_for()
    assert_sound(look, "what came of a file")


def test_a_lead_makes_a_plan_begins_it_and_sees_it_go_on(project, models, prompts, lead, page_of):
    page = page_of(lead)
    page.goto(reverse("plans", args=["bridges"]))
    page.get_by_role("link", name="New plan").click()
    expect(page.locator("#selection")).to_contain_text("30 prompts")
    page.get_by_label("Chinese").check()
    expect(page.locator("#selection")).to_contain_text("15 prompts")
    page.get_by_role("textbox", name="Name").fill("First round")
    page.get_by_label("Tiny One").check()
    page.get_by_role("spinbutton", name="Samples").fill("1")
    page.get_by_role("button", name="Make a draft").click()
    expect(page.get_by_role("heading", name="15 requests, not asked yet")).to_be_visible()
    page.get_by_label("I have seen what it costs").check()
    page.get_by_role("button", name="Begin to ask").click()
    expect(page.get_by_role("heading", name="Running")).to_be_visible()
    page.evaluate("window.isTheSamePage = true")
    plan = Plan.objects.get()
    now = timezone.now()
    for request in plan.requests.all():
        answers.store(request.pk, answers.Answer("A bridge sings.", "stop", 10, 20), sent_at=now, now=now)
    plans.end_if_done(plan.pk, now=now)
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    expect(page.locator("#answered")).to_have_text("15 of 15 answered")
    assert page.evaluate("window.isTheSamePage")

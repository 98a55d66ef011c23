"""Batch files: what waits goes out and the plan pauses; results come in strictly, and nothing is stored twice."""

import json
from io import BytesIO

import pytest
from django.urls import reverse

from annotation.errors import DomainError
from annotation.models import JournalEntry, Response
from authoring import tasks
from authoring.models import Endpoint, ModelRequest, Plan
from authoring.queries import batches as queries
from authoring.services import asking, batches, plans
from tests.authoring.model_server import completion
from tests.authoring.plans_under_way import make_plan
from tests.factories import NOW, make_member, make_project, make_prompt
from tests.page_tree import tree

pytestmark = pytest.mark.django_db
State = ModelRequest.State


@pytest.fixture(autouse=True)
def _no_workers(monkeypatch):
    monkeypatch.setattr(tasks.work_on_plan, "delay_on_commit", lambda pk: None)


@pytest.fixture
def tiny(db):
    return make_endpoint("tiny")


@pytest.fixture
def plan(project, tiny):
    """Two prompts, each asked twice."""
    make_prompt(project, "p1", text="写一座桥。", language="zh")
    make_prompt(project, "p2", text="Write about a tunnel.")
    return make_plan(project, tiny, instruction="Write well.", started=False)


@pytest.fixture
def source(plan):
    return plan.sources.select_related("plan__project").get()


@pytest.fixture
def browser(lead, browser_of):
    return browser_of(lead)


def make_endpoint(name):
    return Endpoint.objects.create(
        name=name,
        base_url="https://models.example.org/v1",
        model=f"{name}-1",
        public_name=f"{name.title()} One",
        extra={"top_p": 0.9},
        created_at=NOW,
    )


def out(source, part=1):
    return [json.loads(line) for line in batches.take_out(source, part, by=None, now=NOW)]


def result(sent, text="A bridge sings.", **more):
    response = {"status_code": 200, "request_id": "r", "body": completion(text)}
    return {"id": "batch_req_1", "custom_id": sent["custom_id"], "response": response, "error": None, **more}


def refused(sent, status=400):
    body = {"error": {"message": "No.", "code": None}}
    return result(sent, response={"status_code": status, "request_id": "r", "body": body})


def file_of(*results):
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in results]
    return BytesIO("\n".join(lines).encode())


def take_in(source, *results):
    source.plan.refresh_from_db()
    return batches.take_in(source, file_of(*results), by=None, now=NOW)


def counts(plan):
    return dict(
        sorted(
            (state, plan.requests.filter(state=state).count())
            for state in State
            if plan.requests.filter(state=state)
        )
    )


# --- Out -----------------------------------------------------------------------------------------


def test_what_waits_goes_out_as_the_interface_wants_it(plan, source):
    lines = out(source)
    assert len(lines) == 4
    assert len({line["custom_id"] for line in lines}) == 4
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert lines[0]["body"] == {
        "top_p": 0.9,
        "model": "tiny-1",
        "messages": [
            {"role": "system", "content": "Write well."},
            {"role": "user", "content": "写一座桥。"},
        ],
        "temperature": 0.8,
        "max_tokens": 256,
    }


def test_what_goes_out_is_what_a_worker_would_send(plan, source):
    sent = [line["body"] for line in out(source)]
    assert sent == [
        asking.body_of(source, text) for text in plan.requests.order_by("pk").values_list("asked", flat=True)
    ]


def test_ids_stay_the_same_and_follow_from_the_secret_of_the_site(plan, source, settings):
    first = [line["custom_id"] for line in out(source)]
    assert [line["custom_id"] for line in out(source)] == first
    settings.SECRET_KEY = "another secret, of another site"
    assert not set(first) & {line["custom_id"] for line in out(source)}


@pytest.mark.parametrize("state", ["draft", "running", "paused"])
def test_the_plan_is_paused_and_says_why(plan, source, state):
    if state != "draft":
        plans.start(plan, by=None, now=NOW)
    if state == "paused":
        plans.pause(plan, by=None, now=NOW)
    source.plan.refresh_from_db()
    out(source)
    plan.refresh_from_db()
    assert plan.state == "paused"
    assert "Tiny One" in plan.paused_why
    assert asking.claim(plan.pk, now=NOW) is None


def test_what_is_under_way_or_answered_stays_at_home(plan, source):
    plans.start(plan, by=None, now=NOW)
    asking.claim(plan.pk, now=NOW)
    source.plan.refresh_from_db()
    assert len(out(source)) == 3


@pytest.mark.parametrize("end", ["cancelled", "answered"])
def test_where_nothing_waits_nothing_goes_out(plan, source, end):
    if end == "cancelled":
        plans.cancel(plan, by=None, now=NOW)
    else:
        take_in(source, *map(result, out(source)))
    source.plan.refresh_from_db()
    with pytest.raises(DomainError) as refusal:
        out(source)
    assert refusal.value.code == "nothing_waits"


@pytest.mark.parametrize("part", [0, 2, -1])
def test_a_file_that_is_not_there_is_not_taken_out(plan, source, part):
    with pytest.raises(DomainError):
        out(source, part)
    plan.refresh_from_db()
    assert plan.state == "draft"


def test_many_requests_are_parted_the_same_way_however_many_wait(plan, source, monkeypatch):
    monkeypatch.setattr(queries, "MOST_LINES", 3)
    first, second = out(source, 1), out(source, 2)
    assert [len(first), len(second)] == [3, 1]
    take_in(source, result(first[0]))
    assert out(source, 1) == first[1:]
    assert out(source, 2) == second


# --- In ------------------------------------------------------------------------------------------


def test_answers_are_stored_as_a_worker_stores_them_and_the_plan_ends(plan, source):
    lines = out(source)
    outcome = take_in(source, *(result(line, f"Text {n}.") for n, line in enumerate(lines)))
    assert (outcome.stored, outcome.failed, outcome.known, outcome.faults, outcome.waiting) == (
        4,
        0,
        0,
        (),
        0,
    )
    plan.refresh_from_db()
    assert (plan.state, plan.paused_why, counts(plan)) == ("done", "", {"done": 4})
    request = plan.requests.order_by("pk").first()
    assert (request.text, request.tokens_in, request.tokens_out) == ("Text 0.", 10, 20)
    assert request.latency_ms is None  # nobody knows how long it took elsewhere
    assert request.response.text == "Text 0."
    assert request.response.source_model == "Tiny One"


def test_the_same_file_does_nothing_twice(plan, source):
    lines = out(source)
    told = [result(lines[0]), refused(lines[1])]
    first = take_in(source, *told)
    assert (first.stored, first.failed, first.known) == (1, 1, 0)
    again = take_in(source, *told)
    assert (again.stored, again.failed, again.known) == (0, 0, 2)
    assert Response.objects.count() == 1
    assert plan.requests.get(state=State.FAILED).attempts.count() == 1


def test_an_old_failure_is_not_taken_again_once_the_request_waits_anew(plan, source):
    lines = out(source)
    take_in(source, refused(lines[0]))
    plans.try_again(plan, by=None, now=NOW)
    assert take_in(source, refused(lines[0])).known == 1
    newer = {**refused(lines[0]), "id": "batch_req_2"}
    assert take_in(source, newer).failed == 1


def test_an_answer_that_is_there_is_not_written_over(plan, source):
    (line, *_rest) = out(source)
    take_in(source, result(line, "The first."))
    assert take_in(source, result(line, "Another.")).known == 1
    assert Response.objects.get().text == "The first."


def test_what_a_server_refused_has_failed_with_what_it_said(plan, source):
    (line, *_rest) = out(source)
    take_in(source, refused(line))
    request = plan.requests.get(state=State.FAILED)
    assert request.error_kind == "refused"
    assert "No." in request.error
    assert request.attempts.get().status == 400


def test_faults_are_told_by_their_lines_and_the_rest_is_taken(plan, source):
    lines = out(source)
    outcome = take_in(
        source, result(lines[0]), "{", result({"custom_id": "made-up"}), result(lines[0]), result(lines[1])
    )
    assert outcome.stored == 2
    assert [fault.number for fault in outcome.faults] == [2, 3, 4]
    assert outcome.waiting == 2
    assert outcome.missing == ("p2 1.1", "p2 1.2")
    plan.refresh_from_db()
    assert plan.state == "paused"


def test_ids_of_another_source_are_unknown(project, plan, source, tiny):
    other = make_plan(project, make_endpoint("other"), tiny, name="Other", started=False)
    lines = out(source)
    outcome = batches.take_in(source, file_of(*map(result, lines)), by=None, now=NOW)
    assert outcome.stored == 4
    plans.start(other, by=None, now=NOW)
    mine, theirs = other.sources.select_related("plan__project").order_by("pk")
    assert take_in(theirs, *map(result, out(mine))).stored == 0
    assert not other.requests.filter(state=State.DONE).exists()


def test_once_a_batch_is_back_a_plan_with_other_sources_waits_for_a_person(project, tiny):
    make_prompt(project, "p1")
    plan = make_plan(project, tiny, make_endpoint("other"), samples=1)
    source = plan.sources.select_related("plan__project").order_by("pk").first()
    take_in(source, *map(result, out(source)))
    plan.refresh_from_db()
    assert plan.state == "paused"
    assert "has come back" in plan.paused_why
    plans.resume(plan, by=None, now=NOW)
    assert asking.claim(plan.pk, now=NOW) is not None


def test_what_comes_after_a_cancellation_counts_for_it_was_paid_for(plan, source):
    lines = out(source)
    plan.refresh_from_db()
    plans.cancel(plan, by=None, now=NOW)
    assert take_in(source, result(lines[0]), refused(lines[1])).stored == 1
    plan.refresh_from_db()
    assert (plan.state, counts(plan)) == ("cancelled", {"cancelled": 3, "done": 1})


def test_nothing_comes_in_before_anything_went_out(plan, source):
    told = {"custom_id": queries.custom_id(plan.requests.first().pk)}
    with pytest.raises(DomainError) as refusal:
        take_in(source, result(told))
    assert refusal.value.code == "not_out"


def test_refusals_and_texts_that_were_cut_off_are_flagged(plan, source):
    first, second, *_rest = out(source)
    body = completion(None, refusal="I will not.")
    take_in(
        source,
        result(first, response={"status_code": 200, "body": body}),
        result(second, response={"status_code": 200, "body": completion("A bridge", finish="length")}),
    )
    assert all(response.flags.exists() for response in Response.objects.all())


def test_what_went_out_and_came_in_is_in_the_journal(plan, source, lead):
    lines = [json.loads(line) for line in batches.take_out(source, 1, by=lead.user, now=NOW)]
    source.plan.refresh_from_db()
    batches.take_in(source, file_of(result(lines[0]), "{"), by=lead.user, now=NOW)
    told = {"plan": plan.pk, "name": plan.name, "source": "Tiny One"}
    went, came = (JournalEntry.objects.get(action=f"batch.taken_{way}") for way in ("out", "in"))
    assert (went.actor, went.project, went.data) == (lead.user, plan.project, {**told, "n": 4})
    assert came.data == {**told, "stored": 1, "failed": 0, "known": 0, "faults": 1}


# --- By the page ---------------------------------------------------------------------------------


def address(source, page):
    return reverse(page, args=["bridges", source.plan_id, source.pk])


def sent_out(browser, source):
    response = browser.post(address(source, "plan_batch_out"), {"part": "1"})
    assert response["Content-Disposition"].startswith("attachment")
    return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]


def send_in(browser, source, file):
    file.name = "results.jsonl"
    return browser.post(address(source, "plan_batch_in"), {"file": file})


def test_a_lead_takes_requests_out_and_results_in(plan, source, browser):
    lines = sent_out(browser, source)
    came = send_in(browser, source, file_of(*map(result, lines[:3]), "{"))
    shown = tree(came.content).text
    assert came.status_code == 200
    assert "Answers stored 3" in shown
    assert "Lines with a fault 1" in shown
    assert "not valid JSON" in shown
    assert "Requests that still wait 1" in shown
    assert counts(plan) == {"done": 3, "waiting": 1}


@pytest.mark.parametrize(
    ("role", "status"), [("instructor", 403), ("adjudicator", 403), ("annotator", 403), (None, 404)]
)
def test_nobody_else_takes_out_or_in(plan, source, browser_of, stranger, role, status):
    browser = browser_of(make_member(plan.project, role) if role else stranger)
    assert browser.get(reverse("plan_batches", args=["bridges", plan.pk])).status_code == status
    assert browser.post(address(source, "plan_batch_out"), {"part": "1"}).status_code == status
    assert send_in(browser, source, file_of()).status_code == status
    plan.refresh_from_db()
    assert plan.state == Plan.State.DRAFT


def test_a_source_is_reached_through_its_own_plan_alone(project, plan, source, browser, tiny):
    other = make_plan(project, tiny, name="Other", started=False)
    for page in ("plan_batch_out", "plan_batch_in"):
        found = browser.post(reverse(page, args=["bridges", other.pk, source.pk]), {"part": "1"})
        assert found.status_code == 404
    elsewhere = make_project("tunnels")
    assert (
        browser.post(reverse("plan_batch_out", args=[elsewhere.slug, plan.pk, source.pk])).status_code == 404
    )


def test_without_a_file_the_page_asks_for_one(plan, source, browser):
    out(source)
    refused = browser.post(address(source, "plan_batch_in"))
    assert refused.status_code == 422
    assert "Choose a file." in tree(refused.content).text


def test_a_file_beyond_the_limit_is_refused(plan, source, browser, monkeypatch):
    out(source)
    monkeypatch.setattr("authoring.forms.batches.MOST_BYTES", 10)
    refused = send_in(browser, source, file_of("x" * 20))
    assert refused.status_code == 422
    assert "larger than 64 MB" in tree(refused.content).text


@pytest.mark.parametrize("part", ["", "0", "9", "x", "9" * 40])
def test_a_part_that_is_none_is_refused(plan, source, browser, part):
    assert browser.post(address(source, "plan_batch_out"), {"part": part}).status_code == 409
    plan.refresh_from_db()
    assert plan.state == Plan.State.DRAFT


def test_an_empty_file_changes_nothing(plan, source, browser):
    out(source)
    assert "Answers stored 0" in tree(send_in(browser, source, file_of()).content).text

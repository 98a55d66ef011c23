"""A plan against a server that speaks the OpenAI protocol: every request once, nothing lost, limits kept."""

import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.errors import DomainError
from annotation.models import Flag, JournalEntry, Response
from authoring.domain.chat import ATTEMPTS, MEANINGS
from authoring.models import ModelRequest, Plan, RequestAttempt
from authoring.services import answers, asking, held_requests, plans
from tests.authoring.model_server import KEY, Reply, completion, error
from tests.authoring.plans_under_way import KEY_NAME, Clock, asked_server, make_endpoint, make_plan, run
from tests.factories import NOW, make_prompt

State = ModelRequest.State


@pytest.fixture
def server(settings, monkeypatch):
    with asked_server(settings, monkeypatch) as found:
        yield found


@pytest.fixture
def tiny(db, server):
    return make_endpoint(server)


@pytest.fixture
def prompts(project):
    return [make_prompt(project, f"p{n}", text=f"Write about bridge {n}.") for n in range(3)]


def the_request(plan):
    return plan.requests.get()


def one(project, tiny, **asked):
    """A plan of a single request."""
    make_prompt(project, "p0")
    return make_plan(project, tiny, samples=1, **asked)


# --- All goes well ---------------------------------------------------------------------------------------


def test_prompts_times_sources_times_samples_are_asked_once_and_become_responses(
    project, server, tiny, prompts
):
    small = make_endpoint(server, "small")
    plan = run(make_plan(project, tiny, small, samples=5))
    assert plan.state == Plan.State.DONE
    assert plan.requests.count() == 30 == len(server.asked)
    assert set(server.once.values()) == {1}
    assert Response.objects.count() == 30
    of_each = {
        (one.prompt.external_id, one.source_model, one.parameters["sample"])
        for one in Response.objects.select_related("prompt")
    }
    assert len(of_each) == 30
    assert {source for _, source, _ in of_each} == {"Tiny One", "Small One"}
    assert not asking.work(plan.pk, clock=Clock())
    assert len(server.asked) == 30, "a plan that is done asks nothing"


def test_the_server_is_sent_what_the_plan_says(project, server, prompts):
    endpoint = make_endpoint(
        server, extra={"top_p": 0.9, "seed": 7}, length_parameter="max_completion_tokens", key_name=""
    )
    run(
        make_plan(project, endpoint, samples=1, temperature=Decimal("0.35"), instruction="Answer in English.")
    )
    assert server.paths == ["/v1/chat/completions"] * 3
    assert {body["messages"][-1]["content"] for body in server.asked} == {each.text for each in prompts}
    body = server.asked[0]
    assert body["messages"][0] == {"role": "system", "content": "Answer in English."}
    assert (body["model"], body["temperature"], body["max_completion_tokens"]) == ("tiny-1", 0.35, 256)
    assert (body["top_p"], body["seed"]) == (0.9, 7)
    assert not {"max_tokens", "n", "stream"} & body.keys()
    assert KEY not in "".join(server.keys)


def test_a_response_says_how_it_came_about(project, server, tiny):
    server.acts = [Reply(completion("A bridge of words.", model="tiny-1-2026-11"))]
    plan = run(one(project, tiny))
    request = the_request(plan)
    response = request.response
    assert (response.text, response.source_model, response.state) == (
        "A bridge of words.",
        "Tiny One",
        "active",
    )
    assert response.parameters == {
        "sample": 1,
        "temperature": 0.8,
        "max_tokens": 256,
        "finish_reason": "stop",
        "model": "tiny-1",
        "model_answered": "tiny-1-2026-11",
    }
    assert (request.tokens_in, request.tokens_out, request.finish_reason) == (10, 20, "stop")
    assert request.answer["id"] == "chatcmpl-1"
    assert not Flag.objects.exists()
    assert "tiny" not in response.external_id


def test_what_is_answered_never_changes(project, server, tiny):
    request = the_request(run(one(project, tiny)))
    for change in (
        lambda: ModelRequest.objects.filter(pk=request.pk).update(text="another"),
        lambda: ModelRequest.objects.filter(pk=request.pk).delete(),
        lambda: RequestAttempt.objects.update(detail="x"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_of_several_choices_the_first_counts(project, server, tiny):
    body = completion("The first.")
    second = {"index": 1, "message": {"role": "assistant", "content": "The second."}, "finish_reason": "stop"}
    body["choices"] = [second, *body["choices"]]
    server.acts = [Reply(body)]
    request = the_request(run(one(project, tiny)))
    assert request.text == "The first."
    assert len(request.answer["choices"]) == 2, "all that came is kept"


# --- What triage has to look at --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "text", "finish", "check"),
    [
        (completion("It began on a", finish="length"), "It began on a", "length", "finish_reason"),
        (completion("", finish="content_filter"), "", "content_filter", "finish_reason"),
        (completion(None, finish="stop", refusal="I can't help with that."), "I can't help", "refusal", None),
        (completion(None), "", "stop", "empty"),
        (completion("   \n"), "", "stop", "empty"),
    ],
)
def test_what_is_cut_off_filtered_refused_or_empty_is_kept_and_flagged(
    project, server, tiny, body, text, finish, check
):
    server.acts = [Reply(body)]
    request = the_request(run(one(project, tiny)))
    assert request.state == State.DONE
    assert request.finish_reason == finish
    assert request.response.text.strip().startswith(text)
    checks = set(request.response.flags.values_list("check_key", flat=True))
    assert checks, "a person is to look"
    assert check is None or check in checks


def test_what_failed_for_good_can_be_handed_to_triage_as_an_empty_response(project, server, tiny):
    server.acts = [error(400, "This prompt may not be answered.", code="content_policy")]
    plan = run(one(project, tiny))
    assert (plan.state, the_request(plan).state) == (Plan.State.DONE, State.FAILED)
    assert answers.hand_to_triage(plan, by=None, now=NOW) == 1
    response = the_request(plan).response
    assert response.text == ""
    assert "may not be answered" in response.parameters["error"]
    assert "provider_error" in set(response.flags.values_list("check_key", flat=True))
    with pytest.raises(DomainError):
        answers.hand_to_triage(plan, by=None, now=NOW)
    with pytest.raises(DomainError):
        plans.try_again(plan, by=None, now=NOW)


# --- Errors that may pass --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind", "status"),
    [
        (error(429, "Slow down."), "rate_limited", 429),
        (error(500, "Oh."), "server_error", 500),
        (error(503, "Busy."), "server_error", 503),
        (Reply(b"<html>502 Bad Gateway</html>", 502, {"Content-Type": "text/html"}), "server_error", 502),
        (Reply(completion("A long text that is cut."), cut_at=60), "not_reached", None),
        (Reply(b'{"choices": [{"message": {"content": "half'), "broken_answer", 200),
        (Reply({"choices": []}), "broken_answer", 200),
        (Reply([1, 2]), "broken_answer", 200),
        (Reply({"choices": [{"message": {"content": 5}}]}), "broken_answer", 200),
        (Reply(completion("Too late."), after=1.6), "timed_out", None),
    ],
)
def test_an_error_that_may_pass_is_kept_as_it_came_and_asked_again(project, server, reply, kind, status):
    endpoint = make_endpoint(server, timeout_seconds=1)
    server.acts = [reply]
    clock = Clock()
    plan = run(one(project, endpoint), clock)
    request = the_request(plan)
    assert (plan.state, request.state, request.attempt) == (Plan.State.DONE, State.DONE, 2)
    first, second = request.attempts.order_by("number")
    assert (first.error_kind, first.status) == (kind, status)
    assert (second.error_kind, second.status) == ("", 200)
    assert clock() - NOW >= timedelta(seconds=2)
    assert Response.objects.count() == 1
    assert list(server.once.values()) == [2], "the same key at both askings"


def test_retry_after_is_waited_for_by_all_requests_of_the_model(project, server, tiny, prompts):
    tiny.parallel = 1
    tiny.save()
    server.acts = [error(429, "Slow down.", Retry_After="40")]
    clock = Clock()
    plan = make_plan(project, tiny, samples=1)
    asking.work(plan.pk, clock=clock, sleep=clock.sleep)
    assert len(server.asked) == 1, "nobody asks before the time is over"
    assert clock() - NOW < timedelta(seconds=40)
    clock.now = NOW + timedelta(seconds=70)
    assert run(plan, clock).state == Plan.State.DONE
    assert len(server.asked) == 4


def test_an_error_that_never_passes_fails_one_request_and_holds_up_no_other(project, server, tiny, prompts):
    def act(body):
        if "bridge 1" in body["messages"][-1]["content"]:
            return error(500, "Not this one.")
        return Reply(completion("A text."))

    server.acts = [act] * 50
    clock = Clock()
    plan = make_plan(project, tiny, samples=1)
    for _ in range(100):
        asking.work(plan.pk, clock=clock, sleep=clock.sleep)
        clock.sleep(30)
    plan.refresh_from_db()
    assert plan.state == Plan.State.DONE
    failed = plan.requests.get(state=State.FAILED)
    assert (failed.error_kind, failed.attempt, failed.attempts.count()) == (
        "server_error",
        ATTEMPTS,
        ATTEMPTS,
    )
    assert "Not this one." in failed.error
    assert plan.requests.filter(state=State.DONE).count() == 2
    server.acts = []
    assert plans.try_again(plan, by=None, now=clock()) == 1
    assert run(plan, clock).state == Plan.State.DONE
    assert plan.requests.filter(state=State.DONE).count() == 3
    assert len(server.answered) == 3
    assert set(server.answered.values()) == {1}


# --- Errors that stop the plan ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(401, "Incorrect API key provided.", code="invalid_api_key"), "key_refused"),
        (error(403, "No."), "key_refused"),
        (error(404, "The model tiny-1 does not exist.", code="model_not_found"), "no_such_model"),
        (error(429, "You exceeded your quota.", code="insufficient_quota"), "no_money"),
        (Reply({}, 302, {"Location": "http://169.254.169.254/"}), "redirected"),
    ],
)
def test_an_error_that_stops_all_pauses_the_plan_with_a_sentence(project, server, tiny, prompts, reply, kind):
    tiny.parallel = 1
    tiny.save()
    server.acts = [reply]
    plan = run(make_plan(project, tiny, samples=1))
    assert plan.state == Plan.State.PAUSED
    assert plan.paused_why == MEANINGS[kind]
    assert len(server.asked) == 1
    assert plan.requests.filter(state=State.WAITING).count() == 3, "nothing has failed"
    plans.resume(plan, by=None, now=NOW)
    assert run(plan).state == Plan.State.DONE
    assert Response.objects.count() == 3


def test_without_its_key_a_model_is_not_asked(project, server, tiny, monkeypatch):
    monkeypatch.delenv(KEY_NAME)
    plan = run(one(project, tiny))
    assert plan.state == Plan.State.PAUSED
    assert "key" in plan.paused_why
    assert not server.asked


@pytest.mark.parametrize(
    "base_url",
    [
        "http://127.0.0.1:1/v1",
        "http://localhost/v1",
        "http://169.254.169.254/latest",
        "http://[::1]/v1",
        "http://2130706433/v1",
        "http://0x7f.1/v1",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "http://allowed.example.org@127.0.0.1/v1",
    ],
)
def test_a_server_that_the_environment_does_not_name_is_not_asked(project, server, tiny, base_url):
    type(tiny).objects.update(base_url=base_url)
    plan = run(one(project, tiny))
    assert (plan.state, plan.paused_why) == (Plan.State.PAUSED, MEANINGS["not_allowed"])
    assert not server.asked


def test_the_key_is_nowhere_but_in_the_header(project, server, tiny, caplog):
    server.acts = [
        error(500, f"Your key {KEY} made me fall over."),
        error(401, f"Incorrect API key provided: {KEY}."),
    ]
    clock = Clock()
    with caplog.at_level("DEBUG"):
        plan = run(one(project, tiny), clock)
        plans.resume(plan, by=None, now=clock())
        plan = run(plan, clock)
    assert plan.state == Plan.State.DONE
    assert set(server.keys) == {f"Bearer {KEY}"}
    kept = [
        *Plan.objects.values_list(),
        *ModelRequest.objects.values_list(),
        *RequestAttempt.objects.values_list(),
        *JournalEntry.objects.values_list(),
        *Response.objects.values_list(),
    ]
    assert "[key]" in repr(kept)
    assert KEY not in repr(kept)
    assert KEY not in caplog.text
    assert KEY not in repr(asking.clients.target_of(tiny))


# --- Limits ----------------------------------------------------------------------------------------------


def test_no_more_are_under_way_at_once_than_the_model_takes_of_all_plans_together(
    project, server, tiny, prompts
):
    first, second = make_plan(project, tiny), make_plan(project, tiny)
    claimed = [asking.claim(first.pk, now=NOW) for _ in range(3)]
    claimed += [asking.claim(second.pk, now=NOW) for _ in range(3)]
    assert [each is not None for each in claimed] == [True, True, True, True, False, False]
    asking.conclude(claimed[0], asking._ask(claimed[0]), now=NOW)
    assert asking.claim(second.pk, now=NOW) is not None
    assert asking.claim(second.pk, now=NOW) is None


def test_no_more_tokens_a_minute_are_asked_for_than_the_model_takes(project, server, prompts):
    endpoint = make_endpoint(server, tokens_per_minute=600, parallel=50)
    plan = make_plan(project, endpoint, samples=2, max_tokens=256)
    assert asking.claim(plan.pk, now=NOW)
    second = asking.claim(plan.pk, now=NOW)
    assert asking.claim(plan.pk, now=NOW) is None, "two may take 600 by themselves"
    asking.conclude(second, asking._ask(second), now=NOW)
    assert asking.claim(plan.pk, now=NOW), "the answer took 30 only"
    assert asking.claim(plan.pk, now=NOW + timedelta(seconds=59)) is None
    assert asking.claim(plan.pk, now=NOW + timedelta(seconds=61))


def test_a_request_larger_than_the_limit_goes_alone(project, server, prompts):
    endpoint = make_endpoint(server, tokens_per_minute=10)
    plan = make_plan(project, endpoint, samples=1)
    assert asking.claim(plan.pk, now=NOW)
    assert asking.claim(plan.pk, now=NOW) is None


def test_two_thousand_requests_with_twenty_under_way_keep_the_limit(project, server):
    endpoint = make_endpoint(server, parallel=20)
    for number in range(100):
        make_prompt(project, f"q{number}", text=f"Write text {number}.")
    server.delay = 0.15
    plan = run(make_plan(project, endpoint, samples=20))
    assert plan.state == Plan.State.DONE
    assert len(server.asked) == 2_000
    assert set(server.once.values()) == {1}
    assert 15 <= server.most_under_way <= 20
    assert Response.objects.count() == 2_000


# --- Stopping, and dying ---------------------------------------------------------------------------------


def test_a_pause_asks_nothing_more_and_a_cancellation_keeps_what_was_under_way(
    project, server, tiny, prompts
):
    plan = make_plan(project, tiny, samples=1)
    claimed = asking.claim(plan.pk, now=NOW)
    plans.pause(plan, by=None, now=NOW)
    assert asking.claim(plan.pk, now=NOW) is None
    plans.cancel(plan, by=None, now=NOW)
    asking.conclude(claimed, asking._ask(claimed), now=NOW)
    states = sorted(plan.requests.values_list("state", flat=True))
    assert states == [State.CANCELLED, State.CANCELLED, State.DONE]
    assert Response.objects.count() == 1
    with pytest.raises(DomainError):
        plans.resume(plan, by=None, now=NOW)


def test_what_failed_while_the_plan_was_cancelled_is_cancelled(project, server, tiny, prompts):
    server.acts = [error(500, "Oh.")]
    plan = make_plan(project, tiny, samples=1)
    claimed = asking.claim(plan.pk, now=NOW)
    plans.cancel(plan, by=None, now=NOW)
    asking.conclude(claimed, asking._ask(claimed), now=NOW)
    assert set(plan.requests.values_list("state", flat=True)) == {State.CANCELLED}


def test_after_a_worker_died_what_was_under_way_is_asked_again_and_nothing_else(
    project, server, tiny, prompts
):
    plan = make_plan(project, tiny, samples=1)
    answered, lost = asking.claim(plan.pk, now=NOW), asking.claim(plan.pk, now=NOW)
    asking.conclude(answered, asking._ask(answered), now=NOW)
    found = asking._ask(lost)  # and dies before it could be stored
    later = Clock(NOW + timedelta(minutes=11))
    assert run(plan, later).state == Plan.State.DONE
    assert sorted(server.once.values()) == [1, 1, 2]
    assert server.once[lost.once] == 2
    assert Response.objects.count() == 3
    attempts = plan.requests.get(pk=lost.pk).attempts.order_by("number")
    assert [each.error_kind for each in attempts] == ["died", ""]
    asking.conclude(lost, found, now=later())
    assert Response.objects.count() == 3, "an answer that comes late is not a second one"


def test_a_request_that_kills_every_worker_fails_in_the_end(project, server, tiny):
    plan = one(project, tiny)
    now = NOW
    for _ in range(ATTEMPTS):
        assert asking.claim(plan.pk, now=now)
        now += timedelta(hours=1)
        held_requests.revive(now=now)
    request = the_request(plan)
    assert (request.state, request.error_kind) == (State.FAILED, "died")


def test_one_worker_serves_a_plan_at_a_time(project, server, tiny, prompts):
    plan = make_plan(project, tiny, samples=1)
    server.delay = 0.2
    seen = []

    def second(seconds):
        seen.append(asking.work(plan.pk, clock=clock, sleep=clock.sleep))
        clock.sleep(seconds)

    server.acts = [error(500, "Wait.")]
    clock = Clock()
    asking.work(plan.pk, clock=clock, sleep=second)
    assert seen
    assert not any(seen)
    assert plans.unfinished(now=clock()) == []


def test_a_plan_that_runs_and_is_served_by_nobody_is_found_by_the_sweep(project, server, tiny, prompts):
    plan = make_plan(project, tiny, samples=1)
    assert plans.unfinished(now=NOW) == [plan.pk]
    Plan.objects.update(served_until=NOW + timedelta(seconds=5))
    assert plans.unfinished(now=NOW) == []
    assert plans.unfinished(now=NOW + timedelta(seconds=6)) == [plan.pk]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_claim_at_once_each_gets_another_request(project, server, tiny, prompts):
    plan = make_plan(project, tiny, samples=1)
    found, barrier = [], threading.Barrier(3)

    def claim():
        try:
            barrier.wait()
            found.append(asking.claim(plan.pk, now=NOW))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.pk for each in found if each}) == len([each for each in found if each]) >= 1
    assert plan.requests.filter(state=State.RUNNING).count() == len([each for each in found if each])

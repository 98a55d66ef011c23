"""Making plans, what they will cost, and the ways they go."""

from decimal import Decimal

import pytest

from annotation.errors import DomainError, Invalid
from annotation.models import JournalEntry, Prompt, Requirement, Response
from authoring.domain.chat import Answer
from authoring.models import Endpoint, ModelRequest, Plan
from authoring.services import answers, plans
from tests.authoring.model_server import ModelServer
from tests.authoring.plans_under_way import make_endpoint, make_plan
from tests.factories import NOW, make_project, make_prompt


@pytest.fixture
def tiny(db):
    server = ModelServer()
    server.server_close()  # nothing is asked here
    return make_endpoint(server)


@pytest.fixture
def small(tiny):
    return Endpoint.objects.create(
        name="small",
        base_url=tiny.base_url,
        model="small-1",
        public_name="Small One",
        input_price=0,
        output_price=Decimal(1),
        currency="EUR",
        created_at=NOW,
    )


@pytest.fixture
def prompts(project):
    return [make_prompt(project, f"p{n}", text="word " * 8) for n in range(3)]


def test_it_has_a_row_for_each_request_and_asks_nothing_before_it_is_started(project, tiny, small, prompts):
    plan = make_plan(project, tiny, small, samples=5, started=False)
    assert plan.state == Plan.State.DRAFT
    rows = set(plan.requests.values_list("prompt__external_id", "source__public_name", "sample", "state"))
    assert len(rows) == 30
    assert {state for *_, state in rows} == {"waiting"}


def test_the_estimate_counts_requests_and_reckons_tokens_and_costs_at_most(project, tiny, small, prompts):
    plan = make_plan(project, tiny, small, samples=5, max_tokens=1000, instruction="word" * 2, started=False)
    found = plans.estimate(plan)
    assert (found.requests, found.tokens_in, found.tokens_out_most) == (30, 30 * 12, 30_000)
    assert found.costs == {"USD": Decimal("0.09027"), "EUR": Decimal("0.015")}
    assert [(each.source.public_name, each.requests) for each in found.sources] == [
        ("Small One", 15),
        ("Tiny One", 15),
    ]


def test_it_keeps_the_prices_of_the_day_it_was_made(project, tiny, prompts):
    plan = make_plan(project, tiny, started=False)
    Endpoint.objects.update(input_price=99, public_name="Another")
    assert plans.estimate(plan).sources[0].source.public_name == "Tiny One"
    assert plans.price_of(plan.sources.get()).input == Decimal("1.50")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"prompts": Prompt.objects.none()}, "no_prompts"),
        ({"kind": Plan.Kind.EXPANSION}, "bad_kind"),
        ({"kind": "nothing"}, "bad_kind"),
        ({"name": "Taken"}, "name_taken"),
        ({"samples": 4}, "too_many_requests"),
        ({"samples": 0}, "bad_samples"),
        ({"samples": 1_001}, "bad_samples"),
        ({"temperature": Decimal("2.01")}, "bad_temperature"),
        ({"temperature": Decimal("-0.1")}, "bad_temperature"),
        ({"max_tokens": 0}, "bad_max_tokens"),
    ],
)
def test_what_no_plan_can_be_is_refused_and_nothing_is_written(
    project, tiny, prompts, monkeypatch, change, code
):
    monkeypatch.setattr(plans, "MOST_REQUESTS", 10)
    make_plan(project, tiny, name="Taken", started=False)
    before = ModelRequest.objects.count()
    with pytest.raises(Invalid) as refused:
        make_plan(project, tiny, started=False, **change)
    assert refused.value.code == code
    assert (Plan.objects.count(), ModelRequest.objects.count()) == (1, before)


def test_prompts_of_another_project_and_without_text_are_not_asked(project, tiny):
    other = make_prompt(make_project("other"), "elsewhere")
    with pytest.raises(Invalid) as refused:
        make_plan(project, tiny, prompts=Prompt.objects.filter(pk=other.pk))
    assert refused.value.code == "no_prompts"
    make_prompt(project, "silent", text=" ")
    with pytest.raises(Invalid, match="silent"):
        make_plan(project, tiny)


@pytest.mark.parametrize("columns", [{"kind": "embeddings"}, {"retired_at": NOW}])
def test_an_end_point_that_gives_no_texts_is_refused(project, tiny, prompts, columns):
    Endpoint.objects.update(**columns)
    tiny.refresh_from_db()
    with pytest.raises(Invalid, match="tiny"):
        make_plan(project, tiny)
    with pytest.raises(Invalid, match="Choose at least one"):
        make_plan(project)


def test_two_models_of_one_public_name_could_not_be_told_apart(project, tiny, small, prompts):
    Endpoint.objects.update(public_name="One")
    with pytest.raises(Invalid, match="one public name"):
        make_plan(project, *Endpoint.objects.all())


def states(plan):
    return plan.state, set(plan.requests.values_list("state", flat=True))


def test_it_goes_from_draft_through_pauses_to_its_end(project, tiny, prompts):
    plan = make_plan(project, tiny, started=False)
    plans.start(plan, by=None, now=NOW)
    plans.pause(plan, why="The key is wrong.", by=None, now=NOW)
    assert (plan.state, plan.paused_why) == ("paused", "The key is wrong.")
    plans.resume(plan, by=None, now=NOW)
    assert (plan.state, plan.paused_why) == ("running", "")
    assert not plans.end_if_done(plan.pk, now=NOW), "something waits"
    plans.cancel(plan, by=None, now=NOW)
    assert states(plan) == ("cancelled", {"cancelled"})
    actions = JournalEntry.objects.filter(action__startswith="plan.").order_by("pk")
    assert [each.action.partition(".")[2] for each in actions] == [
        *("made", "started", "paused", "resumed", "cancelled")
    ]


@pytest.mark.parametrize(
    ("state", "acts"),
    [
        ("draft", ["pause", "resume", "try_again"]),
        ("running", ["start", "resume", "remove", "try_again"]),
        ("paused", ["start", "pause", "remove"]),
        ("done", ["start", "pause", "resume", "cancel", "remove"]),
        ("cancelled", ["start", "pause", "resume", "cancel", "remove", "try_again"]),
    ],
)
def test_what_its_state_does_not_allow_is_refused_and_changes_nothing(project, tiny, prompts, state, acts):
    plan = make_plan(project, tiny, started=False)
    times = {"started_at": NOW} if state in ("running", "paused") else {}
    times |= {"ended_at": NOW} if state in ("done", "cancelled") else {}
    Plan.objects.filter(pk=plan.pk).update(state=state, **times)
    plan.refresh_from_db()
    for act in acts:
        with pytest.raises(DomainError):
            getattr(plans, act)(plan, by=None, now=NOW)
        plan.refresh_from_db()
        assert states(plan) == (state, {"waiting"})


def test_a_draft_can_be_removed(project, tiny, prompts):
    plans.remove(make_plan(project, tiny, started=False), by=None, now=NOW)
    assert not Plan.objects.exists()
    assert not ModelRequest.objects.exists()


def test_a_single_question_runs_at_once_and_is_about_one_thing(project, tiny, prompts):
    plan = plans.ask_once(
        project,
        kind=Plan.Kind.PROPOSAL,
        endpoint=tiny,
        asked="Propose.",
        prompt=prompts[0],
        by=None,
        now=NOW,
    )
    request = plan.requests.get()
    assert (plan.state, request.prompt, request.asked) == ("running", prompts[0], "Propose.")
    second = plans.ask_once(
        project,
        kind=Plan.Kind.PROPOSAL,
        endpoint=tiny,
        asked="Propose.",
        prompt=prompts[0],
        by=None,
        now=NOW,
    )
    assert second.name != plan.name


# --- Requirement dropout -----------------------------------------------------------------------------------


def test_a_dropout_asks_each_round_of_each_prompt_and_remembers_what_it_kept(project, tiny):
    prompt = make_prompt(project, "p0")
    for position in (1, 2, 3):
        Requirement.objects.create(prompt=prompt, position=position, text=f"Requirement {position}.")
    plan = make_plan(project, tiny, kind=Plan.Kind.DROPOUT, samples=1, seed="seed", started=False)
    rows = list(plan.requests.order_by("variant"))
    kept = [sorted(each.position for each in row.kept.all()) for row in rows]
    assert [len(each) for each in kept] == [3, 2, 1]
    assert set(kept[2]) < set(kept[1]) < set(kept[0])
    for row, positions in zip(rows, kept, strict=True):
        assert [f"Requirement {n}." in row.asked for n in (1, 2, 3)] == [n in positions for n in (1, 2, 3)]
    for row in rows:
        answers.store(row.pk, Answer(f"Text {row.variant}.", "stop"), sent_at=NOW, now=NOW)
    made = {
        response.text: response.kept_requirements.count()
        for response in Response.objects.filter(prompt=prompt)
    }
    assert made == {"Text 1.": 3, "Text 2.": 2, "Text 3.": 1}, "which is what gold is made of"


def test_a_prompt_with_fewer_than_two_requirements_has_no_order(project, tiny, prompts):
    Requirement.objects.create(prompt=prompts[0], position=1, text="One.")
    with pytest.raises(Invalid, match="p0 has 1 requirements"):
        make_plan(project, tiny, kind=Plan.Kind.DROPOUT)
    assert not Plan.objects.exists()

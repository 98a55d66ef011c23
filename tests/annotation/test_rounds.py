"""A round from draft to lock: what it holds, who sits where, and who may be first."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError
from annotation.models import Assignment, JournalEntry, PanelSeat, Response, Round
from annotation.queries import round_panels, round_plans, round_prompts
from annotation.queries import rounds as queries
from annotation.services import assignments, membership, rounds, scoring
from tests.factories import (
    NOW,
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
)
from tests.test_concurrency import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def annotators(project):
    return [make_member(project, "annotator", name) for name in ("ann", "ben", "cat", "dan")]


@pytest.fixture
def material(project):
    """Three prompts with two responses each, and one whose only response was removed."""
    found = make_import(project)
    for name in ("p1", "p2", "p3"):
        prompt = make_prompt(project, name, genre=project.genres.first())
        for number in range(2):
            make_response(prompt, f"{name}-r{number}", source=found)
    gone = make_response(make_prompt(project, "p4"), "gone", state="removed", removed_at=NOW)
    return gone.prompt


@pytest.fixture
def draft(project, material):
    return make_draft(project)


def make_draft(project, name="Main", filters=None, purpose="live"):
    return rounds.draft(project, name, purpose=purpose, filters=filters or Filters(), by=None, now=NOW)


def names(work):
    return sorted(work.prompts.values_list("external_id", flat=True))


def compose(work, *, seed="1", keep=True):
    return rounds.compose(work, seed=seed, keep=keep, by=None, now=NOW)


def opened(work, annotators):
    compose(work)
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    return work


def set_seats(work, panels):
    rounds.seat(work, panels, by=None, now=NOW)


def actions():
    return list(JournalEntry.objects.order_by("pk").values_list("action", flat=True))


def refused(code, action, *arguments, **options):
    with pytest.raises(DomainError) as refusal:
        action(*arguments, by=None, now=NOW, **options)
    assert refusal.value.code == code
    return refusal.value.message


# --- Drafts --------------------------------------------------------------------------------------


def test_a_draft_takes_over_how_the_project_gives_out_work(project, draft):
    assert (draft.state, draft.assigning, draft.annotators_per_response) == ("draft", "panel", 3)
    project.annotators_per_response = 5
    project.save(update_fields=["annotators_per_response"])
    draft.refresh_from_db()
    assert draft.annotators_per_response == 3
    assert not draft.assignments.exists()


def test_a_draft_holds_prompts_with_active_responses_alone(draft):
    assert names(draft) == ["p1", "p2", "p3"]
    assert queries.responses(draft).count() == 6


def test_prompts_that_lose_their_responses_are_left_out_by_name(draft):
    Response.objects.filter(prompt__external_id="p2").update(state="removed", removed_at=NOW)
    assert queries.left_out(draft) == ["p2"]
    assert queries.responses(draft).count() == 4


def test_a_draft_of_new_prompts_passes_over_those_of_live_rounds(project, material):
    first = make_draft(project, filters=Filters(sample=1))
    second = make_draft(project, "More", Filters(only_new=True))
    assert set(names(first)).isdisjoint(names(second))
    assert len(names(second)) == 2
    training = make_draft(project, "Practice", purpose="training")
    assert len(names(training)) == 3
    refused("no_prompts", rounds.draft, project, "None", purpose="live", filters=Filters(only_new=True))


def test_prompts_of_a_round_of_imported_scores_are_not_new(project, material):
    work = make_round(project)
    work.prompts.clear()  # an import makes assignments alone
    facts = round_prompts.facts(project)
    assert {fact.name for fact in facts if fact.in_live_round} == {"p1", "p2", "p3"}


def test_two_rounds_of_a_project_never_share_a_name(project, draft):
    refused("round_exists", rounds.draft, project, "Main", purpose="live", filters=Filters())
    other = make_draft(project, "Other")
    refused("round_exists", rounds.change, other, **settings(other, name="Main"))
    other.refresh_from_db()
    assert other.name == "Other"


def test_without_a_rubric_there_is_no_round():
    bare = make_project(with_rubric=False)
    make_response(make_prompt(bare))
    refused("no_rubric", rounds.draft, bare, "Main", purpose="live", filters=Filters())
    refused("no_rubric", rounds.open_round, bare, "Main")
    assert not Round.objects.exists()


def settings(work, **changes):
    fields = ("name", "purpose", "annotators_per_response", "assigning")
    return {field: getattr(work, field) for field in fields} | changes


def test_a_draft_can_be_changed_and_the_journal_says_what(draft):
    rounds.change(draft, **settings(draft, purpose="gold", annotators_per_response=1), by=None, now=NOW)
    draft.refresh_from_db()
    assert (draft.purpose, draft.annotators_per_response) == ("gold", 1)
    entry = JournalEntry.objects.get(action="round.changed")
    assert entry.data == {
        "round": draft.pk,
        "purpose": ["live", "gold"],
        "annotators_per_response": [3, 1],
    }


def test_a_live_round_needs_two_annotators_a_response(draft):
    refused("too_few_annotators", rounds.change, draft, **settings(draft, annotators_per_response=1))


def test_seats_that_a_draft_no_longer_has_are_emptied(draft, annotators):
    compose(draft)
    rounds.change(draft, **settings(draft, annotators_per_response=2), by=None, now=NOW)
    assert set(draft.seats.values_list("seat", flat=True)) == {1, 2}
    draft.refresh_from_db()
    rounds.change(draft, **settings(draft, assigning="pool"), by=None, now=NOW)
    assert not draft.seats.exists()


def test_other_prompts_keep_the_panels_of_those_that_stay(project, draft, annotators):
    compose(draft)
    before = dict(draft.seats.filter(prompt__external_id="p1").values_list("seat", "annotator"))
    poetry = make_prompt(project, "p5", genre=project.genres.last())
    make_response(poetry)
    prompt = project.prompts.get(external_id="p1")
    prompt.genre = project.genres.last()
    prompt.save(update_fields=["genre"])
    rounds.choose(draft, Filters(genres=("poetry",)), by=None, now=NOW)
    assert names(draft) == ["p1", "p5"]
    assert dict(draft.seats.values_list("seat", "annotator")) == before


def test_a_draft_can_be_deleted_and_nothing_else_goes(project, draft, annotators):
    compose(draft)
    responses = Response.objects.count()
    rounds.delete(draft, by=None, now=NOW)
    assert not Round.objects.exists()
    assert not PanelSeat.objects.exists()
    assert Response.objects.count() == responses
    assert actions()[-1] == "round.deleted"


def test_nothing_of_an_opened_round_can_be_changed_or_deleted(draft, annotators):
    stale = Round.objects.get(pk=draft.pk)
    opened(draft, annotators)
    seats = list(draft.seats.order_by("pk").values())
    prompt = draft.prompts.first().pk
    refused("not_a_draft", rounds.change, stale, **settings(stale, name="New"))
    refused("not_a_draft", rounds.choose, stale, Filters())
    refused("not_a_draft", rounds.seat, stale, {prompt: {1: None}})
    refused("not_a_draft", rounds.compose, stale, seed="2", keep=False)
    refused("not_a_draft", rounds.delete, stale)
    assert list(draft.seats.order_by("pk").values()) == seats


# --- Panels --------------------------------------------------------------------------------------


def test_the_composer_gives_every_prompt_its_panel(draft, annotators):
    assert compose(draft) == 3
    panels = queries.seats(draft)
    assert all(len(set(seats.values())) == 3 == len(seats) for seats in panels.values())
    assert queries.obstacles(draft) == []


def test_what_is_saved_is_what_the_preview_showed(draft, annotators):
    preview = round_panels.preview(draft, seed="7", keep=False)
    compose(draft, seed="7", keep=False)
    plan = round_plans.plan_of(draft, language="en")
    assert [line for line, _others in preview.people] == list(plan.people)


def test_the_composer_keeps_seats_that_were_set_by_hand(draft, annotators):
    p1 = draft.prompts.get(external_id="p1")
    set_seats(draft, {p1.pk: {2: annotators[3].pk}})
    compose(draft, keep=True)
    assert queries.seats(draft)[p1.pk][2] == annotators[3].pk
    refilled = {}
    for seed in "123456":
        compose(draft, seed=seed, keep=False)
        refilled[seed] = queries.seats(draft)[p1.pk][2]
    assert set(refilled.values()) != {annotators[3].pk}


def test_prompts_without_enough_readers_get_no_panel_and_say_why(project, draft, annotators):
    for member, language in zip(annotators, ["zh", "en", "en", "en"], strict=True):
        membership.set_languages(project, member.user, languages=[language], by=None, now=NOW)
    make_response(make_prompt(project, "zh1", language="zh-Hans", text="写一座桥。"), text="桥很长。")
    rounds.choose(draft, Filters(), by=None, now=NOW)
    preview = round_panels.preview(draft, seed="1", keep=True)
    assert [(gap.reason, gap.names) for gap in preview.gaps] == [
        ("only 1 of the 3 annotators needed read zh", ("zh1",))
    ]
    assert compose(draft) == preview.covered == 3
    assert queries.without_panel(draft) == ["zh1"]


def test_seats_are_set_by_hand(draft, annotators):
    p1, p2 = draft.prompts.order_by("external_id")[:2]
    set_seats(
        draft, {p1.pk: {1: annotators[0].pk, 2: annotators[1].pk, 3: None}, p2.pk: {1: annotators[2].pk}}
    )
    set_seats(draft, {p1.pk: {1: annotators[3].pk, 2: None, 3: None}})
    assert queries.seats(draft) == {p1.pk: {1: annotators[3].pk}, p2.pk: {1: annotators[2].pk}}


@pytest.mark.parametrize("fault", ["twice", "lead", "stranger", "left", "from a file"])
def test_nobody_sits_where_they_cannot(project, draft, annotators, lead, fault):
    first = annotators[0]
    prompt = draft.prompts.first().pk
    if fault == "left":
        membership.end(first, by=None, now=NOW)
    if fault == "from a file":
        first.external_id = "#1"
        first.save(update_fields=["external_id"])
        first.user.set_unusable_password()
        first.user.save(update_fields=["password"])
    other = {"lead": lead, "stranger": make_member(make_project())}.get(fault, first)
    seats = {1: first.pk, 2: first.pk} if fault == "twice" else {1: other.pk}
    code = "twice_on_a_panel" if fault == "twice" else "not_an_active_annotator"
    refused(code, rounds.seat, draft, {prompt: seats})
    assert not draft.seats.exists()
    set_seats(draft, {prompt: {1: annotators[1].pk}})


@pytest.mark.parametrize("seats", [{4: None}, {0: None}])
def test_there_are_no_seats_but_those_of_the_round(draft, annotators, seats):
    refused("round_changed", rounds.seat, draft, {draft.prompts.first().pk: seats})


def test_a_prompt_that_left_the_draft_has_no_seats_to_set(project, draft, annotators, material):
    refused("round_changed", rounds.seat, draft, {material.pk: {1: annotators[0].pk}})


def test_a_pool_has_no_panels(draft, annotators):
    rounds.change(draft, **settings(draft, assigning="pool"), by=None, now=NOW)
    refused("not_a_panel", rounds.compose, draft, seed="1", keep=True)
    refused("not_a_panel", rounds.seat, draft, {draft.prompts.first().pk: {1: annotators[0].pk}})


def test_who_waits_for_much_in_another_round_is_given_less(project, draft, annotators):
    busy = annotators[0]
    for number in range(4):
        prompt = make_prompt(project, f"long{number}", genre=project.genres.last())
        make_response(prompt, text="word " * 2000)
    other = make_draft(project, "Other", Filters(genres=("poetry",)))
    rounds.change(other, **settings(other, annotators_per_response=2), by=None, now=NOW)
    set_seats(other, {prompt.pk: {1: busy.pk, 2: annotators[1].pk} for prompt in other.prompts.all()})
    rounds.open_draft(other, by=None, now=NOW)
    rounds.choose(draft, Filters(genres=("fiction",)), by=None, now=NOW)
    rounds.change(draft, **settings(draft, annotators_per_response=2), by=None, now=NOW)
    waiting = round_plans.still_to_read(project, apart_from=draft)
    assert set(waiting) == {busy.pk, annotators[1].pk}
    assert round(waiting[busy.pk] * 238) == 4 * (2000 + 4)
    compose(draft)
    assert set(draft.seats.values_list("annotator", flat=True)) == {annotators[2].pk, annotators[3].pk}


# --- Opening -------------------------------------------------------------------------------------


def test_opening_makes_a_slot_for_each_seat_of_each_response(draft, annotators):
    work = opened(draft, annotators)
    assert (work.state, work.opened_at) == ("open", NOW)
    assert work.assignments.count() == 6 * 3
    panels = queries.seats(work)
    for slot in work.assignments.select_related("response"):
        assert slot.reserved_for_id == panels[slot.response.prompt_id][slot.slot]


def test_opening_takes_the_newest_rubric(project, draft, annotators):
    newer = project.rubrics.create(version=2, created_at=NOW)
    assert opened(draft, annotators).rubric == newer


def test_removed_and_incoming_responses_get_no_slot(project, draft, annotators):
    removed = Response.objects.get(external_id="p1-r0")
    removed.state, removed.removed_at = "removed", NOW
    removed.save(update_fields=["state", "removed_at"])
    work = opened(draft, annotators)
    assert work.assignments.count() == 5 * 3
    assert not work.assignments.filter(response=removed).exists()


def test_an_incomplete_panel_keeps_the_round_shut_and_names_the_prompts(draft, annotators):
    compose(draft)
    p2 = draft.prompts.get(external_id="p2")
    draft.seats.filter(prompt=p2, seat=3).delete()
    message = refused("panel_incomplete", rounds.open_draft, draft)
    assert "p2" in message
    assert "p1" not in message
    draft.refresh_from_db()
    assert draft.state == "draft"
    assert not draft.assignments.exists()
    compose(draft)
    rounds.open_draft(draft, by=None, now=NOW)


def test_a_seat_of_somebody_who_has_left_is_an_empty_one(draft, annotators):
    compose(draft)
    membership.end(annotators[0], by=None, now=NOW)
    refused("panel_incomplete", rounds.open_draft, draft)
    assert compose(draft) == 3
    rounds.open_draft(draft, by=None, now=NOW)


def test_many_incomplete_panels_are_counted(project, annotators):
    for number in range(8):
        make_response(make_prompt(project, f"p{number}"))
    message = refused("panel_incomplete", rounds.open_draft, make_draft(project))
    assert "8 prompts" in message
    assert "p4 and 3 more" in message


def test_a_round_without_annotators_or_responses_is_not_opened(project, draft):
    rounds.change(draft, **settings(draft, assigning="pool"), by=None, now=NOW)
    refused("no_annotators", rounds.open_draft, draft)
    make_member(project)
    Response.objects.update(state="removed", removed_at=NOW)
    refused("no_responses", rounds.open_draft, draft)
    Response.objects.update(state="active", removed_at=None)
    rounds.open_draft(draft, by=None, now=NOW)


def test_a_pool_reserves_nothing(project, draft):
    make_member(project)
    rounds.change(draft, **settings(draft, assigning="pool"), by=None, now=NOW)
    draft.refresh_from_db()
    rounds.open_draft(draft, by=None, now=NOW)
    assert draft.assignments.count() == 6 * 3
    assert not draft.assignments.exclude(reserved_for=None).exists()


def test_open_round_is_a_pool_over_all_active_responses(project, material):
    work = make_round(project)
    assert (work.state, work.assigning) == ("open", "pool")
    assert names(work) == ["p1", "p2", "p3"]
    assert work.assignments.count() == 18
    assert actions() == ["round.opened"]


def test_a_round_of_two_thousand_responses_is_opened_in_bulk(project, annotators):
    for number in range(100):
        prompt = make_prompt(project, f"p{number:03}")
        Response.objects.bulk_create(
            Response(
                project=project,
                prompt=prompt,
                external_id=f"{prompt.external_id}-{place}",
                text="Nobody crossed it twice.",
                text_sha256="0" * 64,
                created_at=NOW,
            )
            for place in range(20)
        )
    draft = make_draft(project)
    with CaptureQueriesContext(connection) as composed:
        compose(draft)
    with CaptureQueriesContext(connection) as opening:
        rounds.open_draft(draft, by=None, now=NOW)
    assert draft.assignments.count() == 6000
    # SQLite takes some 140 rows at a time, PostgreSQL a thousand.
    assert (len(composed), len(opening)) < (40, 90)


def hold_late(monkeypatch):
    """The project's row comes free only when an undone import has taken its responses out of reach."""

    def hold(project):
        project.responses.filter(state="active").update(state="incoming")

    monkeypatch.setattr(rounds.seals, "hold", hold)


def test_what_an_undone_import_takes_away_meanwhile_gets_into_no_round(
    project, draft, annotators, monkeypatch
):
    compose(draft)
    hold_late(monkeypatch)
    refused("no_prompts", rounds.draft, project, "More", purpose="training", filters=Filters())
    refused("no_prompts", rounds.choose, draft, Filters())
    refused("no_responses", rounds.open_draft, draft)
    assert compose(draft, keep=False) == 0
    opened = rounds.open_round(project, "All", by=None, now=NOW)
    assert (opened.prompts.count(), opened.assignments.count()) == (0, 0)


def test_responses_that_are_being_imported_are_asked_about_by_no_round(project, draft, annotators):
    found = make_import(project, state="storing")
    make_response(project.prompts.get(external_id="p1"), "p1-coming", state="incoming", source=found)
    coming = make_response(make_prompt(project, "p5"), "p5-coming", state="incoming", source=found).prompt
    rounds.choose(draft, Filters(), by=None, now=NOW)
    assert coming.external_id not in names(draft)
    compose(draft)
    rounds.open_draft(draft, by=None, now=NOW)
    assert not draft.assignments.filter(response__state="incoming").exists()


# --- Transitions ---------------------------------------------------------------------------------


def test_a_round_goes_from_draft_to_lock_and_the_journal_says_so(draft, annotators):
    opened(draft, annotators)
    rounds.pause(draft, by=None, now=NOW)
    rounds.resume(draft, by=None, now=NOW)
    rounds.lock(draft, by=None, now=NOW)
    assert [action for action in actions() if action.startswith("round.")] == [
        "round.created",
        "round.panels_composed",
        "round.opened",
        "round.paused",
        "round.resumed",
        "round.locked",
    ]


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("draft", {"open_draft"}),
        ("open", {"pause", "lock"}),
        ("paused", {"resume", "lock"}),
        ("locked", set()),
    ],
)
def test_each_state_allows_its_transitions_alone(draft, annotators, state, allowed):
    compose(draft)
    times = {
        "draft": {},
        "open": {"opened_at": NOW},
        "paused": {"opened_at": NOW},
        "locked": {"opened_at": NOW, "locked_at": NOW},
    }[state]
    for name in ("open_draft", "pause", "resume", "lock"):
        Round.objects.filter(pk=draft.pk).update(
            state=state, **{"opened_at": None, "locked_at": None, **times}
        )
        Assignment.objects.all().delete()
        if name in allowed:
            getattr(rounds, name)(draft, by=None, now=NOW)
        else:
            with pytest.raises(DomainError):
                getattr(rounds, name)(draft, by=None, now=NOW)
            draft.refresh_from_db()
            assert draft.state == state


def test_locking_leaves_open_slots_as_they_are(draft, annotators):
    work = opened(draft, annotators)
    assignments.claim(annotators[0], work, now=NOW)
    before = list(work.assignments.order_by("pk").values("pk", "state"))
    rounds.lock(work, by=None, now=NOW)
    assert list(work.assignments.order_by("pk").values("pk", "state")) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("step", "code"),
    [("open_draft", "not_a_draft"), ("pause", "round_not_open"), ("lock", "round_not_open")],
)
def test_of_two_at_once_the_second_is_refused(step, code):
    project = make_project()
    for name in ("p1", "p2"):
        make_response(make_prompt(project, name))
    for _ in range(3):
        make_member(project)
    work = make_draft(project)
    compose(work)
    if step != "open_draft":
        rounds.open_draft(work, by=None, now=NOW)

    def attempt():
        try:
            getattr(rounds, step)(Round.objects.get(pk=work.pk), by=None, now=NOW)
        except DomainError as refusal:
            return refusal.code
        return "done"

    assert Counter(at_once([attempt] * 2)) == {"done": 1, code: 1}
    assert work.assignments.count() == 2 * 3


# --- A pause -------------------------------------------------------------------------------------


@pytest.fixture
def paused(draft, annotators):
    """A round that was paused while an annotator held a text."""
    work = opened(draft, annotators)
    member = work.seats.first().annotator
    lease = assignments.claim(member, work, now=NOW)
    rounds.pause(work, by=None, now=NOW)
    return work, member, lease


def test_a_paused_round_hands_out_nothing(paused):
    work, member, _lease = paused
    with pytest.raises(DomainError, match="is paused") as refusal:
        assignments.claim(member, work, now=NOW)
    assert refusal.value.code == "round_paused"
    rounds.resume(work, by=None, now=NOW)
    assert assignments.claim(member, work, now=NOW) is not None


def test_what_is_in_hand_is_taken_during_the_pause(paused):
    _work, _member, lease = paused
    later = NOW + assignments.LEASE + timedelta(hours=1)
    score = scoring.submit(lease, value=2, justification="Sound.", now=later)
    assert score.standing == "counted"
    lease.assignment.refresh_from_db()
    assert lease.assignment.state == "done"


def test_a_text_in_hand_is_still_there_after_the_pause(paused):
    work, member, lease = paused
    rounds.resume(work, by=None, now=NOW)
    assert assignments.claim(member, work, now=NOW + timedelta(days=2)) == lease


# --- Plans ---------------------------------------------------------------------------------------


@pytest.fixture
def measured(project):
    """One English prompt of 10 words with two responses of 238 words, one Chinese of 300 characters."""
    project.hourly_rate = 30
    project.save(update_fields=["hourly_rate"])
    english = make_prompt(project, "en1", text="one two three four five six seven eight nine ten")
    for number in range(2):
        make_response(english, f"en1-{number}", text="word " * 238)
    make_response(
        make_prompt(project, "zh1", language="zh", text="", genre=project.genres.last()), text="桥" * 300
    )
    return project


def test_the_plan_of_a_panel_is_what_all_seats_read(measured, annotators):
    draft = make_draft(measured)
    plan = round_plans.plan_of(draft, language="en")
    assert (plan.prompts, plan.responses, plan.asked.responses) == (2, 3, 9)
    assert (plan.asked.words, plan.asked.characters) == (3 * (10 + 476), 3 * 300)
    assert plan.time == "10 min"  # 6.1 and 3 minutes
    assert str(plan.cost) == "4.56"
    assert [(group.name, group.time) for group in plan.languages] == [
        ("Chinese", "3 min"),
        ("English", "7 min"),
    ]
    assert [group.name for group in plan.genres] == ["Poetry", "Without a genre"]
    assert plan.common_percent is None


def test_the_plan_says_what_each_annotator_reads(measured, annotators):
    draft = make_draft(measured)
    compose(draft)
    plan = round_plans.plan_of(draft, language="en")
    assert sum(line.asked.responses for line in plan.people) == plan.asked.responses
    assert {line.asked.prompts for line in plan.people} <= {0, 1, 2}
    opened_plan = round_plans.plan_of(opened(draft, annotators), language="en")
    assert opened_plan.people == plan.people


def test_the_plan_of_a_pool_is_shared_evenly_and_says_what_it_costs(measured, annotators):
    draft = make_draft(measured)
    rounds.change(draft, **settings(draft, assigning="pool"), by=None, now=NOW)
    draft.refresh_from_db()
    plan = round_plans.plan_of(draft, language="en")
    assert plan.asked.words == 3 * 476 + 4 * 10  # each of the four may be given a response of it
    assert (plan.annotators, plan.time, plan.share) == (4, "10 min", "3 min")
    assert plan.common_percent == 100  # of four who draw three, any two share two
    for _ in range(6):
        make_member(measured)
    assert round_plans.plan_of(draft, language="en").common_percent == 18  # (3 * 7 + 1) of 120


def test_a_language_that_nobody_reads_is_seen(measured, annotators):
    for member in annotators:
        membership.set_languages(measured, member.user, languages=["en"], by=None, now=NOW)
    readers = {
        group.name: group.readers
        for group in round_plans.plan_of(make_draft(measured), language="en").languages
    }
    assert readers == {"English": 4, "Chinese": 0}


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0, "0 min"),
        (59, "59 min"),
        (60, "1 h 00 min"),
        (125, "2 h 05 min"),
        (6030, "101 h"),
        (120_000, "2,000 h"),
    ],
)
def test_durations_are_said_as_people_say_them(minutes, said):
    assert round_plans.duration(minutes) == said


def test_accounts_that_nobody_signs_in_to_are_not_asked(project, annotators):
    switched_off = make_user("gone", is_active=False)
    membership.add(project, switched_off, role="annotator", by=None, now=NOW)
    from_file = membership.add(project, make_user("file"), role="annotator", by=None, now=NOW)
    from_file.external_id = "#2"
    from_file.save(update_fields=["external_id"])
    from_file.user.set_unusable_password()
    from_file.user.save(update_fields=["password"])
    assert [one.pk for one in queries.annotators(project)] == [one.pk for one in annotators]

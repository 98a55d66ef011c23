"""What people decide about flagged texts, and what becomes of it."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from annotation.domain import triage as checks
from annotation.errors import DomainError, Invalid
from annotation.models import Assigning, Flag, JournalEntry, Prompt, Response
from annotation.queries import triage as queries
from annotation.queries import triage_counts, triage_items
from annotation.services import assignments, rounds, scoring, seals, triage
from annotation.services.triage import Tally, Ticked
from curation.queries.material import live_scores, standing_responses
from curation.services import recipes, runs
from tests.factories import (
    NOW,
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    score_all,
)

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def prompt(project):
    return make_prompt(project, "p1", genre=project.genres.get(key="fiction"))


@pytest.fixture
def response(prompt):
    return make_response(prompt, "r1")


@pytest.fixture
def by(lead):
    return lead.user


def flag(about, check="refusal", *, raised_by=None, kind="", **columns):
    """A flag as a check raises it, or an annotator where there is one."""
    of_check = {"rules_version": 1, "detail": {"template": "seen: {evidence}", "values": {"evidence": "it"}}}
    return Flag.objects.create(
        project=about.project,
        raised_at=NOW,
        check_key="annotator" if raised_by else check,
        raised_by=raised_by,
        kind=kind,
        **{"response" if isinstance(about, Response) else "prompt": about},
        **({} if raised_by else of_check),
        **columns,
    )


def states(about):
    return dict(about.flags.values_list("check_key", "state"))


def journal(action):
    return JournalEntry.objects.get(action=action)


def refused(act, *given, **named):
    """The code with which it is refused, and that nothing was changed by it."""
    before = snapshot()
    with pytest.raises(DomainError) as refusal:
        act(*given, now=LATER, **named)
    assert snapshot() == before
    return refusal.value.code


def snapshot():
    return [list(model.objects.order_by("pk").values()) for model in (Response, Flag, JournalEntry)]


# --- Keeping -------------------------------------------------------------------------------------


def test_keeping_answers_all_flags_and_leaves_the_response(response, by):
    flag(response, "refusal")
    flag(response, "language")
    triage.keep(response, note="It is meant so.", by=by, now=NOW)
    response.refresh_from_db()
    assert response.state == "active"
    assert states(response) == {"refusal": "kept", "language": "kept"}
    assert set(response.flags.values_list("settled_by", "settled_at")) == {(by.pk, NOW)}
    entry = journal("response.kept")
    assert entry.actor == by
    assert entry.data == {
        "response": response.pk,
        "checks": ["language", "refusal"],
        "note": "It is meant so.",
    }


def test_a_flag_that_came_after_the_page_was_made_stays_open(response, annotator, by):
    seen = flag(response)
    later = flag(response, raised_by=annotator, kind="duplicate")
    triage.keep(response, seen=[seen.pk], by=by, now=NOW)
    seen.refresh_from_db()
    later.refresh_from_db()
    assert (seen.state, later.state) == ("kept", "open")
    assert journal("response.kept").data["checks"] == ["refusal"]


# --- Removing ------------------------------------------------------------------------------------


def test_a_removed_response_says_who_removed_it_when_and_why(response, by):
    flag(response, "exact_duplicate")
    triage.remove(response, kind="duplicate", reason="Of r0.", by=by, now=NOW)
    response.refresh_from_db()
    assert (response.state, response.removed_kind, response.removed_reason) == (
        "removed",
        "duplicate",
        "Of r0.",
    )
    assert (response.removed_by, response.removed_at) == (by, NOW)
    assert states(response) == {"exact_duplicate": "removed"}
    assert journal("response.removed").data == {
        "response": response.pk,
        "kind": "duplicate",
        "reason": "Of r0.",
        "checks": ["exact_duplicate"],
    }


def test_removing_answers_flags_that_came_later_too(response, annotator, by):
    seen = flag(response)
    flag(response, raised_by=annotator, kind="other")
    triage.remove(response, kind="other", seen=[seen.pk], by=by, now=NOW)
    assert states(response) == {"refusal": "removed", "annotator": "removed"}


def test_a_response_that_nobody_flagged_can_be_removed(response, by):
    triage.remove(response, kind="other", by=by, now=NOW)
    response.refresh_from_db()
    assert response.state == "removed"


def test_a_response_of_an_import_that_is_not_finished_cannot_be_removed(prompt, by):
    coming = make_import(prompt.project, state="storing")
    response = make_response(prompt, source=coming, state="incoming")
    assert refused(triage.remove, response, kind="other", by=by) == "not_active"


def test_an_unknown_kind_is_refused(response, by):
    with pytest.raises(Invalid):
        triage.remove(response, kind="boring", by=by, now=NOW)


# --- Two people at once --------------------------------------------------------------------------

FIRST_THEN_SECOND = [
    ("keep", "keep", "settled_already"),
    ("keep", "remove", "settled_already"),
    ("remove", "keep", "settled_already"),
    ("remove", "remove", "not_active"),
]


@pytest.mark.parametrize(("first", "second", "code"), FIRST_THEN_SECOND)
def test_the_second_of_two_who_saw_the_same_page_is_told(response, by, first, second, code):
    seen = [flag(response).pk]
    triage.decide(response, first, kind="other", seen=seen, by=by, now=NOW)
    assert refused(triage.decide, response, second, kind="duplicate", seen=seen, by=by) == code


def test_who_saw_that_it_was_kept_may_remove_it_later(response, by):
    flag(response)
    triage.keep(response, by=by, now=NOW)
    triage.remove(response, kind="other", by=by, now=LATER)
    assert states(response) == {"refusal": "kept"}


def test_there_is_nothing_to_keep_where_nothing_is_open(response, by):
    assert refused(triage.keep, response, by=by) == "settled_already"


def at_once(tasks):
    """Run the tasks in a thread each; the code of each refusal, "" where there was none."""

    def run(task):
        try:
            task()
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


@pytest.mark.django_db(transaction=True)
def test_of_many_who_decide_at_the_same_moment_one_is_heard(response, by):
    seen = [flag(response).pk, flag(response, "language").pk]
    decisions = ["keep", "remove"] * 4
    codes = at_once(
        [
            lambda decision=decision: triage.decide(
                response, decision, kind="other", seen=seen, by=by, now=NOW
            )
            for decision in decisions
        ]
    )
    assert codes.count("") == 1
    assert set(codes) <= {"", "settled_already", "not_active"}
    decided = decisions[codes.index("")]
    response.refresh_from_db()
    assert response.state == {"keep": "active", "remove": "removed"}[decided]
    assert set(states(response).values()) == {{"keep": "kept", "remove": "removed"}[decided]}
    assert JournalEntry.objects.filter(action__startswith="response.").count() == 1


@pytest.mark.django_db(transaction=True)
def test_pages_that_overlap_are_decided_on_without_a_deadlock(prompt, by):
    responses = [make_response(prompt) for _ in range(12)]
    ticked = [Ticked(one.pk, (flag(one).pk,)) for one in responses]

    def several(part, decision):
        return lambda: triage.decide_several(prompt.project, part, decision, kind="other", by=by, now=NOW)

    assert at_once([several(ticked[:9], "keep"), several(ticked[::-1][:9], "remove")]) == ["", ""]
    assert not Flag.objects.filter(state="open").exists()
    assert JournalEntry.objects.filter(action__startswith="response.").count() == 12


# --- Putting back --------------------------------------------------------------------------------


def test_a_response_is_put_back_and_the_journal_keeps_what_was(response, by):
    flag(response)
    triage.remove(response, kind="factual", reason="Rivers flow down.", by=by, now=NOW)
    triage.restore(response, reason="Not this one.", by=by, now=LATER)
    response.refresh_from_db()
    assert response.state == "active"
    assert (response.removed_by, response.removed_at) == (None, None)
    assert (response.removed_kind, response.removed_reason) == ("", "")
    assert states(response) == {"refusal": "removed"}  # as history
    assert journal("response.removed").data["reason"] == "Rivers flow down."
    entry = journal("response.restored")
    assert (entry.actor, entry.at) == (by, LATER)
    assert entry.data == {"response": response.pk, "kind": "factual", "reason": "Not this one."}


def test_the_second_who_puts_it_back_is_told(response, by):
    assert refused(triage.restore, response, by=by) == "not_removed"
    triage.remove(response, kind="other", by=by, now=NOW)
    triage.restore(response, by=by, now=NOW)
    assert refused(triage.restore, response, by=by) == "not_removed"


def test_a_response_can_be_removed_again_after_it_was_put_back(response, by):
    for kind in ("other", "duplicate"):
        triage.remove(response, kind=kind, by=by, now=NOW)
        triage.restore(response, by=by, now=NOW)
    assert JournalEntry.objects.filter(action="response.restored").count() == 2


@pytest.mark.parametrize(
    ("frozen_at", "stays"), [(None, False), (NOW - SECOND, False), (NOW, True), (NOW + SECOND, True)]
)
def test_a_removal_that_a_frozen_release_counts_is_never_taken_back(response, by, frozen_at, stays):
    triage.remove(response, kind="other", by=by, now=NOW)
    if frozen_at:
        seals.note_freeze(response.project, at=frozen_at)
    if stays:
        assert refused(triage.restore, response, by=by) == "sealed"
    else:
        triage.restore(response, by=by, now=LATER)
    response.refresh_from_db()
    response.project.refresh_from_db()
    assert (response.state == "removed") is stays
    assert bool(triage_items.response_item(response).removal) is stays
    if stays:
        assert "frozen release" in triage_items.response_item(response).removal.for_good


# --- What it means for the work ------------------------------------------------------------------


@pytest.fixture
def work(response):
    make_response(response.prompt, "r2")
    return make_round(response.project)


def test_a_removed_text_is_not_worked_on_further_and_a_late_score_is_not_lost(work, annotator, by):
    lease = assignments.claim(annotator, work, now=NOW)
    held = lease.assignment.response
    triage.remove(held, kind="other", by=by, now=NOW)
    scoring.submit(lease, value=2, justification="", now=NOW)
    assert held.scores.count() == 1
    following = assignments.claim(annotator, work, now=NOW)
    assert following.assignment.response != held
    scoring.submit(following, value=2, justification="", now=NOW)
    assert assignments.claim(annotator, work, now=NOW) is None


def test_a_score_is_not_lost_that_comes_after_another_text_was_taken(work, annotator, by):
    lease = assignments.claim(annotator, work, now=NOW)
    triage.remove(lease.assignment.response, kind="other", by=by, now=NOW)
    assert assignments.claim(annotator, work, now=NOW) != lease
    assert scoring.submit(lease, value=2, justification="", now=NOW).standing == "counted"
    triage.restore(lease.assignment.response, by=by, now=NOW)
    slots = work.assignments.filter(response=lease.assignment.response)
    assert sorted(slots.values_list("state", flat=True)) == ["done", "open", "open"]


def test_in_a_panel_a_seat_whose_holder_has_scored_nevertheless_is_not_asked_again(work, annotator, by):
    work.assigning = Assigning.PANEL
    work.save(update_fields=["assigning"])
    work.assignments.filter(slot=1).update(reserved_for=annotator)
    work.assignments.exclude(slot=1).update(reserved_for=make_member(work.project))
    lease = assignments.claim(annotator, work, now=NOW)
    held = lease.assignment.response
    triage.remove(held, kind="other", by=by, now=NOW)
    assignments.claim(annotator, work, now=NOW)
    assert scoring.submit(lease, value=2, justification="", now=NOW).standing == "surplus"
    triage.restore(held, by=by, now=NOW)
    slots = work.assignments.filter(response=held)
    assert sorted(slots.values_list("state", flat=True)) == ["open", "open", "void"]


def test_put_back_it_is_asked_about_again_also_of_who_held_it(work, annotator, by):
    held = assignments.claim(annotator, work, now=NOW).assignment.response
    triage.remove(held, kind="other", by=by, now=NOW)
    assert assignments.claim(annotator, work, now=NOW).assignment.response != held
    assert work.assignments.filter(response=held, state="void").count() == 1
    triage.restore(held, by=by, now=NOW)
    assert set(work.assignments.filter(response=held).values_list("state", "annotator")) == {("open", None)}
    scoring.submit(assignments.claim(annotator, work, now=NOW), value=1, justification="", now=NOW)
    assert assignments.claim(annotator, work, now=NOW).assignment.response == held


def test_slots_that_went_to_another_round_stay_there(work, response, by):
    work.assignments.filter(response=response).update(state="void")
    triage.remove(response, kind="other", by=by, now=NOW)
    triage.restore(response, by=by, now=NOW)
    assert set(work.assignments.filter(response=response).values_list("state", flat=True)) == {"void"}


def test_the_slots_of_a_locked_round_stay_as_they_are(work, annotator, by):
    held = assignments.claim(annotator, work, now=NOW).assignment.response
    triage.remove(held, kind="other", by=by, now=NOW)
    assignments.claim(annotator, work, now=NOW)
    rounds.lock(work, by=None, now=NOW)
    triage.restore(held, by=by, now=NOW)
    assert work.assignments.filter(response=held, state="void").count() == 1


def test_curation_counts_a_removed_response_and_forms_no_candidate_of_it(project, prompt, by):
    names = [make_member(project, "annotator", name).user.username for name in ("ann", "ben", "cat")]
    marks = {"good": 3, "weak": 1, "poor": 0}
    for name in marks:
        make_response(prompt, name)
    score_all(make_round(project), {(one, name): marks[one] for one in marks for name in names})
    poor = Response.objects.get(external_id="poor")
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)

    def funnel():
        run = runs.request(project, recipe=recipe, by=None, now=LATER)
        runs.execute(run.pk, clock=lambda: LATER)
        run.refresh_from_db()
        return run.funnel["removed"], run.funnel["candidates"], run.funnel["accepted"]

    assert funnel() == (0, 3, 3)
    triage.remove(poor, kind="truncated", by=by, now=NOW)
    rows, removed = standing_responses(project)
    assert (set(rows), removed) == ({"good", "weak"}, 1)
    assert {score.response_id for score in live_scores(project)} == {"good", "weak"}
    assert poor.scores.count() == 3
    assert funnel() == (1, 1, 1)
    triage.restore(poor, by=by, now=LATER)
    assert standing_responses(project)[1] == 0
    assert funnel() == (0, 3, 3)


# --- Prompts -------------------------------------------------------------------------------------


@pytest.fixture
def placeholder(project):
    found = make_prompt(project, "p-slash", text="/")
    flag(found, "placeholder_prompt")
    for name in ("s1", "s2", "s3"):
        make_response(found, name)
    flag(Response.objects.get(external_id="s1"))
    return found


def test_a_flagged_prompt_is_kept_and_its_responses_with_it(placeholder, by):
    triage.keep_prompt(placeholder, note="A riddle.", by=by, now=NOW)
    assert states(placeholder) == {"placeholder_prompt": "kept"}
    assert not Response.objects.filter(state="removed").exists()
    assert states(Response.objects.get(external_id="s1")) == {"refusal": "open"}
    assert journal("prompt.kept").data == {
        "prompt": placeholder.pk,
        "checks": ["placeholder_prompt"],
        "note": "A riddle.",
    }


def test_all_responses_to_a_prompt_are_removed_in_one_act(placeholder, response, by):
    first = Response.objects.get(external_id="s3")
    triage.remove(first, kind="factual", by=by, now=NOW - SECOND)
    removed = triage.remove_responses(placeholder, kind="prompt_violation", reason="No task.", by=by, now=NOW)
    assert removed == 2
    kinds = Response.objects.filter(prompt=placeholder).values_list("external_id", "state", "removed_kind")
    assert sorted(kinds) == [
        ("s1", "removed", "prompt_violation"),
        ("s2", "removed", "prompt_violation"),
        ("s3", "removed", "factual"),
    ]
    assert states(placeholder) == {"placeholder_prompt": "removed"}
    assert states(Response.objects.get(external_id="s1")) == {"refusal": "removed"}
    response.refresh_from_db()
    assert response.state == "active"
    entry = journal("prompt.responses_removed")
    assert (entry.data["kind"], entry.data["responses"], entry.data["reason"]) == (
        "prompt_violation",
        2,
        "No task.",
    )
    assert first.pk not in entry.data["removed"]


@pytest.mark.parametrize("first", ["keep", "remove"])
@pytest.mark.parametrize("second", ["keep", "remove"])
def test_the_second_who_decides_on_a_prompt_is_told(placeholder, by, first, second):
    seen = [placeholder.flags.get().pk]
    triage.decide_prompt(placeholder, first, kind="other", seen=seen, by=by, now=NOW)
    assert refused(triage.decide_prompt, placeholder, second, kind="other", seen=seen, by=by) == (
        "settled_already"
    )


def test_where_no_response_is_left_there_is_nothing_to_remove(placeholder, by):
    for one in placeholder.responses.all():
        triage.remove(one, kind="other", by=by, now=NOW)
    assert refused(triage.remove_responses, placeholder, kind="other", by=by) == "no_responses"


def test_a_prompt_cannot_be_put_back(placeholder, by):
    assert refused(triage.decide_prompt, placeholder, "restore", by=by) == "not_removed"


# --- Many at once --------------------------------------------------------------------------------


def test_what_was_decided_meanwhile_is_left_alone_and_counted(prompt, by):
    responses = [make_response(prompt) for _ in range(4)]
    ticked = [Ticked(one.pk, (flag(one).pk,)) for one in responses]
    triage.keep(responses[0], by=by, now=NOW)
    triage.remove(responses[1], kind="factual", by=by, now=NOW)
    tally = triage.decide_several(prompt.project, ticked, "remove", kind="other", by=by, now=LATER)
    assert tally == Tally(done=2, before=2)
    kinds = Response.objects.order_by("pk").values_list("removed_kind", flat=True)
    assert list(kinds) == ["", "factual", "other", "other"]


def test_without_a_kind_each_is_removed_as_its_flags_propose(prompt, annotator, by):
    found = {name: make_response(prompt, name) for name in ("echo", "language", "said", "unsure")}
    flag(found["echo"], "prompt_echo")
    flag(found["language"], "language")
    flag(found["said"], "language")
    flag(found["said"], raised_by=annotator, kind="factual")
    flag(found["unsure"], "odd_characters")
    ticked = [Ticked(one.pk, tuple(one.flags.values_list("pk", flat=True))) for one in found.values()]
    assert triage.decide_several(prompt.project, ticked, "remove", by=by, now=NOW) == Tally(done=4)
    assert dict(Response.objects.values_list("external_id", "removed_kind")) == {
        "echo": "prompt_violation",
        "language": "wrong_language",
        "said": "factual",
        "unsure": "other",
    }


def test_responses_of_another_project_are_not_touched(response, by):
    other = make_response(make_prompt(make_project()))
    ticked = [Ticked(other.pk, (flag(other).pk,)), Ticked(response.pk, (flag(response).pk,))]
    for decision in ("keep", "remove"):
        triage.decide_several(response.project, ticked, decision, kind="other", by=by, now=NOW)
    other.refresh_from_db()
    assert other.state == "active"
    assert states(other) == {"refusal": "open"}


def test_many_are_put_back_but_for_those_that_a_release_counts(prompt, by):
    old, new = make_response(prompt), make_response(prompt)
    triage.remove(old, kind="other", by=by, now=NOW)
    seals.note_freeze(prompt.project, at=NOW)
    triage.remove(new, kind="other", by=by, now=NOW + SECOND)
    ticked = [Ticked(old.pk), Ticked(new.pk)]
    tally = triage.decide_several(prompt.project, ticked, "restore", by=by, now=LATER)
    assert tally == Tally(done=1, sealed=1)


def test_more_than_a_hundred_at_once_are_refused(project, by):
    ticked = [Ticked(number) for number in range(101)]
    with pytest.raises(Invalid) as refusal:
        triage.decide_several(project, ticked, "keep", by=by, now=NOW)
    assert refusal.value.code == "too_many"


# --- What is proposed ----------------------------------------------------------------------------

PROPOSED = {
    "finish_reason": "truncated",
    "provider_error": "truncated",
    "empty": "truncated",
    "refusal": "prompt_violation",
    "tell_tale.self_reference": "identity_leak",
    "tell_tale.model_name": "identity_leak",
    "tell_tale.think_tag": "identity_leak",
    "tell_tale.role_label": "identity_leak",
    "language": "wrong_language",
    "repetition": "other",
    "prompt_echo": "prompt_violation",
    "odd_characters": "other",
    "exact_duplicate": "duplicate",
    "near_duplicate": "duplicate",
    "placeholder_prompt": "prompt_violation",
}


def test_every_check_proposes_a_kind():
    found = {check.key: triage_items.proposed_kind([Flag(check_key=check.key)]) for check in checks.CHECKS}
    assert found == PROPOSED


def test_what_an_annotator_says_goes_before_what_a_check_says():
    flags = [Flag(check_key="language"), Flag(check_key="annotator", kind="factual")]
    assert triage_items.proposed_kind(flags) == "factual"


# --- The order of the queue ----------------------------------------------------------------------


def names(project, wanted=None, start=None):
    page = queries.page(project, wanted or queries.Filter(), start)
    return [item.name for item in triage_items.items(project, page.places)]


@pytest.fixture
def queue(project):
    """Two imports and some material that came without one."""
    older, newer = make_import(project), make_import(project)
    prompt = make_prompt(project, "p-old", source=older, language="en")
    chinese = make_prompt(
        project, "p-new", source=newer, language="zh", genre=project.genres.get(key="poetry")
    )
    flag(make_response(make_prompt(project, "p-none", language=""), "by-command"))
    flag(make_response(prompt, "old-one", source=older))
    twice = make_response(prompt, "old-two", source=older)
    flag(twice)
    flag(twice, "language")
    flag(make_response(chinese, "new-one", source=newer))
    flag(chinese, "placeholder_prompt")
    return project


def test_the_newest_import_comes_first_and_in_it_what_has_most_flags(queue):
    assert names(queue) == ["p-new", "new-one", "old-two", "old-one", "by-command"]


def test_flags_that_are_answered_lift_nothing(queue, by):
    twice = Response.objects.get(external_id="old-two")
    triage.keep(twice, by=by, now=NOW)
    flag(twice, "prompt_echo")
    assert names(queue) == ["p-new", "new-one", "old-one", "old-two", "by-command"]


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({"raised": "language"}, ["old-two"]),
        ({"raised": "placeholder_prompt"}, ["p-new"]),
        ({"raised": "annotator"}, []),
        ({"raised": "check"}, ["p-new", "new-one", "old-two", "old-one", "by-command"]),
        ({"language": "zh"}, ["p-new", "new-one"]),
        ({"language": "-"}, ["by-command"]),
        ({"genre": "poetry"}, ["p-new", "new-one"]),
        ({"genre": "poetry", "language": "en"}, []),
        ({"state": "kept"}, []),
        ({"state": "removed"}, []),
        ({"state": "all"}, ["p-new", "new-one", "old-two", "old-one", "by-command"]),
    ],
)
def test_the_filter_shows_what_it_says(queue, wanted, shown):
    assert names(queue, queries.Filter(**wanted)) == shown


def test_a_category_takes_its_types_in(queue):
    poetry = queue.genres.get(key="poetry")
    sonnet = poetry.types.create(project=queue, key="sonnet", name_en="Sonnet", position=9)
    Prompt.objects.filter(external_id="p-old").update(genre=sonnet)
    assert set(names(queue, queries.Filter(genre="poetry"))) == {"p-new", "new-one", "old-two", "old-one"}
    assert set(names(queue, queries.Filter(genre="sonnet"))) == {"old-two", "old-one"}


def test_a_variant_of_a_language_is_that_language(queue):
    Prompt.objects.filter(external_id="p-new").update(language="zh-Hant")
    assert names(queue, queries.Filter(language="zh")) == ["p-new", "new-one"]


def test_each_state_shows_what_is_in_it(queue, annotator, by):
    found = {one.external_id: one for one in Response.objects.all()}
    flag(found["old-one"], raised_by=annotator, kind="factual")
    triage.keep(found["new-one"], by=by, now=NOW)
    triage.remove(found["old-two"], kind="other", by=by, now=NOW)
    triage.remove_responses(Prompt.objects.get(external_id="p-new"), kind="other", by=by, now=NOW)
    unflagged = make_response(Prompt.objects.get(external_id="p-old"), "unflagged")
    triage.remove(unflagged, kind="other", by=by, now=NOW)
    assert names(queue) == ["old-one", "by-command"]
    assert names(queue, queries.Filter(state="kept")) == []
    assert set(names(queue, queries.Filter(state="removed"))) == {"p-new", "new-one", "old-two", "unflagged"}
    assert names(queue, queries.Filter(state="removed", raised="language")) == ["old-two"]
    assert names(queue, queries.Filter(raised="annotator")) == ["old-one"]
    assert len(names(queue, queries.Filter(state="all"))) == 6
    triage.restore(unflagged, by=by, now=NOW)
    triage.restore(found["old-two"], by=by, now=NOW)
    assert names(queue, queries.Filter(state="kept")) == ["old-two"]
    assert "unflagged" not in names(queue, queries.Filter(state="all"))


def test_material_of_an_import_under_way_is_not_there(queue):
    for state in ("storing", "undoing"):
        found = make_import(queue, state=state)
        coming = make_prompt(queue, source=found)
        flag(coming, "placeholder_prompt")
        flag(make_response(coming, source=found, state="incoming" if state == "storing" else "active"))
    for state in queries.STATES:
        assert len(names(queue, queries.Filter(state=state))) in (0, 5)
    assert triage_counts.counts(queue).responses == 4
    assert sum(line.flagged for line in triage_counts.counts(queue).checks) == 6


def test_another_projects_flags_are_not_there(queue):
    flag(make_response(make_prompt(make_project("elsewhere"))))
    assert len(names(queue)) == 5
    assert sum(line.flagged for line in triage_counts.counts(queue).checks) == 6


# --- Pages ---------------------------------------------------------------------------------------


@pytest.fixture
def many(project, prompt):
    """Sixty responses, some with two flags; prompts in between."""
    for number in range(60):
        one = make_response(prompt, f"r{number:02d}")
        flag(one)
        if number % 3 == 0:
            flag(one, "language")
    for number in range(4):
        flag(make_prompt(project, f"q{number}"), "placeholder_prompt")
    return project


def test_pages_lose_nothing_and_show_nothing_twice(many):
    seen, start = [], None
    while True:
        page = queries.page(many, queries.Filter(), start)
        seen += page.places
        if page.next is None:
            break
        start = page.next
    assert len(seen) == len(set(seen)) == 64
    assert seen == sorted(seen)


def test_the_way_back_leads_over_the_same_pages(many):
    first = queries.page(many, queries.Filter(), None)
    second = queries.page(many, queries.Filter(), first.next)
    assert queries.page(many, queries.Filter(), second.previous).places == first.places
    assert first.previous is None


def test_decisions_on_a_page_move_nothing_that_comes_after(many, by):
    first = queries.page(many, queries.Filter(), None)
    following = queries.page(many, queries.Filter(), first.next).places
    for place in first.places[:10]:
        triage.keep(Response.objects.get(pk=place.pk), by=by, now=NOW)
    assert queries.page(many, queries.Filter(), first.next).places == following
    assert queries.page(many, queries.Filter(), first.places[0]).places[0] == first.places[10]


def test_a_place_is_read_as_it_was_written():
    place = queries.Place(-12, -3, True, 345)
    assert queries.read_place(str(place)) == place
    for text in ("", "12-3-x-4", "a", "1-1-r-1; drop", "9" * 19 + "-1-r-1", "-1-1-r-1"):
        assert queries.read_place(text) is None


# --- The counts ----------------------------------------------------------------------------------


def test_the_counts_are_those_of_the_rows(many, annotator, by):
    found = {one.external_id: one for one in Response.objects.all()}
    flag(found["r01"], raised_by=annotator, kind="factual")
    for name in ("r00", "r01", "r02"):
        triage.remove(found[name], kind="duplicate", by=by, now=NOW)
    triage.remove(found["r03"], kind="other", by=by, now=NOW)
    triage.keep(found["r04"], by=by, now=NOW)
    triage.restore(found["r02"], by=by, now=LATER)
    counts = triage_counts.counts(many)
    by_key = {line.key: (line.flagged, line.kept, line.removed, line.open) for line in counts.checks}
    assert by_key == {
        "refusal": (60, 2, 3, 55),
        "language": (20, 0, 2, 18),
        "placeholder_prompt": (4, 0, 0, 4),
        "annotator": (1, 0, 1, 0),
    }
    assert (counts.responses, counts.removed) == (60, 3)
    assert counts.percent == pytest.approx(5)
    assert dict(counts.kinds) == {"Duplicate": 2, "Other": 1}


def test_the_counts_agree_with_the_queue_after_many_decisions(many, by):
    for number, one in enumerate(Response.objects.order_by("pk")):
        if number % 4:
            seen = list(one.flags.values_list("pk", flat=True))
            decision = ("keep", "remove", "remove")[number % 3]
            triage.decide(one, decision, kind="other", seen=seen, by=by, now=NOW)
    counts = triage_counts.counts(many)
    shown = Counter(
        place.is_response for place in queries.page(many, queries.Filter(state="removed"), None).places
    )
    assert all(line.flagged == line.kept + line.removed + line.open for line in counts.checks)
    assert counts.removed == Response.objects.filter(state="removed").count()
    assert shown[True] == min(counts.removed, queries.ITEMS_A_PAGE)


def test_a_project_without_responses_has_no_share(project):
    counts = triage_counts.counts(project)
    assert (counts.checks, counts.kinds, counts.responses, counts.removed, counts.percent) == (
        (),
        (),
        0,
        0,
        0,
    )

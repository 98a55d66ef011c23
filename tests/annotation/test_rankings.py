"""Taking a ranking: whole or not at all, nothing lost, nothing doubled, nothing altered."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Draft, JournalEntry, RankedResponse, Ranking, Round
from annotation.queries import rankings as queries
from annotation.services import membership, rankings, rounds
from annotation.services.leases import LEASE
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.ranking_rounds import hand_out, make_ranking_round, make_set, tiers

pytestmark = pytest.mark.django_db
LATER = NOW + LEASE + timedelta(seconds=1)


@pytest.fixture
def prompt(project):
    return make_set(project, 4)


@pytest.fixture
def work(project, prompt):
    return make_ranking_round(project)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


def submit(lease, order="A > B = C > D", justification="B and C tie.", now=NOW, **more):
    return rankings.submit(lease, tiers=tiers(order), justification=justification, now=now, **more)


def revise(lease, order, based_on, justification="B and C tie."):
    return rankings.revise(lease, tiers=tiers(order), justification=justification, based_on=based_on, now=NOW)


def refused(kind, call):
    with pytest.raises(kind) as refusal:
        call()
    return refusal.value.code


# --- Storing -------------------------------------------------------------------------------------


def test_it_stores_the_order_with_what_was_shown_as_what(lease, work, annotator):
    ranking = submit(lease, unread=["D"])
    meant = dict(zip("ABCD", queries.texts_of(lease, None), strict=True))
    stored = RankedResponse.objects.filter(ranking=ranking).order_by("shown")
    assert [(row.response, row.tier, row.shown, row.was_read) for row in stored] == [
        (meant["A"], 1, 1, True),
        (meant["B"], 2, 2, True),
        (meant["C"], 2, 3, True),
        (meant["D"], 3, 4, False),
    ]
    assert (ranking.revision, ranking.standing, ranking.at) == (1, "counted", NOW)
    assert JournalEntry.objects.filter(action="ranking.submitted", actor=annotator.user).count() == 1
    lease.assignment.refresh_from_db()
    assert lease.assignment.state == "done"


def test_the_draft_goes_with_the_submit(lease):
    Draft.objects.create(lease=lease, content={"rank-A": "1"}, saved_at=NOW)
    submit(lease)
    assert not Draft.objects.exists()


def test_the_same_ranking_twice_is_one(lease):
    first = submit(lease)
    assert submit(lease, "A > C = B > D", now=LATER) == first
    assert (Ranking.objects.count(), RankedResponse.objects.count()) == (1, 4)


@pytest.mark.parametrize(
    ("order", "why"), [("B > A = C > D", "B and C tie."), ("A > B = C > D", "Other words.")]
)
def test_another_ranking_of_the_same_texts_is_refused_and_the_first_stands(lease, order, why):
    submit(lease)
    assert refused(DomainError, lambda: submit(lease, order, why)) == "already_ranked"
    [stored] = Ranking.objects.all()
    assert (queries.tiers_of(stored), stored.justification) == (tiers("A > B = C > D"), "B and C tie.")


@pytest.mark.parametrize(
    ("order", "code"),
    [
        ("A > B = C", "unranked"),
        ("A > B = C > D > E", "unknown_text"),
        ("A > B = C > D > A", "ranked_twice"),
        ("A > B = A > C > D", "ranked_twice"),
    ],
)
def test_what_is_no_order_of_all_the_texts_is_refused_and_nothing_is_stored(lease, order, code):
    assert refused(Invalid, lambda: submit(lease, order)) == code
    assert not Ranking.objects.exists()
    lease.assignment.refresh_from_db()
    assert lease.assignment.state == "leased"


def test_ties_are_taken_only_where_the_round_allows_them(work, annotator):
    Round.objects.filter(pk=work.pk).update(ties_allowed=False)
    work.refresh_from_db()
    lease = hand_out(annotator, work)
    assert refused(Invalid, lambda: submit(lease)) == "ties_not_allowed"
    assert submit(lease, "D > C > B > A").pk


def test_it_asks_for_as_much_justification_as_the_project_does(project, prompt, annotator):
    project.justification_minimum = 3
    project.save(update_fields=["justification_minimum"])
    lease = hand_out(annotator, make_ranking_round(project))
    with pytest.raises(Invalid, match="at least 3 words about what decided the order"):
        submit(lease, justification="Too short")
    assert submit(lease, justification="Now long enough").pk


def test_it_counts_a_chinese_justification_in_characters(project, annotator):
    chinese = make_prompt(project, language="zh", text="写一座桥。")
    for number in range(2):
        make_response(chinese, text=f"桥很长，没有人走第{number}次。")
    project.justification_minimum = 4
    project.save(update_fields=["justification_minimum"])
    lease = hand_out(annotator, make_ranking_round(project))
    with pytest.raises(Invalid, match="4 characters"):
        submit(lease, "A > B", "太短了")
    assert submit(lease, "A > B", "结尾有力").pk


def test_an_order_of_texts_that_changed_meanwhile_is_refused(lease, prompt):
    meant = queries.shown(lease, queries.texts_of(lease, None))
    prompt.responses.filter(pk=queries.texts_of(lease, None)[1].pk).update(state="removed", removed_at=NOW)
    assert refused(DomainError, lambda: submit(lease, "A > B > C", shown=meant)) == "texts_changed"
    meant = queries.shown(lease, queries.texts_of(lease, None))
    assert submit(lease, "A > B > C", shown=meant).responses.count() == 3


def test_removed_and_unfinished_texts_are_not_ranked(lease, prompt):
    make_response(prompt, state="removed", removed_at=NOW)
    assert len(queries.texts_of(lease, None)) == 4


# --- Late, closed, left --------------------------------------------------------------------------


def test_a_late_ranking_counts_while_a_slot_of_the_prompt_is_free(lease):
    assert submit(lease, now=LATER).standing == "counted"


def test_a_late_ranking_is_kept_as_surplus_when_others_have_filled_the_slots(lease, work, project):
    work.assignments.exclude(pk=lease.assignment_id).update(state="void")
    other = make_member(project)
    taken = hand_out(other, work, now=LATER)
    submit(taken, now=LATER)
    late = submit(lease, "D > C > B > A", "Written for an hour.", now=LATER)
    assert (late.standing, late.justification) == ("surplus", "Written for an hour.")
    assert queries.tiers_of(late) == tiers("D > C > B > A")
    lease.assignment.refresh_from_db()
    assert lease.assignment.annotator == other


def test_nothing_is_taken_once_the_round_is_locked(lease, work):
    rounds.lock(work, by=None, now=NOW)
    assert refused(DomainError, lambda: submit(lease)) == "round_not_open"
    assert not Ranking.objects.exists()


def test_who_takes_no_part_submits_nothing(lease, annotator, lead):
    membership.pause(annotator, by=lead.user, now=NOW)
    assert refused(NotAllowed, lambda: submit(lease)) == "not_an_active_annotator"


def test_a_prompt_of_which_less_than_two_texts_are_left_is_not_ranked(lease, prompt):
    keep = prompt.responses.first()
    prompt.responses.exclude(pk=keep.pk).update(state="removed", removed_at=NOW)
    assert refused(DomainError, lambda: submit(lease, "A")) == "withdrawn"
    prompt.responses.update(state="removed", removed_at=NOW)
    assert (
        refused(DomainError, lambda: rankings.submit(lease, tiers=(), justification="", now=NOW))
        == "withdrawn"
    )
    assert not Ranking.objects.exists()


# --- A change of mind ----------------------------------------------------------------------------


def test_a_change_of_mind_is_a_new_revision_and_the_first_stays(lease):
    first = submit(lease, unread=["D"])
    second = revise(lease, "D > A > B > C", based_on=1)
    assert (second.revision, second.assignment, second.standing) == (2, first.assignment, "counted")
    assert queries.tiers_of(first) == tiers("A > B = C > D")
    assert queries.tiers_of(queries.current(lease)) == tiers("D > A > B > C")
    assert JournalEntry.objects.filter(action="ranking.revised").count() == 1


def test_the_same_change_twice_is_one_and_no_change_is_none(lease):
    submit(lease)
    assert revise(lease, "A > B = C > D", based_on=1).revision == 1
    second = revise(lease, "D > A > B > C", based_on=1)
    assert revise(lease, "D > A > B > C", based_on=1) == second
    assert Ranking.objects.count() == 2


def test_a_change_from_a_stale_page_is_refused(lease):
    submit(lease)
    revise(lease, "D > A > B > C", based_on=1)
    assert refused(DomainError, lambda: revise(lease, "C > A > B > D", based_on=1)) == "changed_elsewhere"
    assert Ranking.objects.count() == 2


def test_a_change_is_an_order_of_the_same_texts_though_one_was_removed(lease, prompt):
    first = submit(lease)
    prompt.responses.filter(pk=prompt.responses.first().pk).update(state="removed", removed_at=NOW)
    make_response(prompt)
    assert refused(Invalid, lambda: revise(lease, "D > A > B", based_on=1)) == "unranked"
    second = revise(lease, "D > A > B > C", based_on=1)
    meant = [dict(one.responses.values_list("shown", "response")) for one in (first, second)]
    assert meant[0] == meant[1]


def test_nothing_is_changed_once_the_round_is_locked_or_where_nothing_was_given(lease, work):
    assert refused(DomainError, lambda: revise(lease, "A > B > C > D", based_on=1)) == "nothing_to_change"
    submit(lease)
    rounds.lock(work, by=None, now=NOW)
    lease.assignment.round.refresh_from_db()
    assert refused(DomainError, lambda: revise(lease, "D > A > B > C", based_on=1)) == "round_not_open"


@pytest.mark.parametrize(
    ("rows", "column"), [(Ranking.objects, "revision"), (RankedResponse.objects, "tier")]
)
def test_the_database_refuses_to_alter_or_remove_a_ranking(lease, rows, column):
    submit(lease)
    with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
        rows.update(**{column: 7})
    with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
        rows.all()._raw_delete("default")


# --- The order in which texts are shown ----------------------------------------------------------


def test_letters_stay_for_one_annotator_and_differ_between_them(work, project, prompt):
    orders = Counter()
    for _ in range(40):
        member = make_member(project)
        work.assignments.update(state="open", annotator=None, leased_until=None)
        lease = hand_out(member, work)
        first = [one.pk for one in queries.texts_of(lease, None)]
        assert [one.pk for one in queries.texts_of(lease, None)] == first
        orders[first[0]] += 1
    assert len(orders) == 4  # each text is somebody's A

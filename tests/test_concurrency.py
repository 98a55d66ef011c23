"""Many people at once: never a fourth annotator, never the same text twice, nothing lost."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.db.models import Count

from annotation.errors import DomainError
from annotation.models import Assignment, Lease, Score
from annotation.services import assignments, category_votes, filling, preferences, rankings, scoring
from annotation.services.leases import LEASE
from tests import ranking_rounds, rounds_of_votes
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db(transaction=True)
ANNOTATORS = 6
TABS = 2
RESPONSES = 20


@pytest.fixture
def work():
    project = make_project()
    prompt = make_prompt(project)
    for _ in range(RESPONSES):
        make_response(prompt)
    return make_round(project)


@pytest.fixture
def project_of_kinds():
    """(lease, service, what is sent) of each kind of round beside scores."""
    project = make_project()
    prompt = ranking_rounds.make_set(project, 2)
    member, pair = make_member(project), tuple(prompt.responses.order_by("pk"))
    category = project.genres.filter(parent=None).first().key
    ranked = ranking_rounds.make_ranking_round(project)
    voted = rounds_of_votes.make_category_round(project, [prompt])
    paired = rounds_of_votes.make_pair_round(project, [pair], name="Pairs")
    words = {"justification": "Why."}
    return [
        (ranking_rounds.hand_out(member, ranked), rankings.submit, {"tiers": [["A"], ["B"]], **words}),
        (rounds_of_votes.hand_out(member, voted), category_votes.submit, {"category": category, **words}),
        (rounds_of_votes.hand_out(member, paired), preferences.submit, {"preferred": "a", **words}),
    ]


def at_once(tasks):
    """Run the tasks in a thread each and give back their results."""

    def run(task):
        try:
            return task()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


def test_every_response_gets_exactly_three_different_annotators(work):
    members = [make_member(work.project) for _ in range(ANNOTATORS)]

    def tab(member):
        def scoring_until_done():
            given = 0
            while lease := assignments.claim(member, work, now=NOW):
                scoring.submit(lease, value=2, justification="", now=NOW)
                given += 1
            return given

        return scoring_until_done

    at_once([tab(member) for member in members for _ in range(TABS)])
    filled = work.assignments.filter(state="done")
    assert filled.count() == 3 * RESPONSES
    by_response = Score.objects.values("response").annotate(n=Count("annotator", distinct=True))
    assert {row["n"] for row in by_response} == {3}
    assert Score.objects.filter(standing="counted").count() == 3 * RESPONSES == Score.objects.count()


def test_one_person_asking_many_times_at_once_holds_one_text(work):
    member = make_member(work.project)
    leases = at_once([lambda: assignments.claim(member, work, now=NOW)] * 8)
    assert len({lease.token for lease in leases}) == 1
    assert Assignment.objects.filter(state="leased").count() == Lease.objects.count() == 1


def claims_of_the_last_slot(work, people=16):
    """Whether each of them was given it, all asking at once."""
    last = work.assignments.first()
    work.assignments.exclude(pk=last.pk).update(state="void")
    members = [make_member(work.project) for _ in range(people)]
    leases = at_once([lambda member=member: assignments.claim(member, work, now=NOW) for member in members])
    return Counter(lease is not None for lease in leases)


def test_the_last_free_slot_goes_to_one_of_many(work):
    assert claims_of_the_last_slot(work) == {True: 1, False: 15}


def test_without_its_condition_the_last_free_slot_would_go_to_several(work, monkeypatch):
    """The negative control: the slot is taken whatever has become of it since it was read."""
    ready = Barrier(4, timeout=30)

    def wait(*given, **named):
        ready.wait()  # between the look and the take

    monkeypatch.setattr(assignments.mixing, "take", wait)

    def unguarded(*, slot, annotator, until, now):
        leased = {"state": "leased", "annotator": annotator, "leased_until": until}
        return Assignment.objects.filter(pk=slot).update(**leased)

    monkeypatch.setattr(assignments, "_lease", unguarded)
    assert claims_of_the_last_slot(work, people=4)[True] > 1


def four_submits_for_three_slots(work):
    """The standing of each: the lease of the first ran out, a fourth got the slot, and all submit at once."""
    work.assignments.exclude(response=work.assignments.first().response_id).update(state="void")
    leases = [assignments.claim(make_member(work.project), work, now=NOW) for _ in range(3)]
    later = NOW + LEASE
    work.assignments.filter(state="leased").exclude(pk=leases[0].assignment_id).update(
        leased_until=later + LEASE
    )
    leases.append(assignments.claim(make_member(work.project), work, now=later))
    assert leases[3].assignment_id == leases[0].assignment_id
    given = [
        lambda lease=lease: scoring.submit(lease, value=1, justification="", now=later) for lease in leases
    ]
    return Counter(score.standing for score in at_once(given))


def test_a_late_score_among_those_in_time_is_surplus_and_never_a_fourth(work):
    assert four_submits_for_three_slots(work) == {"counted": 3, "surplus": 1}
    assert work.assignments.filter(state="done").count() == 3


def test_without_its_condition_a_fourth_score_would_be_counted(work, monkeypatch):
    """The negative control: a slot is filled whatever its state."""

    def all_of_the_text(*, work, response, **rest):
        return list(Assignment.objects.filter(round=work, response=response))

    def unguarded(*, slot, annotator, **same):
        done = {"state": "done", "annotator": annotator, "leased_until": None}
        return Assignment.objects.filter(pk=slot).update(**done)

    monkeypatch.setattr(filling, "_open_to", all_of_the_text)
    monkeypatch.setattr(filling, "_fill", unguarded)
    assert four_submits_for_three_slots(work)["counted"] > 3


def test_the_same_form_sent_many_times_at_once_is_one_score(work):
    lease = assignments.claim(make_member(work.project), work, now=NOW)
    scores = at_once([lambda: scoring.submit(lease, value=3, justification="Once.", now=NOW)] * 8)
    assert len({score.pk for score in scores}) == 1
    assert Score.objects.get().standing == "counted"


def test_of_many_different_submits_under_one_lease_one_is_taken_and_the_rest_are_told(work):
    lease = assignments.claim(make_member(work.project), work, now=NOW)

    def submit(number):
        try:
            return scoring.submit(lease, value=number % 4, justification=f"Version {number}.", now=NOW)
        except DomainError as refusal:
            return refusal.code

    results = at_once([lambda number=number: submit(number) for number in range(16)])
    assert Counter(result for result in results if isinstance(result, str)) == {"already_scored": 15}
    assert Score.objects.count() == 1


def test_a_ranking_a_vote_and_a_choice_sent_many_times_at_once_are_one_each(project_of_kinds):
    for lease, submit, given in project_of_kinds:
        stored = at_once(
            [lambda lease=lease, submit=submit, given=given: submit(lease, **given, now=NOW)] * 6
        )
        assert len({each.pk for each in stored}) == 1
        assert type(stored[0]).objects.count() == 1
        assert lease.assignment.round.assignments.filter(state="done").count() == 1


def test_without_the_row_count_a_slot_would_be_taken_by_many(work):
    """The negative control: reading first and writing after lets several in."""
    slot = work.assignments.first()
    members = [make_member(work.project) for _ in range(8)]
    takers = []

    def naive(member):
        def take():
            if Assignment.objects.get(pk=slot.pk).state == "open":
                ready.wait()
                Assignment.objects.filter(pk=slot.pk).update(
                    state="done", annotator=member, leased_until=None
                )
                takers.append(member.pk)

        return take

    ready = Barrier(len(members), timeout=30)
    at_once([naive(member) for member in members])
    assert len(takers) > 1

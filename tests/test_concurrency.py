"""Many people at once: never a fourth annotator, never the same text twice, nothing lost."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.db.models import Count

from annotation.models import Assignment, Lease, Score
from annotation.services import assignments, scoring
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


def test_the_last_free_slot_goes_to_one_of_many(work):
    last = work.assignments.first()
    work.assignments.exclude(pk=last.pk).update(state="void")
    members = [make_member(work.project) for _ in range(8)]
    leases = at_once([lambda member=member: assignments.claim(member, work, now=NOW) for member in members])
    assert Counter(lease is not None for lease in leases) == {True: 1, False: 7}


def test_the_same_form_sent_many_times_at_once_is_one_score(work):
    lease = assignments.claim(make_member(work.project), work, now=NOW)
    scores = at_once([lambda: scoring.submit(lease, value=3, justification="Once.", now=NOW)] * 8)
    assert len({score.pk for score in scores}) == 1
    assert Score.objects.get().standing == "counted"


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

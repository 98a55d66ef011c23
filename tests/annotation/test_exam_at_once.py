"""The exam in several tabs, and several graders, at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from annotation.errors import DomainError
from annotation.models import Attempt, CritiqueGrade, JournalEntry, Passage
from annotation.services import critiques, exams
from tests.factories import NOW, make_member, make_project
from tests.sittings import TEXTS, answer, ask, candidate, grade_all, instructor_of, make_form, points, sat

pytestmark = pytest.mark.django_db(transaction=True)
TABS = 6


def at_once(tasks: list[Callable[[], object]]) -> list[object]:
    """Run the tasks in a thread each; a refusal is given back as its code."""

    def run(task: Callable[[], object]) -> object:
        try:
            return task()
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]


@pytest.fixture
def project():
    made = make_project()
    ask(made)
    return made


@pytest.fixture
def form(project):
    return make_form(project)


@pytest.fixture
def held(form, project):
    return candidate(make_member(project))


def test_many_tabs_that_start_have_one_attempt(held, form):
    attempts = at_once([lambda: exams.start(held, now=NOW)] * TABS)
    assert len(set(attempts)) == Attempt.objects.count() == 1
    assert form.assignments.count() == TEXTS


def test_many_candidates_who_start_one_form_have_slots_of_their_own(project, form):
    people = [candidate(make_member(project)) for _ in range(TABS)]
    at_once([lambda one=one: exams.start(one, now=NOW) for one in people])
    assert form.assignments.count() == TABS * TEXTS
    assert {one.annotator_id for one in people} == set(
        form.assignments.values_list("reserved_for", flat=True)
    )


def test_an_exam_finishes_once_however_many_look(held):
    attempt = exams.start(held, now=NOW)
    answer(attempt)
    at_once([lambda: exams.settle(Attempt.objects.get(pk=attempt.pk), now=NOW)] * TABS)
    assert JournalEntry.objects.filter(action="exam.finished").count() == 1
    assert Attempt.objects.get().state == "finished"


def test_the_last_grade_decides_once_while_others_look_and_start(project, held):
    attempt = sat(held)
    grader = instructor_of(project).user
    first, last = attempt.result["critiques"]
    critiques.grade(attempt, first, by=grader, points=points(2), comment="", now=NOW)

    def fresh() -> Attempt:
        return Attempt.objects.get(pk=attempt.pk)

    def grade() -> object:
        return critiques.grade(fresh(), last, by=grader, points=points(2), comment="", now=NOW)

    look = [lambda: exams.settle(fresh(), now=NOW), lambda: exams.start(held, now=NOW)]
    at_once([grade, grade, *look * 2])
    assert CritiqueGrade.objects.count() == 2
    assert Attempt.objects.get().state == "passed"
    assert Passage.objects.filter(qualification=held, to_stage="training").count() == 1


def test_of_two_who_would_be_the_only_grader_one_is(project, held):
    attempt = sat(held)
    response = attempt.result["critiques"][0]
    graders = [instructor_of(project, f"instructor{number}").user for number in range(4)]
    results = at_once(
        [
            lambda by=by: critiques.grade(
                Attempt.objects.get(pk=attempt.pk), response, by=by, points=points(1), comment="", now=NOW
            )
            for by in graders
        ]
    )
    assert results.count("graded_already") == 3
    assert CritiqueGrade.objects.count() == 1


def test_two_leads_who_decide_at_once_decide_once(project, held):
    attempt = sat(held, scores=lambda value: 3 - value)
    grade_all(attempt, instructor_of(project).user)
    leads = [make_member(project, "lead").user for _ in range(2)]
    results = at_once(
        [
            lambda by=by: exams.decide(
                Attempt.objects.get(pk=attempt.pk), passed=True, by=by, reason="Able", now=NOW
            )
            for by in leads
        ]
    )
    assert results.count("exam_decided") == 1
    assert Passage.objects.filter(qualification=held, to_stage="training").count() == 1

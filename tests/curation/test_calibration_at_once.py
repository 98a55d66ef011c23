"""Closing while others submit, close or open a second round at the same moment: once, and nothing unmeasured."""

from collections import Counter
from threading import Barrier

import pytest

from annotation.errors import DomainError
from annotation.models import CalibrationResult, Round, Score
from annotation.services import assignments, scoring
from annotation.services import calibration as services
from curation.services import calibration
from tests.calibrations import begun, make_texts, score_texts, take_part
from tests.factories import NOW, make_member, make_project
from tests.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("ann", "ben", "cat", "dan")


@pytest.fixture
def world():
    project = make_project()
    lead = make_member(project, "lead", "lea").user
    people = take_part(project, *NAMES)
    return begun(project, people, make_texts(project, 3), by=lead), people, lead


def outcome(act):
    """A task: "done", or the code with which it was refused."""

    def tried():
        try:
            act()
        except DomainError as refusal:
            return refusal.code
        return "done"

    return tried


def test_a_round_is_closed_once_and_its_second_round_opened_once(world):
    work, people, lead = world
    score_texts(work, people, lambda member, response: (member.pk + response.pk) % 4)
    tabs = [outcome(lambda: calibration.close(Round.objects.get(pk=work.pk), by=lead, now=NOW))] * 4
    assert Counter(at_once(tabs)) == {"done": 1, "already_closed": 3}
    assert CalibrationResult.objects.count() == 1 + len(people)
    tabs = [outcome(lambda: services.second_round(Round.objects.get(pk=work.pk), by=lead, now=NOW))] * 4
    assert Counter(at_once(tabs)) == {"done": 1, "second_round_exists": 3}


def test_what_is_counted_is_measured_however_close_the_close_came(world):
    work, people, lead = world
    leases = [assignments.claim(member, work, now=NOW) for member in people]
    start = Barrier(len(people) + 1)

    def submits(lease):
        def act():
            start.wait()
            scoring.submit(lease, value=1, justification="At the last moment.", now=NOW)

        return outcome(act)

    def closes():
        start.wait()
        calibration.close(work, reason="Now.", by=lead, now=NOW)

    results = at_once([*map(submits, leases), outcome(closes)])
    assert set(results) <= {"done", "round_not_open"}
    assert results[-1] == "done"
    counted = Score.objects.filter(round=work, standing="counted").count()
    group = CalibrationResult.objects.get(round=work, annotator=None)
    assert group.numbers["n_scores"] == counted
    assert CalibrationResult.objects.filter(round=work).count() == 1 + counted

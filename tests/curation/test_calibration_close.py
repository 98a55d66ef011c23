"""The close of a calibration: what is measured, from which scores, and how it is kept."""

import random
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.errors import Invalid
from annotation.models import CalibrationResult, Membership, Preparation, Response, Round
from annotation.queries import calibration_results, calibration_texts
from annotation.services import calibration as annotation_side
from annotation.services import calibration_gate
from curation.domain import against_rest
from curation.services import calibration
from tests.calibrations import begun, make_texts, score_texts, stage_of, take_part
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(project):
    return take_part(project, "ann", "ben", "cat")


@pytest.fixture
def texts(project):
    return make_texts(project, 8)


def merits(texts: list[Response], seed: int = 2) -> dict[int, int]:
    chance = random.Random(seed)
    return {text.pk: chance.randrange(4) for text in texts}


@pytest.fixture
def work(project, people, texts, lead):
    """Ann is severe by one point, Ben and Cat agree in everything."""
    found = begun(project, people, texts, by=lead.user)
    merit = merits(texts)
    score_texts(
        found,
        people,
        lambda member, response: max(merit[response.pk] - (member.user.username == "ann"), 0),
    )
    return found


def numbers(work: Round, member=None) -> dict:
    return CalibrationResult.objects.get(round=work, annotator=member).numbers


def test_the_close_keeps_what_the_domain_measures(work, people, lead):
    calibration.close(work, by=lead.user, now=NOW)
    judgements = [
        against_rest.Judgement(str(response), str(prompt), str(member), value)
        for response, prompt, member, value in work.scores.values_list(
            "response", "response__prompt", "annotator", "value"
        )
    ]
    assert numbers(work)["alpha"] == against_rest.group(judgements).alpha["ordinal"].as_dict()
    assert (numbers(work)["n_texts"], numbers(work)["n_scores"]) == (8, 24)
    for member in people:
        standing = against_rest.standings(judgements)[str(member.pk)]
        kept = numbers(work, member)
        assert kept["severity"]["value"] == standing.severity.value
        assert kept["alpha"] == standing.alpha.as_dict()
        assert kept["use"] == list(standing.use)
        assert kept["n"] == 8
    assert numbers(work, people[0])["severity"]["value"] < 0 < numbers(work, people[1])["severity"]["value"]


def test_scores_that_were_withdrawn_are_neither_measured_nor_shown(work, people, lead):
    Membership.objects.filter(pk=people[0].pk).update(state=Membership.State.WITHDRAWN)
    calibration.close(work, reason="Ann left.", by=lead.user, now=NOW)
    assert (numbers(work)["n_annotators"], numbers(work)["n_scores"]) == (2, 16)
    assert not CalibrationResult.objects.filter(round=work, annotator=people[0]).exists()
    assert {line.strips[0].count for line in calibration_texts.text_lines(work)} == {2}
    page = calibration_texts.text_page(work, 1)
    assert len(page.judges) == 2


def test_the_page_of_a_lead_reads_the_rows(work, people, lead, project, browser_of):
    calibration.close(work, by=lead.user, now=NOW)
    shown = calibration_results.people_results(work)
    assert shown[0].annotator == people[0]  # the most severe first
    page = reverse("calibration_round", args=[project.slug, work.pk])
    said = browser_of(lead).get(page).content.decode()
    assert f"{numbers(work)['alpha']['value']:.2f}" in said


def test_the_gate_is_the_projects_statistic_and_threshold(work, people, lead, project):
    Preparation.objects.create(project=project, gate_statistic="kappa_rest", gate_threshold=Decimal("0.95"))
    calibration.close(work, by=lead.user, now=NOW)
    gate = numbers(work, people[0])["gate"]
    assert (gate["statistic"], gate["threshold"]) == ("kappa_rest", "0.95")
    assert gate["value"] == numbers(work, people[0])["kappa"]
    assert gate["met"] is False


def test_whoever_agrees_passes_the_gate_and_whoever_does_not_waits(project, texts, lead):
    people = take_part(project, "ann", "ben", "cat", "dan")
    work = begun(project, people, texts, by=lead.user)
    merit, noise = merits(texts), merits(texts, seed=9)
    score_texts(
        work,
        people,
        lambda member, response: (noise if member.user.username == "dan" else merit)[response.pk],
    )
    calibration.close(work, by=lead.user, now=NOW)
    assert calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW) == 3
    assert [stage_of(member) for member in people] == ["active", "active", "active", "calibration"]


def test_texts_that_were_removed_are_not_measured(work, texts, lead):
    Response.objects.filter(pk=texts[0].pk).update(state="removed", removed_at=NOW)
    calibration.close(work, by=lead.user, now=NOW)
    assert (numbers(work)["n_texts"], numbers(work)["icc_texts"]) == (7, 7)


def test_whoever_scored_nothing_has_no_result_and_a_round_of_nobody_has_reasons(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    calibration.close(work, reason="Nobody came.", by=lead.user, now=NOW)
    assert work.calibration_results.count() == 1
    assert numbers(work)["alpha"]["reason"] == "empty"
    assert numbers(work)["icc"]["ICC2"]["reason"] == "fewer_than_two_units"


def test_a_score_that_comes_between_is_counted_or_refused_never_lost(project, people, texts, lead):
    """What is measured is read after the state has changed, within the same transaction."""
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1, least=1)
    seen = []

    def looks(found: Round):
        seen.append(Round.objects.values_list("state", flat=True).get(pk=found.pk))
        return calibration.measure(found)

    annotation_side.close(work, looks, reason="enough", by=lead.user, now=NOW)
    assert seen == ["locked"]
    assert numbers(work)["n_scores"] == work.scores.count() == 21


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_lead_closes_by_the_page_once(work, lead, project, browser_of, headers):
    page = reverse("calibration_close", args=[project.slug, work.pk])
    back = reverse("calibration_round", args=[project.slug, work.pk])
    client = browser_of(lead)
    assert client.get(page).url == back
    assert client.post(page, headers=headers).url == back
    assert client.post(page, headers=headers).status_code == 409
    assert work.calibration_results.count() == 4


def test_closing_early_by_the_page_wants_a_reason(project, people, texts, lead, browser_of):
    work = begun(project, people, texts, by=lead.user)
    page = reverse("calibration_close", args=[project.slug, work.pk])
    for reason in ("", "  ", "x" * 2001):
        refused = browser_of(lead).post(page, {"reason": reason})
        assert refused.status_code == 422
        assert 'id="reason-error"' in refused.content.decode()
    work.refresh_from_db()
    assert work.state == "open"
    assert browser_of(lead).post(page, {"reason": "Ben is ill."}).status_code == 302


def test_nobody_else_closes(work, people, project, stranger, browser_of):
    page = reverse("calibration_close", args=[project.slug, work.pk])
    outsider = make_member(make_project(), "lead", "leo")
    statuses = {people[0]: 403, make_member(project, "instructor", "ida"): 403, outsider: 404, stranger: 404}
    for person, status in statuses.items():
        assert browser_of(person).post(page, {"reason": "x"}).status_code == status
    assert not CalibrationResult.objects.exists()


def test_a_close_without_a_reason_is_refused_by_the_service_too(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    with pytest.raises(Invalid):
        calibration.close(work, by=lead.user, now=NOW)

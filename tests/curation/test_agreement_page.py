"""The page of agreement: a lead reads what a worker computed; nothing is computed on request."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from curation import tasks
from curation.domain.choice import Choice
from curation.models import Report
from curation.services import report_work, reports
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undrawn")]
NAMES = ("ann", "ben", "cat")
EVERYTHING = Choice()


@pytest.fixture
def scored(project):
    for name in NAMES:
        make_member(project, "annotator", name)
    fiction, poetry = project.genres.order_by("position")
    values = {}
    for number in range(4):
        prompt = make_prompt(project, f"p{number}", genre=(fiction, poetry)[number % 2])
        for side in (0, 1):
            make_response(prompt, f"p{number}-{side}")
            values |= {
                (f"p{number}-{side}", name): (number + 2 * side + (name == "cat")) % 4 for name in NAMES
            }
    score_all(make_round(project), values)
    return project


@pytest.fixture
def nudged(monkeypatch):
    """Which reports a worker was asked for."""
    found = []
    monkeypatch.setattr(tasks.compute_report, "delay_on_commit", found.append)
    return found


def compute(project, choice=EVERYTHING):
    report = reports.request(project, choice=choice, by=None, now=NOW)
    report_work.execute(report.pk, clock=lambda: NOW)
    report.refresh_from_db()
    return report


def address(project, query=""):
    return reverse("agreement", args=[project.slug]) + (f"?{query}" if query else "")


def test_a_lead_reads_alpha_figures_people_and_the_worst(scored, lead, browser_of):
    report = compute(scored)
    page = browser_of(lead).get(address(scored)).content.decode()
    assert f"{report.result['alpha']['ordinal']['value']:.2f}" in page
    for said in (
        "Agreement by genre",
        "Agreement between annotators",
        "Severity",
        "Fleiss",
        "Show the numbers",
    ):
        assert said in page
    assert "<svg" in page
    worst = report.result["worst"][0]["response"]
    assert reverse("judged_response", args=[scored.slug, scored.responses.get(external_id=worst).pk]) in page


def test_before_anything_is_computed_it_says_so_and_offers_it(scored, lead, browser_of):
    page = browser_of(lead).get(address(scored)).content.decode()
    assert "Nothing has been computed yet." in page
    assert "Agreement appears once two people have scored the same response" in page
    assert reverse("report_compute", args=[scored.slug]) in page


def test_to_ask_asks_a_worker_once_and_comes_back(scored, lead, browser_of, nudged):
    client = browser_of(lead)
    for _ in range(2):
        answer = client.post(reverse("report_compute", args=[scored.slug]))
        assert answer.headers["Location"] == address(scored)
    report = Report.objects.get()
    assert set(nudged) == {report.pk}
    page = client.get(address(scored)).content.decode()
    assert "wait for a worker" in page
    assert "No worker has taken this up" not in page


def test_while_a_worker_is_at_it_the_old_numbers_stay_with_how_far_it_is(scored, lead, browser_of):
    compute(scored)
    newer = reports.request(scored, choice=EVERYTHING, by=None, now=NOW)
    Report.objects.filter(pk=newer.pk).update(
        state="running", percent_done=40, claimed_by="w:1", lease_until=NOW + timedelta(minutes=1)
    )
    page = browser_of(lead).get(address(scored)).content.decode()
    assert "A worker computes new numbers: 40 %." in page
    assert "Agreement by genre" in page


def test_that_no_worker_answers_is_said(scored, lead, browser_of):
    reports.request(scored, choice=EVERYTHING, by=None, now=NOW)
    assert "No worker has taken this up" in browser_of(lead).get(address(scored)).content.decode()


def test_why_a_computation_failed_is_said(scored, lead, browser_of, monkeypatch):
    report = reports.request(scored, choice=EVERYTHING, by=None, now=NOW)
    monkeypatch.setattr(report_work.reports, "compute", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report_work.execute(report.pk, clock=lambda: NOW)
    page = browser_of(lead).get(address(scored)).content.decode()
    assert "The last computation failed." in page
    assert "ZeroDivisionError" in page


def test_the_state_alone_is_what_the_page_asks_for_again(scored, lead, browser_of):
    reports.request(scored, choice=EVERYTHING, by=None, now=NOW)
    part = browser_of(lead).get(address(scored), headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div class="report-state"')
    assert "<html" not in part


def test_a_choice_stands_in_the_address(scored, lead, browser_of, nudged):
    client = browser_of(lead)
    answer = client.post(reverse("report_compute", args=[scored.slug]), {"choose": "1", "genre": "poetry"})
    assert answer.headers["Location"] == address(scored, "genre=poetry")
    assert Report.objects.get().choice == "genre=poetry"
    report_work.execute(nudged[0], clock=lambda: NOW)
    page = client.get(answer.headers["Location"]).content.decode()
    assert "Part of the judgements" in page
    assert "responses: 4 · annotators: 3" in page


def test_a_choice_that_nobody_has_computed_says_so_and_not_that_scores_are_missing(scored, lead, browser_of):
    client = browser_of(lead)
    assert "once two people have scored" in client.get(address(scored)).content.decode()
    page = client.get(address(scored, "genre=poetry")).content.decode()
    assert "The numbers of this choice appear here once a worker has computed them." in page
    assert "once two people" not in page


def test_a_choice_of_which_there_is_a_report_is_not_computed_again(scored, lead, browser_of, nudged):
    compute(scored, Choice(genre="poetry"))
    browser_of(lead).post(reverse("report_compute", args=[scored.slug]), {"choose": "1", "genre": "poetry"})
    assert nudged == []
    browser_of(lead).post(reverse("report_compute", args=[scored.slug]) + "?genre=poetry")
    assert len(nudged) == 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("genre=drama", "Select a valid choice"),
        ("since=yesterday", "Write the day as year, month and day: 2026-01-31."),
        ("since=01/02/2026", "Write the day as year, month and day: 2026-01-31."),
        ("since=2026-03-02&until=2026-03-01", "The last day comes before the first"),
        ("genre=fiction&genre=poetry", "This stands in the address more than once. Choose one."),
    ],
)
def test_a_choice_that_cannot_be_is_refused_at_its_field(scored, lead, browser_of, nudged, query, said):
    client = browser_of(lead)
    asked = client.post(reverse("report_compute", args=[scored.slug]) + f"?{query}")
    for answer in (client.get(address(scored, query)), asked):
        assert answer.status_code == 422
        assert said in answer.content.decode()
    assert nudged == []


def test_names_of_annotators_are_for_the_lead_and_files_have_pseudonyms(scored, lead, browser_of):
    report = compute(scored)
    client = browser_of(lead)
    assert "cat" in client.get(address(scored)).content.decode()
    for key in ("severity", "pairs"):
        body = client.get(reverse("report_figure", args=[scored.slug, report.pk, key, "csv"]))
        assert "annotator-03" in body.content.decode()
        assert "cat" not in body.content.decode()


@pytest.mark.parametrize(
    ("kind", "begins"), [("csv", b"\xef\xbb\xbfrow,"), ("svg", b"<svg"), ("png", b"\x89PNG")]
)
def test_a_figure_is_taken_away_as_a_file(drawn, scored, lead, browser_of, kind, begins):
    report = compute(scored)
    answer = browser_of(lead).get(reverse("report_figure", args=[scored.slug, report.pk, "severity", kind]))
    assert answer.content.startswith(begins)
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="{scored.slug}-severity-2026-03-02.{kind}"'
    )


def test_a_report_that_cannot_be_has_no_figures(scored, lead, browser_of):
    compute(scored)
    for number in (0, 10**21):
        address = reverse("report_figure", args=[scored.slug, number, "severity", "csv"])
        assert browser_of(lead).get(address).status_code == 404


def test_a_response_shows_all_scores_and_justifications(scored, lead, browser_of):
    response = scored.responses.get(external_id="p0-0")
    answer = browser_of(lead).get(reverse("judged_response", args=[scored.slug, response.pk]))
    page = answer.content.decode()
    assert all(name in page for name in NAMES)
    assert "Round 1" in page
    assert response.source_model in page


def pages_of(project):
    report = compute(project)
    response = project.responses.first()
    return [
        address(project),
        reverse("judged_response", args=[project.slug, response.pk]),
        reverse("report_figure", args=[project.slug, report.pk, "severity", "csv"]),
    ]


def test_annotators_and_instructors_are_refused_and_strangers_find_nothing(scored, stranger, browser_of):
    annotator = scored.memberships.get(user__username="ann")
    instructor = make_member(scored, "instructor", "ina")
    for page in pages_of(scored):
        assert browser_of(annotator).get(page).status_code == 403
        assert browser_of(instructor).get(page).status_code == 403
        assert browser_of(stranger).get(page).status_code == 404
    ask = reverse("report_compute", args=[scored.slug])
    assert browser_of(annotator).post(ask).status_code == 403
    assert browser_of(stranger).post(ask).status_code == 404


def test_a_lead_of_another_project_finds_nothing(scored, browser_of):
    other = make_project("walls")
    lead = make_member(other, "lead", "len")
    for page in pages_of(scored):
        assert browser_of(lead).get(page).status_code == 404
        assert browser_of(lead).get(page.replace(scored.slug, other.slug)).status_code in (200, 404)
    response = scored.responses.first()
    assert browser_of(lead).get(reverse("judged_response", args=["walls", response.pk])).status_code == 404


def test_how_many_queries_the_page_takes_does_not_follow_the_judgements(scored, lead, browser_of):
    client = browser_of(lead)
    compute(scored)
    client.get(address(scored))
    with CaptureQueriesContext(connection) as few:
        client.get(address(scored))
    for number in range(12):
        make_member(scored, "annotator", f"more{number}")
        make_response(make_prompt(scored, f"more-{number}"), f"more-{number}")
    texts = [f"more-{number}" for number in range(12)]
    work = make_round(scored, "Round 2")
    score_all(work, {(text, f"more{number}"): number % 4 for text in texts for number in range(3)})
    compute(scored)
    client.get(address(scored))
    with CaptureQueriesContext(connection) as many:
        client.get(address(scored))
    assert len(many) == len(few)

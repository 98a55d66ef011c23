"""The way as its pages show it: the annotator's own, the screening, what a lead sets, and the people by stage."""

import pytest
from django.urls import reverse

from annotation.models import Preparation, Qualification
from annotation.services import calibration, membership, stages
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_user

SCREENED = {"level": "C2", "genre-fiction": "2", "genre-poetry": "0"}


@pytest.fixture
def candidate(project):
    """Somebody in the screening, in English."""
    member = membership.add(
        project, make_user("cand"), role="annotator", languages=["en"], stage="screening", by=None, now=NOW
    )
    return member.qualifications.get()


def url(name, project, *args):
    return reverse(name, args=[project.slug, *args])


def at(held, stage):
    Qualification.objects.filter(pk=held.pk).update(stage=stage)


def text_of(response):
    return response.content.decode()


# --- The annotator's own page --------------------------------------------------------------------


def test_annotators_see_where_they_stand_and_what_comes_next(candidate, project, browser_of):
    client = browser_of(candidate.annotator)
    page = text_of(client.get(url("standing", project)))
    assert "You are here" in page
    assert url("screening", project, "en") in page
    assert url("exam", project, "en") not in page  # it lies ahead
    assert url("screening", project, "en") in text_of(client.get("/"))


@pytest.mark.parametrize("stage", ["exam", "training", "calibration"])
def test_the_page_leads_to_what_the_stage_asks(candidate, project, browser_of, stage):
    at(candidate, stage)
    name = {"exam": "exam", "training": "training", "calibration": "calibration"}[stage]
    assert url(name, project, "en") in text_of(browser_of(candidate.annotator).get(url("standing", project)))


def test_who_works_and_is_called_to_a_calibration_is_led_there(project, browser_of):
    people = [make_member(project) for _ in range(2)]
    texts = [make_response(make_prompt(project)).pk for _ in range(2)]
    work = calibration.draft(
        project,
        language="",
        name="Autumn",
        responses=texts,
        participants=[each.pk for each in people],
        closes_at=None,
        by=None,
        now=NOW,
    )
    client = browser_of(people[0])
    assert "A calibration asks for your scores." not in text_of(client.get("/"))
    calibration.open_draft(work, by=None, now=NOW)
    assert "A calibration asks for your scores." in text_of(client.get("/"))
    assert url("calibration", project, "any") in text_of(client.get("/"))


def test_stages_that_were_not_asked_of_somebody_are_not_called_done(annotator, project, browser_of):
    page = text_of(browser_of(annotator).get(url("standing", project)))
    assert "Not asked of you" in page
    assert ">Done<" not in page
    assert url("exam", project, "any") not in page


def test_the_home_page_leads_everybody_to_where_they_stand(annotator, candidate, project, browser_of):
    for member in (annotator, candidate.annotator):
        assert url("standing", project) in text_of(browser_of(member).get("/"))


def test_the_reason_of_a_move_is_said_to_whom_it_concerns(candidate, project, browser_of):
    lead = make_member(project, "lead", "zebedee")
    stages.move(candidate, to="paused", by=lead.user, reason="Back in May, as agreed", now=NOW)
    page = text_of(browser_of(candidate.annotator).get(url("standing", project)))
    assert "Back in May, as agreed" in page
    assert lead.user.username not in page


def test_where_somebody_stands_is_theirs_alone_to_see(candidate, project, lead, stranger, browser_of):
    for other in (lead, stranger):
        assert browser_of(other).get(url("standing", project)).status_code == 404
        assert browser_of(other).get(url("screening", project, "en")).status_code == 404


# --- Screening -----------------------------------------------------------------------------------


def test_the_screening_is_answered_once_and_leads_on(candidate, project, browser_of):
    Preparation.objects.create(project=project, questions=["What do you read?"])
    client = browser_of(candidate.annotator)
    assert "What do you read?" in text_of(client.get(url("screening", project, "en")))
    answer = client.post(url("screening", project, "en"), {**SCREENED, "question-0": "Novels"})
    assert answer.headers["Location"] == url("standing", project)
    candidate.refresh_from_db()
    assert candidate.stage == "exam"
    assert candidate.screening_answers.get().answers == [["What do you read?", "Novels"]]
    again = client.post(url("screening", project, "en"), SCREENED)
    assert again.headers["Location"] == url("standing", project)
    assert candidate.screening_answers.count() == 1


def test_a_screening_with_gaps_comes_back_filled_in(candidate, project, browser_of):
    answer = browser_of(candidate.annotator).post(
        url("screening", project, "en"), {"level": "C1", "genre-fiction": "3"}
    )
    assert answer.status_code == 422
    assert "Say how well you know this kind of text." in text_of(answer)
    assert 'value="C1"' in text_of(answer)
    assert not candidate.screening_answers.exists()


def test_who_does_not_meet_the_marks_is_told_that_a_lead_decides(candidate, project, browser_of):
    client = browser_of(candidate.annotator)
    client.post(url("screening", project, "en"), {**SCREENED, "level": "B1"})
    assert "A lead decides how to go on" in text_of(client.get(url("screening", project, "en")))
    candidate.refresh_from_db()
    assert candidate.stage == "screening"


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("stage", ["exam", "training", "calibration", "active", "paused", "declined"])
def test_the_screening_opens_at_its_stage_alone(candidate, project, browser_of, stage, headers):
    at(candidate, stage)
    client = browser_of(candidate.annotator)
    for call in (client.get, client.post):
        answer = call(url("screening", project, "en"), headers=headers)
        assert answer.headers["Location"] == url("standing", project)
    assert not candidate.screening_answers.exists()


def test_a_screening_in_a_language_nobody_asked_for_does_not_exist(candidate, project, browser_of):
    assert browser_of(candidate.annotator).get(url("screening", project, "zh")).status_code == 404
    other = make_project()
    assert browser_of(candidate.annotator).get(url("screening", other, "en")).status_code == 404


# --- What is asked -------------------------------------------------------------------------------


def settings_sent(**changes):
    kept = Preparation()
    sent = {
        field.name: getattr(kept, field.name)
        for field in Preparation._meta.fields
        if field.name not in ("id", "project", "questions")
    }
    sent = {name: "on" if value is True else value for name, value in sent.items() if value is not False}
    return {key: value for key, value in {**sent, "questions": "", **changes}.items() if value is not None}


def test_a_lead_sets_what_is_asked_and_the_journal_says_so(project, lead, browser_of):
    client = browser_of(lead)
    sent = settings_sent(uses_exam=None, retakes=1, questions="What do you read?\n\n  And why? ")
    assert client.post(url("preparation_settings", project), sent).status_code == 302
    kept = Preparation.objects.get(project=project)
    assert (kept.uses_exam, kept.uses_training, kept.retakes) == (False, True, 1)
    assert kept.questions == ["What do you read?", "And why?"]
    assert project.journal.filter(action="preparation.changed").count() == 1
    assert "saved" in text_of(client.get(url("preparation_settings", project) + "?saved"))
    assert client.get(url("journal", project)).status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"graders": 0},
        {"exam_items_minimum": 4},
        {"exam_exact_percent": 101},
        {"gate_threshold": "much"},
        {"questions": "?\n" * 11},
    ],
)
def test_settings_that_cannot_be_are_refused_and_come_back(project, lead, browser_of, wrong):
    answer = browser_of(lead).post(url("preparation_settings", project), settings_sent(**wrong))
    assert answer.status_code == 422
    assert not Preparation.objects.filter(project=project).exists()


def test_a_stage_in_which_somebody_stands_cannot_be_left_out(candidate, project, lead, browser_of):
    answer = browser_of(lead).post(url("preparation_settings", project), settings_sent(uses_screening=None))
    assert answer.status_code == 422
    assert "Move them first" in text_of(answer)


# --- People by stage -----------------------------------------------------------------------------


def test_the_funnel_counts_people_and_says_what_comes_next(candidate, annotator, project, lead, browser_of):
    page = text_of(browser_of(lead).get(url("preparation_people", project)))
    assert "Has the questions to answer." in page
    assert "Can be given work." in page
    narrowed = text_of(browser_of(lead).get(url("preparation_people", project), {"stage": "screening"}))
    assert "cand" in narrowed
    assert "Can be given work." not in narrowed
    assert "cand" not in text_of(browser_of(lead).get(url("preparation_people", project), {"search": "zzz"}))


def test_the_record_shows_the_way_and_a_lead_moves_people_there(candidate, project, lead, browser_of):
    client = browser_of(lead)
    address = url("preparation_record", project, candidate.pk)
    assert client.get(address).status_code == 200
    refused = client.post(url("move_stage", project, candidate.pk), {"stage": "training", "reason": ""})
    assert refused.status_code == 422
    assert "Say why" in text_of(refused)
    moved = client.post(
        url("move_stage", project, candidate.pk), {"stage": "training", "reason": "Known to us"}
    )
    assert moved.headers["Location"] == address
    assert "Known to us" in text_of(client.get(address))
    candidate.refresh_from_db()
    assert candidate.stage == "training"


@pytest.mark.parametrize(
    ("stage", "page"),
    [
        ("exam", "exams"),
        ("training", "course"),
        ("calibration", "calibration_new"),
        ("active", "calibrations"),
    ],
)
def test_the_record_leads_to_the_next_step(candidate, project, lead, browser_of, stage, page):
    at(candidate, stage)
    html = text_of(browser_of(lead).get(url("preparation_record", project, candidate.pk)))
    assert f'class="button primary" href="{url(page, project)}"' in html


def test_the_record_offers_the_decision_where_nothing_else_helps(candidate, project, lead, browser_of):
    browser_of(candidate.annotator).post(url("screening", project, "en"), {**SCREENED, "level": "B1"})
    client = browser_of(lead)
    html = text_of(client.get(url("preparation_record", project, candidate.pk)))
    assert "Decide where they go on" in html
    assert '<option value="exam" selected>' in html
    stages.move(candidate, to="training", by=lead.user, reason="x", now=NOW)
    stages.move(candidate, to="paused", by=lead.user, reason="x", now=NOW)
    html = text_of(client.get(url("preparation_record", project, candidate.pk)))
    assert '<option value="training" selected>' in html


def test_a_lead_sets_the_genres_of_an_annotator(candidate, project, lead, browser_of):
    client = browser_of(lead)
    address = url("stage_genres", project, candidate.pk)
    assert client.post(address, {"genres": ["poetry"]}).status_code == 302
    assert [genre.key for genre in candidate.genres.all()] == ["poetry"]
    assert client.post(address, {"genres": ["drama"]}).status_code == 422


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_lead_pages_are_closed_to_all_others(
    candidate, annotator, project, stranger, browser_of, headers
):
    foreign = make_member(make_project(), "lead")
    instructor = make_member(project, "instructor")
    read = [url("preparation_settings", project), url("preparation_people", project)]
    read.append(url("preparation_record", project, candidate.pk))
    sent = [url(name, project, candidate.pk) for name in ("move_stage", "stage_genres")]
    sent.append(read[0])
    for person, status in ((annotator, 403), (instructor, 403), (stranger, 404), (foreign, 404)):
        client = browser_of(person)
        for address in read:
            assert client.get(address, headers=headers).status_code == status
        for address in sent:
            move = {"stage": "active", "reason": "x"}
            assert client.post(address, move, headers=headers).status_code == status
    candidate.refresh_from_db()
    assert candidate.stage == "screening"


def test_a_record_of_another_project_does_not_exist(candidate, browser_of):
    foreign = make_member(make_project(), "lead")
    address = url("preparation_record", foreign.project, candidate.pk)
    assert browser_of(foreign).get(address).status_code == 404


def test_who_is_added_by_hand_begins_where_the_lead_says(project, lead, browser_of):
    client = browser_of(lead)
    for name, begins, stage in (("dan", "work", "active"), ("eve", "way", "screening")):
        make_user(name)
        sent = {"username": name, "role": "annotator", "begins": begins}
        assert client.post(url("add_member", project), sent).status_code == 302
        held = Qualification.objects.get(annotator__user__username=name)
        assert held.stage == stage

"""Grading critiques, and the forms and records beside it: what a grader sees, and what stays hidden from them."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Attempt,
    CritiqueGrade,
    JournalEntry,
    Membership,
    Preparation,
    Project,
    Qualification,
    Response,
    Round,
)
from annotation.queries import exam_pages
from annotation.services import critiques, exams
from curation.tasks import sweep
from tests.factories import NOW, make_member, make_project, make_prompt
from tests.sittings import (
    CRITIQUE,
    SECRET,
    always_off,
    answer,
    ask,
    candidate,
    instructor_of,
    later,
    make_form,
    points,
    sat,
)

HTMX = {"HX-Request": "true"}


@pytest.fixture
def form(project: Project) -> Round:
    ask(project)
    return make_form(project)


@pytest.fixture
def held(project: Project, form: Round, annotator: Membership) -> Qualification:
    annotator.user.first_name, annotator.user.last_name = "Anne", "Teller"
    annotator.user.save()
    return candidate(annotator)


@pytest.fixture
def finished(held: Qualification) -> Attempt:
    return sat(held)


@pytest.fixture
def grader(project: Project) -> Membership:
    return instructor_of(project)


def place(name: str, project: Project, *pks: int) -> str:
    return reverse(name, args=[project.slug, *pks])


def words(page) -> str:
    return " ".join(page.content.decode().split())


def send(
    browser: Client,
    attempt: Attempt,
    *,
    which: int = 0,
    each: int = 2,
    headers: dict | None = None,
    **more: object,
):
    sent = {"attempt": attempt.pk, "response": attempt.result["critiques"][which], **points(each)}
    sent |= more
    return browser.post(place("exam_grading", attempt.qualification.project), sent, headers=headers or {})


# --- grading ---------------------------------------------------------------------------------------------


def test_a_grader_sees_score_and_critique_and_neither_name_nor_consensus(
    project, finished, grader, browser_of
) -> None:
    page = browser_of(grader).get(place("exam_grading", project))
    said = words(page)
    assert CRITIQUE in said
    assert finished.qualification.annotator.pseudonym in said
    for hidden in ("Anne", "Teller", "ann<", SECRET, "secret-model-9b"):
        assert hidden not in said, hidden
    assert "Critique 1 of 2" in said
    assert "en description 2" in said


def test_graded_one_after_the_other_they_decide_the_exam(project, finished, grader, browser_of) -> None:
    browser = browser_of(grader)
    assert send(browser, finished).url == place("exam_grading", project)
    assert "Critique 2 of 2" in words(browser.get(place("exam_grading", project)))
    send(browser, finished, which=1, comment="Clear")
    assert "No critique waits for you" in words(browser.get(place("exam_grading", project)))
    assert Attempt.objects.get().state == "passed"
    assert CritiqueGrade.objects.get(comment="Clear").grader == grader.user


def test_a_lead_grades_too(project, finished, lead, browser_of) -> None:
    assert send(browser_of(lead), finished).status_code == 302


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_candidates_and_other_annotators_never_grade(
    project, finished, annotator, browser_of, headers: dict
) -> None:
    colleague = make_member(project, "annotator", "bob")
    for person in (annotator, colleague):
        browser = browser_of(person)
        assert browser.get(place("exam_grading", project), headers=headers).status_code == 403
        assert send(browser, finished, headers=headers).status_code == 403
    assert not CritiqueGrade.objects.exists()


def test_an_instructor_who_annotates_as_well_does_not_get_in(
    project, finished, annotator, browser_of
) -> None:
    Membership.objects.create(project=project, user=annotator.user, role="instructor", joined_at=NOW)
    browser = browser_of(annotator)
    assert browser.get(place("exam_grading", project)).status_code == 403
    assert send(browser, finished).status_code == 403


def test_adjudicators_are_told_and_strangers_find_nothing(project, finished, stranger, browser_of) -> None:
    adjudicator = make_member(project, "adjudicator", "adi")
    foreign = instructor_of(make_project("other"), "otto")
    for person, status in ((adjudicator, 403), (stranger, 404), (foreign, 404)):
        browser = browser_of(person)
        assert browser.get(place("exam_grading", project)).status_code == status
        assert send(browser, finished).status_code == status
    assert not CritiqueGrade.objects.exists()


def test_an_attempt_of_another_project_is_not_graded_from_here(finished, browser_of) -> None:
    other = make_project("other")
    browser = browser_of(instructor_of(other, "otto"))
    sent = {"attempt": finished.pk, "response": finished.result["critiques"][0], **points(2)}
    assert browser.post(place("exam_grading", other), sent).status_code == 404


def test_a_question_without_an_answer_comes_back_with_the_others(
    project, finished, grader, browser_of
) -> None:
    page = send(browser_of(grader), finished, each=1, level="", comment="So far")
    assert page.status_code == 422
    said = words(page)
    assert said.count("Give 0, 1 or 2 points.") == 1
    assert "So far" in said
    assert said.count(" checked") == 2
    assert not CritiqueGrade.objects.exists()


@pytest.mark.parametrize("sent", ["x", "-1", "9" * 30, "²", ""])
def test_what_is_no_number_is_refused(project, finished, grader, browser_of, sent: str) -> None:
    form = {"attempt": sent, "response": sent, **points(2)}
    assert browser_of(grader).post(place("exam_grading", project), form).status_code in (404, 422)


def test_sent_twice_it_is_one_grade_and_other_points_are_refused(
    project, finished, grader, browser_of
) -> None:
    browser = browser_of(grader)
    assert send(browser, finished).status_code == 302
    assert send(browser, finished).status_code == 302
    assert send(browser, finished, each=0).status_code == 409
    assert CritiqueGrade.objects.count() == 1


def test_two_graders_do_not_see_each_others_points(project, annotator, grader, lead, browser_of) -> None:
    ask(project, graders=2)
    make_form(project)
    attempt = sat(candidate(annotator))
    first = attempt.result["critiques"][0]
    critiques.grade(attempt, first, by=grader.user, points=points(0), comment="Nothing in it at all", now=NOW)
    second = instructor_of(project, "ivan")
    for name, person in (("exam_grading", second), ("exams", second), ("exams", lead)):
        said = words(browser_of(person).get(place(name, project)))
        assert "Nothing in it at all" not in said
    record = place("exam_attempt", project, attempt.pk)
    assert "Nothing in it at all" not in words(browser_of(lead).get(record))
    critiques.grade(attempt, first, by=second.user, points=points(2), comment="All there", now=NOW)
    said = words(browser_of(lead).get(record))
    assert "Nothing in it at all" in said
    assert "All there" in said


def test_what_another_has_graded_meanwhile_is_not_asked_again(
    project, finished, grader, lead, browser_of
) -> None:
    browser = browser_of(grader)
    send(browser_of(lead), finished)
    assert "Critique 2 of 2" in words(browser.get(place("exam_grading", project)))
    assert send(browser, finished).status_code == 409


# --- forms -----------------------------------------------------------------------------------------------


def test_an_instructor_makes_a_form_and_publishes_it_once_it_is_whole(project, grader, browser_of) -> None:
    ask(project, exam_items_minimum=2)
    make_prompt(project, language="en-GB")
    browser = browser_of(grader)
    made = browser.post(place("exams", project), {"name": "Form A", "language": "en"})
    form = Round.objects.get()
    assert made.url == place("exam_form", project, form.pk)
    page = browser.post(place("publish_exam_form", project, form.pk))
    assert page.status_code == 409
    assert "A form needs 2 texts; this one has 0." in words(page)
    whole = make_form(project, "Form B", texts=4, publish=False)
    browser.post(place("publish_exam_form", project, whole.pk))
    whole.refresh_from_db()
    assert whole.state == "open"
    assert JournalEntry.objects.filter(action="exam.form_published", actor=grader.user).exists()
    browser.post(place("retire_exam_form", project, whole.pk))
    whole.refresh_from_db()
    assert whole.state == "locked"
    browser.post(place("delete_exam_form", project, form.pk))
    assert not Round.objects.filter(pk=form.pk).exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": "", "language": "en"}, "Give the form a name"),
        ({"name": "Form A", "language": "en"}, "There is a round Form A already"),
        ({"name": "Form B", "language": "xx"}, "Select a valid choice"),
    ],
)
def test_a_form_that_is_refused_comes_back(project, held, grader, browser_of, sent: dict, said: str) -> None:
    page = browser_of(grader).post(place("exams", project), sent)
    assert page.status_code == 422
    assert said in words(page)
    assert sent["name"] in words(page)
    assert Round.objects.count() == 1


def test_forms_are_listed_with_what_came_of_them(project, finished, grader, browser_of) -> None:
    for response in finished.result["critiques"]:
        critiques.grade(finished, response, by=grader.user, points=points(2), comment="", now=NOW)
    said = words(browser_of(grader).get(place("exams", project)))
    for each in ("Form A", "Published", "1 / 1", "1.00", "100 %"):
        assert each in said
    assert "Anne Teller" not in said  # records are for leads


def test_a_form_of_another_project_or_of_no_exam_is_not_there(project, held, lead, browser_of) -> None:
    foreign = make_form(make_project("other"), texts=1, publish=False)
    for name in ("exam_form", "publish_exam_form", "retire_exam_form", "delete_exam_form"):
        method = "get" if name == "exam_form" else "post"
        assert getattr(browser_of(lead), method)(place(name, project, foreign.pk)).status_code == 404


def test_the_page_says_who_has_no_form_left(project, annotator, lead, browser_of) -> None:
    ask(project)
    candidate(annotator, language="zh")
    said = words(browser_of(lead).get(place("exams", project)))
    assert "1 candidate has no form left to take" in said


def no_form_but_a_round_without_items(held: Qualification) -> None:
    held.project.rounds.filter(purpose="exam").update(state="locked", locked_at=NOW)
    legacy = make_form(held.project, "Of old", publish=False, texts=0)
    Round.objects.filter(pk=legacy.pk).update(state="open", opened_at=NOW)


def no_form_after_an_earlier_stay(held: Qualification) -> None:
    """Passed, and moved back to the exam: they begin anew, and have taken the only form."""
    attempt = exams.start(held, now=NOW)
    Attempt.objects.filter(pk=attempt.pk).update(
        state="passed", finished_at=NOW, decided_at=NOW, result={"tables": {}}
    )
    Qualification.objects.filter(pk=held.pk).update(since=later(1))


def no_form_after_attempts_of_an_earlier_stay(held: Qualification) -> None:
    """Failed with no retake left, and moved back: the attempts of before are not counted."""
    Preparation.objects.filter(project=held.project).update(retakes=0)
    attempt = exams.start(held, now=NOW)
    exams.settle(attempt, now=attempt.due_at)
    Qualification.objects.filter(pk=held.pk).update(since=attempt.due_at + timedelta(hours=1))


@pytest.mark.parametrize(
    "leave",
    [
        no_form_but_a_round_without_items,
        no_form_after_an_earlier_stay,
        no_form_after_attempts_of_an_earlier_stay,
    ],
)
def test_a_lead_is_told_the_name_of_whom_no_form_is_left(
    project, held, lead, grader, browser_of, leave: Callable[[Qualification], None]
) -> None:
    browser = browser_of(lead)
    for page in (place("exams", project), place("preparation_people", project)):
        assert "no form" not in words(browser.get(page))
    leave(held)
    assert exam_pages.page(Qualification.objects.get(), now=later(999)).state == "none"
    said = words(browser.get(place("exams", project)))
    assert "1 candidate has no form left to take" in said
    assert "<b><bdi>Anne Teller</bdi></b>" in said
    said = words(browser.get(place("preparation_people", project)))
    assert "Anne Teller" in said
    assert "no form of the exam is left to take" in said
    # Who grades is told how many they are, not who.
    said = words(browser_of(grader).get(place("exams", project)))
    assert "1 candidate has no form left to take" in said
    assert "Teller" not in said


# --- records ---------------------------------------------------------------------------------------------


def test_the_record_shows_a_lead_all_numbers(project, finished, grader, lead, browser_of) -> None:
    for response in finished.result["critiques"]:
        critiques.grade(finished, response, by=grader.user, points=points(2), comment="Fine", now=NOW)
    said = words(browser_of(lead).get(place("exam_attempt", project, finished.pk)))
    for each in (
        "Anne Teller",
        "Attempt 1: passed",
        "Severity +0.00",
        "Experts 3",
        "2 of 2 graded",
        "Fine",
        "Theirs",
    ):
        assert each in said
    for each in ("Yours", "yours lie", "You score"):
        assert each not in said


def test_a_lead_without_attempts_to_grant_passes_or_grants_with_a_reason(
    project, held, grader, lead, browser_of
) -> None:
    project.preparation.retakes = 0
    project.preparation.save()
    attempt = sat(held, scores=always_off, grader=grader.user)
    browser, record = browser_of(lead), place("exam_attempt", project, attempt.pk)
    assert "asks for your decision" in words(browser.get(place("exams", project)))
    page = browser.post(record, {"action": "grant", "reason": " "})
    assert page.status_code == 422
    assert "Say why" in words(page)
    assert browser.post(record, {"action": "grant", "reason": "Was ill"}).status_code == 302
    assert held.extra_attempts.get().reason == "Was ill"
    assert browser.post(record, {"action": "grant", "reason": "Again"}).status_code == 422
    assert browser.post(record, {"action": "pass", "reason": "Clearly able"}).status_code == 302
    held.refresh_from_db()
    assert held.stage == "training"


def test_an_unknown_action_does_nothing(project, finished, lead, browser_of) -> None:
    record = place("exam_attempt", project, finished.pk)
    assert browser_of(lead).post(record, {"action": "delete", "reason": "x"}).status_code == 422
    assert Attempt.objects.get().state == "finished"


def test_records_are_for_leads_of_the_project(
    project, finished, grader, annotator, stranger, browser_of
) -> None:
    foreign = make_member(make_project("other"), "lead", "otto")
    record = place("exam_attempt", project, finished.pk)
    for person, status in ((grader, 403), (annotator, 403), (stranger, 404), (foreign, 404)):
        browser = browser_of(person)
        assert browser.get(record).status_code == status
        assert browser.post(record, {"action": "pass", "reason": "x"}).status_code == status
    other = place("exam_attempt", foreign.project, finished.pk)
    assert browser_of(foreign).get(other).status_code == 404
    assert Attempt.objects.get().state == "finished"


@pytest.mark.parametrize("texts", [0, 6])
def test_pages_tell_what_time_has_overtaken_and_the_sweep_alone_writes_it(
    project, held, form, lead, browser_of, texts: int
) -> None:
    attempt = exams.start(held, now=NOW)  # long ago
    answer(attempt, texts=texts)
    addresses = [
        (lead, place("exams", project)),
        (lead, place("exam_form", project, form.pk)),
        (lead, place("exam_attempt", project, attempt.pk)),
        (lead, place("exam_grading", project)),
        (lead, place("preparation_people", project)),
        (held.annotator, reverse("exam", args=[project.slug, "en"])),
    ]

    def read() -> list[str]:
        pages = [words(browser_of(member).get(address)) for member, address in addresses]
        return [re.sub(r'(nonce|value)="[A-Za-z0-9+/=_-]{20,}"', "", page) for page in pages]

    before, written = read(), JournalEntry.objects.count()
    assert f"Not finished in time: {texts} of 8 texts were scored" in before[2]
    assert "Attempt 1: not passed" in before[5]
    attempt.refresh_from_db()
    assert (attempt.state, JournalEntry.objects.count()) == ("open", written)
    sweep()
    attempt.refresh_from_db()
    assert (attempt.state, attempt.decided_at) == ("failed", attempt.due_at)
    assert JournalEntry.objects.get(action="exam.failed").data["late"]
    assert read() == before


def test_the_sweep_leaves_an_exam_that_is_under_way(held, finished) -> None:
    other = exams.start(candidate(make_member(held.project, "annotator", "bob")), now=timezone.now())
    sweep()
    states = Attempt.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["finished", "open"]
    # The texts that are left were removed: nothing is to do any more.
    scored = answer(other, texts=6, now=timezone.now())
    left = Response.objects.filter(assignments__reserved_for=other.qualification.annotator).exclude(
        scores__round=other.round, scores__annotator=other.qualification.annotator
    )
    Response.objects.filter(pk__in=left.values("pk")).update(state="removed", removed_at=NOW)
    sweep()
    other.refresh_from_db()
    assert (scored, other.state) == (6, "finished")

"""The candidate's page of the exam: what it offers when, what it reports, and that no answer shows anywhere."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Attempt, Lease, Membership, Project, Qualification, Round, Score
from annotation.services import exams, stages
from tests.factories import make_member, make_project
from tests.sittings import (
    CRITIQUE,
    SECRET,
    TEXTS,
    always_off,
    answer,
    ask,
    candidate,
    grade_all,
    instructor_of,
    make_form,
    sat,
)

HTMX = {"HX-Request": "true"}


@pytest.fixture
def form(project: Project) -> Round:
    ask(project)
    return make_form(project)


@pytest.fixture
def held(form: Round, annotator: Membership) -> Qualification:
    return candidate(annotator)


@pytest.fixture
def grader(project: Project) -> Membership:
    return instructor_of(project)


def address(project: Project, language: str = "en") -> str:
    return reverse("exam", args=[project.slug, language])


def words(page) -> str:
    return " ".join(page.content.decode().split())


def score(browser: Client, place: str, value: int = 1):
    return browser.post(place, {"value": value, "justification": CRITIQUE})


# --- doors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_the_exam_does_not_open_before_its_stage(
    project, held, browser_of, headers: dict, method: str
) -> None:
    Qualification.objects.filter(pk=held.pk).update(stage="screening")
    page = getattr(browser_of(held.annotator), method)(address(project), headers=headers)
    assert page.status_code == 403
    assert not Attempt.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_leads_and_other_annotators_find_nothing(
    project, held, lead, stranger, browser_of, method: str
) -> None:
    elsewhere = candidate(make_member(make_project("other"), "annotator", "otto"))
    colleague = candidate(make_member(project, "annotator", "bob"), language="zh")
    for person in (stranger, lead, elsewhere.annotator, colleague.annotator):
        assert getattr(browser_of(person), method)(address(project)).status_code == 404
    assert not Attempt.objects.exists()


def test_who_is_not_signed_in_is_asked_to(project, held) -> None:
    assert Client().get(address(project)).status_code == 302


def test_who_left_finds_nothing(project, held, browser_of) -> None:
    Membership.objects.filter(pk=held.annotator_id).update(state="withdrawn")
    assert browser_of(held.annotator).get(address(project)).status_code == 404


def test_a_qualification_without_a_language_has_a_page_too(project, form, annotator, browser_of) -> None:
    candidate(annotator, language="")
    assert browser_of(annotator).get(address(project, "any")).status_code == 200


# --- beginning and going on ------------------------------------------------------------------------------


def test_the_start_page_says_what_to_expect(project, held, browser_of) -> None:
    page = words(browser_of(held.annotator).get(address(project)))
    for said in (
        "8 texts",
        "14 days after you start",
        "at least 0.55",
        "at least 50 %",
        "at least 95 %",
        "at least 60 %",
        "at least 10 words with each score; 2 of them are graded",
        "This is attempt 1.",
        "you may try 2 more times with other texts, 48 hours later",
        "No single text is discussed",
        "Start the exam",
    ):
        assert said in page


def test_start_leads_to_the_first_text_and_resume_to_the_next(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    first = browser.post(address(project))
    assert first.status_code == 302
    assert first.url.startswith("/score/")
    assert "At least 10 words" in words(browser.get(first.url))
    score(browser, first.url)
    page = words(browser.get(address(project)))
    assert "Resume (1 of 8)" in page
    assert "This is attempt" not in page
    again = browser.post(address(project))
    assert again.url != first.url


def test_a_second_tab_starts_nothing_new(project, held, browser_of) -> None:
    one, other = browser_of(held.annotator), browser_of(held.annotator)
    assert one.post(address(project)).url == other.post(address(project)).url
    assert (Attempt.objects.count(), Lease.objects.count()) == (1, 1)


def test_sent_twice_a_score_is_one_and_both_tabs_go_on(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    place = browser.post(address(project)).url
    assert score(browser, place).url == score(browser, place).url
    assert Score.objects.count() == 1
    assert score(browser, place, value=3).status_code == 409


def test_too_short_a_critique_comes_back_filled_in(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    place = browser.post(address(project)).url
    page = browser.post(place, {"value": 1, "justification": "Not enough."})
    assert page.status_code == 422
    assert "Not enough." in words(page)
    assert "Write at least 10 words" in words(page)


def test_the_last_text_leads_back_to_the_exam(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    place = browser.post(address(project)).url
    for _ in range(TEXTS):
        place = score(browser, place).url
    assert place == reverse("finished", args=[Round.objects.get().token])
    assert Attempt.objects.get().state == "finished"  # before anybody looks
    page = browser.get(place, follow=True)
    assert page.redirect_chain[-1][0] == address(project)
    assert "You have scored every text" in words(page)


def test_where_numbers_alone_decide_the_last_text_does_so_at_once(project, annotator, browser_of) -> None:
    ask(project, critiques_graded=0)
    make_form(project)
    held, browser = candidate(annotator), browser_of(annotator)
    place = browser.post(address(project)).url
    for _ in range(TEXTS):
        text = Lease.objects.get(token=place.rstrip("/").split("/")[-1]).assignment.response
        last, value = place, text.consensus_items.get().value
        place = score(browser, place, value).url
    assert score(browser, last, value).url == place  # sent twice
    held.refresh_from_db()
    assert (Attempt.objects.get().state, held.stage) == ("passed", "training")
    assert "Attempt 1: passed" in words(browser.get(place, follow=True))


@pytest.mark.parametrize("scored", [1, 6])
def test_an_attempt_that_ran_out_of_time_gives_its_candidate_no_numbers(
    project, held, lead, browser_of, scored: int
) -> None:
    attempt = exams.start(held, now=timezone.now())
    answer(attempt, texts=scored, now=timezone.now())
    Attempt.objects.update(
        started_at=timezone.now() - timedelta(days=15), due_at=timezone.now() - timedelta(days=1)
    )
    page = words(browser_of(held.annotator).get(address(project)))
    assert f"Not finished in time: {scored} of 8 texts were scored" in page
    for number in ("100 %", "Weighted kappa</th>", "experts on average", "What to practise"):
        assert number not in page.split("Attempt 1: not passed")[1]
    assert "Weighted kappa" in words(
        browser_of(lead).get(reverse("exam_attempt", args=["bridges", attempt.pk]))
    )


def test_numbers_of_fewer_than_five_texts_are_not_given_to_the_candidate(
    project, held, lead, browser_of
) -> None:
    attempt = exams.start(held, now=timezone.now())
    answer(attempt, texts=4, now=timezone.now())
    exams.decide(attempt, passed=False, by=lead.user, reason="Copied", now=timezone.now())
    result = words(browser_of(held.annotator).get(address(project))).split("Attempt 1: not passed")[1]
    assert "Weighted kappa" not in result
    assert "%" not in result


def test_the_end_of_an_exam_is_there_for_who_sat_it_alone(project, held, form, browser_of) -> None:
    colleague = make_member(project, "annotator", "bob")
    assert browser_of(colleague).get(reverse("finished", args=[form.token])).status_code == 404
    assert browser_of(colleague).post(reverse("next_text", args=[form.token])).status_code in (403, 302, 409)
    assert not Lease.objects.exists()


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_after_the_deadline_nothing_is_taken(project, held, browser_of, headers: dict) -> None:
    browser = browser_of(held.annotator)
    place = browser.post(address(project)).url
    Attempt.objects.update(
        started_at=timezone.now() - timedelta(days=15), due_at=timezone.now() - timedelta(days=1)
    )
    refused = browser.post(place, {"value": 1, "justification": CRITIQUE}, headers=headers)
    assert refused.status_code == 409
    assert not Score.objects.exists()
    page = words(browser.get(address(project), headers=headers))
    assert "Attempt 1: not passed" in page
    assert "Not finished in time: 0 of 8 texts were scored" in page
    again = browser.post(address(project), headers=headers)
    assert again.status_code == 409
    assert Attempt.objects.count() == 1


def test_a_refusal_does_not_take_back_that_time_has_run_out(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    browser.post(address(project))
    Attempt.objects.update(
        started_at=timezone.now() - timedelta(days=15), due_at=timezone.now() - timedelta(hours=1)
    )
    assert browser.post(address(project)).status_code == 409
    assert Attempt.objects.get().state == "failed"


# --- what is reported ------------------------------------------------------------------------------------


def test_passing_is_reported_with_its_numbers_and_ranges(project, held, grader, browser_of) -> None:
    sat(held, grader=grader.user)
    page = words(browser_of(held.annotator).get(address(project)))
    for said in ("Attempt 1: passed", "1.00", "100 %", "68 % to 100 %", "neither lower nor higher"):
        assert said in page
    assert "Start the exam" not in page


def test_failing_is_reported_with_what_was_missed_and_when_to_retake(
    project, held, grader, browser_of
) -> None:
    make_form(project, "Form B")
    sat(held, scores=always_off, grader=grader.user, now=timezone.now())
    page = words(browser_of(held.annotator).get(address(project)))
    for said in (
        "Attempt 1: not passed",
        "Weighted kappa: −1.00, 0.55 is needed",
        "The experts&#x27; score exactly: 0 %, 50 % are needed",
        "With other texts, from",
        "If you do not pass, you may try 1 more time",
    ):
        assert said in page
    assert "Start the exam" not in page


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_a_retake_too_early_is_refused(project, held, grader, browser_of, headers: dict) -> None:
    make_form(project, "Form B")
    sat(held, scores=always_off, grader=grader.user, now=timezone.now())
    refused = browser_of(held.annotator).post(address(project), headers=headers)
    assert refused.status_code == 409
    assert "too early" in words(refused)
    assert Attempt.objects.count() == 1


def test_without_attempts_left_the_page_says_that_a_lead_decides(project, held, grader, browser_of) -> None:
    project.preparation.retakes = 0
    project.preparation.save()
    sat(held, scores=always_off, grader=grader.user)
    assert "A lead decides how it goes on" in words(browser_of(held.annotator).get(address(project)))


def test_without_a_form_the_page_says_so(project, annotator, browser_of) -> None:
    ask(project)
    candidate(annotator)
    assert "There is no exam for you to take" in words(browser_of(annotator).get(address(project)))


def test_a_lead_who_decided_is_named_as_such_and_the_reason_is_not_shown(
    project, held, grader, lead, browser_of
) -> None:
    attempt = sat(held, scores=always_off, grader=grader.user)
    exams.decide(attempt, passed=True, by=lead.user, reason="Known to us", now=timezone.now())
    page = words(browser_of(held.annotator).get(address(project)))
    assert "A lead decided this." in page
    assert "Known to us" not in page


def test_chinese_readers_read_it_in_chinese(project, held, browser_of) -> None:
    browser = browser_of(held.annotator)
    page = browser.get(address(project), headers={"accept-language": "zh-hans"})
    assert page.status_code == 200


# --- blindness -------------------------------------------------------------------------------------------


def test_no_consensus_score_reaches_a_candidate(project, held, grader, browser_of) -> None:
    """Everything a candidate can open, with its headers, before, during and after the exam."""
    browser, seen = browser_of(held.annotator), []
    places = [address(project), "/", reverse("standing", args=[project.slug])]
    seen += [browser.get(place) for place in places]
    place = browser.post(address(project)).url
    for number in range(TEXTS):
        page = browser.get(place)
        seen.append(page)
        answered = score(browser, place, value=number % 4)
        seen += [answered, browser.get(place)]
        place = answered.url
    seen += [browser.get(place, follow=True), *(browser.get(each) for each in places)]
    attempt = Attempt.objects.get()
    grade_all(attempt, grader.user, now=timezone.now())
    seen += [browser.get(each, headers=headers) for each in places for headers in ({}, HTMX)]
    for page in seen:
        everything = page.content.decode() + repr(page.headers)
        for marker in (SECRET, "consensus", "rationale", "split", "secret-model-9b"):
            assert marker not in everything.lower().replace("css", ""), (page.request["PATH_INFO"], marker)


@pytest.mark.parametrize(
    "name", ["exams", "exam_grading", "exam_form", "exam_attempt", "publish_exam_form", "retire_exam_form"]
)
def test_the_pages_behind_the_exam_are_closed_to_candidates(
    project, held, browser_of, stranger, name: str
) -> None:
    attempt = exams.start(held, now=timezone.now())
    pks = {"exam_attempt": [attempt.pk], "exams": [], "exam_grading": []}
    place = reverse(name, args=[project.slug, *pks.get(name, [attempt.round_id])])
    for method in ("get", "post"):
        for headers in ({}, HTMX):
            inside = getattr(browser_of(held.annotator), method)(place, headers=headers)
            assert inside.status_code in (403, 405)
            assert SECRET not in inside.content.decode()
            assert getattr(browser_of(stranger), method)(place, headers=headers).status_code in (404, 405)
    assert Round.objects.get().state == "open"


def test_the_time_that_reading_takes_is_said_in_characters_for_chinese(
    project, annotator, browser_of
) -> None:
    ask(project)
    make_form(project, language="zh")
    candidate(annotator, language="zh")
    page = words(browser_of(annotator).get(address(project, "zh")))
    assert "for reading alone" in page


def test_a_moved_annotator_still_reads_the_result(project, held, grader, lead, browser_of) -> None:
    sat(held, grader=grader.user)
    held.refresh_from_db()
    stages.move(held, to="paused", by=lead.user, reason="On leave", now=timezone.now())
    assert "Attempt 1: passed" in words(browser_of(held.annotator).get(address(project)))


def test_an_attempt_of_another_is_not_resumed(project, held, browser_of) -> None:
    answer(exams.start(held, now=timezone.now()), texts=1, now=timezone.now())
    lease = Lease.objects.get()
    colleague = candidate(make_member(project, "annotator", "bob")).annotator
    assert browser_of(colleague).get(reverse("score", args=[lease.token])).status_code == 404

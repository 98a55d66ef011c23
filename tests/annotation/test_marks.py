"""Marks for criteria: beside the one score, where the project asks for them."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.errors import DomainError, Invalid
from annotation.models import Mark, Score
from annotation.services import assignments, scoring
from tests.factories import NOW, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
UNIVERSAL, OF_FICTION = ("", "voice"), ("fiction", "voice")
CHINESE = {"accept-language": "zh-CN"}


def switch_marks(project, *, on):
    project.criterion_marks = on
    project.save(update_fields=["criterion_marks"])


@pytest.fixture
def lease(project, annotator):
    switch_marks(project, on=True)
    make_response(make_prompt(project, genre=project.genres.get(key="fiction")))
    return assignments.claim(annotator, make_round(project), now=NOW)


@pytest.fixture
def page(lease):
    return reverse("score", args=[lease.token])


def submit(lease, marks, **given):
    return scoring.submit(lease, **{"value": 2, "justification": "", "marks": marks, "now": NOW, **given})


def stored():
    return list(Mark.objects.order_by("pk").values_list("genre_key", "criterion_key", "value"))


def chosen(html):
    """{name: value} of the marks that the page has chosen."""
    radios = re.findall(r'<input type="radio" name="(mark-[^"]*)" value="([^"]*)"( checked)?>', html)
    return {name: value for name, value, is_checked in radios if is_checked}


def test_a_page_without_the_setting_has_none(project, browser_of, annotator, page):
    switch_marks(project, on=False)
    html = browser_of(annotator).get(page).content.decode()
    assert "mark-" not in html
    assert '<details class="criteria">' in html


def test_each_criterion_can_be_marked_from_0_to_3_or_not_at_all(browser_of, annotator, page):
    html = browser_of(annotator).get(page).content.decode()
    assert chosen(html) == {"mark-fiction.voice": "", "mark-voice": ""}
    for name in chosen(html):
        assert re.findall(rf'name="{name}" value="(.*?)"', html) == ["0", "1", "2", "3", ""]
    assert html.count("<legend>en voice") == 2
    assert '<details class="criteria" open>' in html


def test_they_are_stored_with_the_score_and_make_no_part_of_it(lease):
    score = submit(lease, {OF_FICTION: 0, UNIVERSAL: 3})
    assert score.value == 2
    assert stored() == [("fiction", "voice", 0), ("", "voice", 3)]
    assert set(Mark.objects.values_list("score", flat=True)) == {score.pk}


def test_they_are_optional(browser_of, annotator, page):
    sent = {"value": "1", "justification": "", "mark-voice": "", "mark-fiction.voice": ""}
    assert browser_of(annotator).post(page, sent).status_code == 302
    assert Score.objects.get().value == 1
    assert stored() == []


def test_the_score_stays_required_and_the_marks_come_back(browser_of, annotator, page):
    sent = {"value": "", "justification": "", "mark-voice": "0", "mark-fiction.voice": ""}
    response = browser_of(annotator).post(page, sent)
    assert response.status_code == 422
    assert chosen(response.content.decode()) == {"mark-fiction.voice": "", "mark-voice": "0"}
    assert not Score.objects.exists()


def test_the_page_in_another_language_stores_the_same_criterion(browser_of, annotator, page):
    client = browser_of(annotator)
    names = [chosen(client.get(page, headers=headers).content.decode()) for headers in ({}, CHINESE)]
    assert names[0] == names[1]
    client.post(page, {"value": "2", "mark-fiction.voice": "1"}, headers=CHINESE)
    assert stored() == [("fiction", "voice", 1)]
    assert "en voice 1" in client.get(page).content.decode()


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        ({("", "rhyme"): 1}, "unknown_criterion"),
        ({("poetry", "voice"): 1}, "unknown_criterion"),
        ({UNIVERSAL: 4}, "not_a_mark"),
        ({UNIVERSAL: -1}, "not_a_mark"),
        ({UNIVERSAL: "1"}, "not_a_mark"),
    ],
)
def test_what_is_no_mark_of_this_text_is_refused_with_the_score(lease, marks, code):
    with pytest.raises(Invalid) as refusal:
        submit(lease, {OF_FICTION: 1, **marks})
    assert refusal.value.code == code
    assert not Score.objects.exists()
    assert not lease.assignment.round.assignments.filter(state="done").exists()
    assert submit(lease, {OF_FICTION: 1}).pk


@pytest.mark.parametrize(
    "sent", [{"mark-voice": "4"}, {"mark-voice": "two"}, {"mark-rhyme": "1"}, {"mark-": "1"}]
)
def test_the_page_says_why_a_mark_is_refused(browser_of, annotator, page, sent):
    response = browser_of(annotator).post(page, {"value": "2", "justification": "Kept.", **sent})
    assert response.status_code == 422
    html = response.content.decode()
    assert "Choose marks from 0 to 3." in html or "You marked a criterion" in html
    assert "Kept." in html
    assert not Score.objects.exists()


def test_marks_are_refused_where_the_setting_is_off(project, browser_of, annotator, page):
    switch_marks(project, on=False)
    client = browser_of(annotator)
    response = client.post(page, {"value": "2", "justification": "Kept.", "mark-voice": "1"})
    assert response.status_code == 422
    assert "no marks for criteria" in response.content.decode()
    assert not Score.objects.exists()
    assert client.post(page, {"value": "2", "justification": "Kept."}).status_code == 302


def test_sent_twice_they_are_stored_once(lease):
    first = submit(lease, {UNIVERSAL: 1, OF_FICTION: 2})
    assert submit(lease, {OF_FICTION: 2, UNIVERSAL: 1}) == first
    assert len(stored()) == 2


@pytest.mark.parametrize("others", [{}, {UNIVERSAL: 2}, {UNIVERSAL: 1, OF_FICTION: 1}])
def test_other_marks_are_another_answer_and_the_first_stands(lease, others):
    submit(lease, {UNIVERSAL: 1})
    with pytest.raises(DomainError) as refusal:
        submit(lease, others)
    assert refusal.value.code == "already_scored"
    assert stored() == [("", "voice", 1)]


def test_the_submitted_page_shows_the_own_marks_in_the_language_of_the_reader(
    browser_of, annotator, lease, page
):
    submit(lease, {OF_FICTION: 0})
    client = browser_of(annotator)
    assert "<dt>en voice 1</dt><dd>0</dd>" in client.get(page).content.decode()
    html = client.get(page, headers=CHINESE).content.decode()
    assert "<dt>zh voice 1</dt><dd>0</dd>" in html
    assert "zh voice 0" not in html


def test_a_submitted_page_without_marks_says_nothing_of_them(browser_of, annotator, lease, page):
    submit(lease, {})
    assert "given-marks" not in browser_of(annotator).get(page).content.decode()


@pytest.mark.parametrize("change", [lambda marks: marks.update(value=0), lambda marks: marks.delete()])
def test_the_database_refuses_to_alter_or_remove_a_mark(lease, change):
    submit(lease, {UNIVERSAL: 1})
    with pytest.raises(Exception, match="never changed"), transaction.atomic():
        change(Mark.objects.all())
    assert stored() == [("", "voice", 1)]


@pytest.mark.parametrize(("criterion", "value"), [("rhyme", 4), ("rhyme", -1), ("voice", 1)])
def test_the_database_takes_one_mark_from_0_to_3_a_criterion(lease, criterion, value):
    score = submit(lease, {UNIVERSAL: 1})
    with pytest.raises(IntegrityError), transaction.atomic():
        Mark.objects.create(score=score, genre_key="", criterion_key=criterion, value=value)

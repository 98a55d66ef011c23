"""The scoring page: who may enter, what it shows, where it leads."""

import pytest
from django.urls import reverse

from annotation.models import Score
from annotation.services import assignments, rounds
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project):
    prompt = make_prompt(project, genre=project.genres.get(key="fiction"))
    for _ in range(2):
        make_response(prompt)
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def page(lease):
    return reverse("score", args=[lease.token])


def test_it_shows_the_prompt_the_text_and_the_rubric(browser_of, annotator, lease, page):
    html = browser_of(annotator).get(page).content.decode()
    assert lease.assignment.response.text.split("\n\n")[0] in html
    assert lease.assignment.response.prompt.text in html
    for shown in ("en level 0", "en level 3", "en description 2", "en voice 0", "en voice 1", "Fiction"):
        assert shown in html


def test_it_shows_the_rubric_in_the_language_of_the_reader(browser_of, annotator, page):
    html = browser_of(annotator).get(page, headers={"accept-language": "zh-CN"}).content.decode()
    assert "zh level 3" in html
    assert "小说" in html
    assert "en level 3" not in html


def test_it_says_nothing_about_the_source_and_is_not_cached(browser_of, annotator, lease, page):
    response = browser_of(annotator).get(page)
    for secret in (
        "secret-model-9b",
        lease.assignment.response.external_id,
        lease.assignment.response.prompt.external_id,
    ):
        assert secret not in response.content.decode() + str(response.headers)
    assert response["Cache-Control"] == "no-store"


def test_a_score_leads_to_the_next_text_and_at_the_end_to_thanks(browser_of, annotator, page, work):
    client = browser_of(annotator)
    response = client.post(page, {"value": "2", "justification": "Sound."})
    assert response.status_code == 302
    assert response.url != page
    response = client.post(response.url, {"value": "3", "justification": "Better."})
    assert response.url == reverse("finished", args=[work.token])
    assert client.get(response.url).status_code == 200
    assert sorted(Score.objects.values_list("value", flat=True)) == [2, 3]


@pytest.mark.parametrize("value", ["", "4", "two", "2.5"])
def test_without_a_score_the_page_comes_back_with_what_was_written(browser_of, annotator, page, value):
    response = browser_of(annotator).post(page, {"value": value, "justification": "I wrote <this>."})
    assert response.status_code == 422
    assert "Choose a score from 0 to 3." in response.content.decode()
    assert "I wrote &lt;this&gt;." in response.content.decode()
    assert not Score.objects.exists()


def test_a_justification_that_is_too_short_comes_back_with_the_score(browser_of, annotator, page, project):
    project.justification_minimum = 5
    project.save(update_fields=["justification_minimum"])
    response = browser_of(annotator).post(page, {"value": "2", "justification": "Too short."})
    assert response.status_code == 422
    assert "at least 5 words" in response.content.decode()
    assert "Too short." in response.content.decode()


def test_sent_twice_it_is_stored_once_and_both_lead_on(browser_of, annotator, page):
    client = browser_of(annotator)
    first = client.post(page, {"value": "2", "justification": "Sound.\r\nYes."})
    assert client.post(page, {"value": "2", "justification": "Sound.\r\nYes."}).url == first.url
    assert Score.objects.get().justification == "Sound.\nYes."


def test_another_score_is_refused_on_a_page_that_says_why(browser_of, annotator, page):
    client = browser_of(annotator)
    client.post(page, {"value": "2", "justification": ""})
    response = client.post(page, {"value": "3", "justification": ""})
    assert response.status_code == 409
    assert "The first one stands." in response.content.decode()


def test_going_back_shows_the_own_score(browser_of, annotator, page):
    client = browser_of(annotator)
    client.post(page, {"value": "2", "justification": "My own words."})
    response = client.get(page)
    assert response.status_code == 200
    assert "My own words." in response.content.decode()


def test_a_closed_round_is_said_so_and_the_text_stays_readable(browser_of, annotator, page, work):
    rounds.lock(work, by=None, now=NOW)
    client = browser_of(annotator)
    assert client.get(page).status_code == 200
    response = client.post(page, {"value": "2", "justification": ""})
    assert response.status_code == 409
    assert "has been closed" in response.content.decode()


def test_for_anybody_else_the_page_does_not_exist(browser_of, project, lead, stranger, page):
    other = make_member(project)
    for person in (other, lead, stranger):
        client = browser_of(person)
        assert client.get(page).status_code == 404
        assert client.post(page, {"value": "2"}).status_code == 404


def test_a_stranger_is_asked_to_sign_in(client, page):
    response = client.get(page)
    assert response.status_code == 302
    assert response.url.startswith(reverse("sign_in"))


def test_asking_for_a_text_needs_a_post_by_an_annotator(browser_of, annotator, lead, stranger, work):
    url = reverse("next_text", args=[work.token])
    assert browser_of(annotator).get(url).status_code == 405
    assert browser_of(annotator).post(url).url.startswith("/score/")
    assert browser_of(lead).post(url).status_code == 404
    assert browser_of(stranger).post(url).status_code == 404


def test_a_get_changes_nothing(browser_of, annotator, page, work):
    before = list(work.assignments.values())
    browser_of(annotator).get(page)
    browser_of(annotator).get("/")
    assert list(work.assignments.values()) == before
    assert not Score.objects.exists()

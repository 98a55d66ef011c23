"""The scoring page: who may enter, what it shows, where it leads."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation import access
from annotation.models import Draft, JournalEntry, Response, Score
from annotation.services import assignments, drafts, rounds, scoring
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
# Session and account are two of them, and savepoints count.
MOST_QUERIES_OF_A_PAGE = 12
MOST_QUERIES_OF_A_SUBMIT = 44
MOST_QUERIES_OF_A_SCORE = 14


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


def test_a_closed_round_is_said_so_and_the_text_stays_readable(browser_of, annotator, page, lease, work):
    rounds.lock(work, by=None, now=NOW)
    client = browser_of(annotator)
    assert client.get(page).status_code == 200
    response = client.post(page, {"value": "2", "justification": "My own words."})
    assert response.status_code == 423
    html = response.content.decode()
    assert "has been closed" in html
    assert "My own words." in html
    assert lease.assignment.response.text.split("\n\n")[0] in html


def test_a_text_that_was_withdrawn_is_said_so_and_the_own_words_can_be_copied(
    browser_of, annotator, page, lease
):
    Response.objects.filter(pk=lease.assignment.response_id).update(state="removed", removed_at=NOW)
    client = browser_of(annotator)
    assert "This text has been withdrawn." in client.get(page).content.decode()
    response = client.post(page, {"value": "2", "justification": "My own words."})
    assert response.status_code == 410
    assert "My own words." in response.content.decode()
    assert not Score.objects.exists()


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


# --- What a script of the page is told ---------------------------------------------------------------------

JSON = {"accept": "application/json"}


def test_a_script_is_told_where_a_score_leads(browser_of, annotator, page):
    client = browser_of(annotator)
    response = client.post(page, {"value": "2", "justification": ""}, headers=JSON)
    assert response.status_code == 200
    assert response.json()["next"].startswith("/score/")
    assert response["Cache-Control"] == "no-store"
    assert Score.objects.count() == 1


def test_a_script_is_told_that_the_session_has_ended_and_a_page_asks_to_sign_in(client, page):
    assert client.post(page, {"value": "2"}, headers=JSON).status_code == 401
    told = client.get(page, headers={"hx-request": "true"})
    assert (told.status_code, told["HX-Trigger"], told["HX-Reswap"]) == (401, "session-expired", "none")
    assert client.post(page, {"value": "2"}).status_code == 302


def test_a_script_is_told_why_a_score_is_not_taken(browser_of, annotator, page, work):
    client = browser_of(annotator)
    client.post(page, {"value": "2", "justification": ""})
    response = client.post(page, {"value": "3", "justification": ""}, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (409, "already_scored")


def test_a_fault_of_ours_has_a_reference_that_stands_in_the_log(
    browser_of, annotator, page, monkeypatch, caplog
):
    def fail(*_given, **_named):
        raise RuntimeError("planted")

    monkeypatch.setattr(scoring, "submit", fail)
    client = browser_of(annotator)
    client.raise_request_exception = False
    response = client.post(page, {"value": "2", "justification": ""}, headers=JSON)
    assert response.status_code == 500
    assert response["X-Reference"] in response.content.decode()
    assert response["X-Reference"] in caplog.text


# --- Drafts, speed, order ----------------------------------------------------------------------------------


def test_a_draft_stands_in_the_form_and_goes_with_the_submit(browser_of, annotator, lease, page):
    content = {"value": "1", "justification": "Begun.", "active": "30", "based_on": "0"}
    drafts.save(lease, version=0, content=content, now=NOW)
    client = browser_of(annotator)
    html = client.get(page).content.decode()
    assert "\nBegun.</textarea>" in html
    assert re.findall(r'name="value" value="(\d)"[^>]* checked', html) == ["1"]
    assert 'data-draft-version="1"' in html
    client.post(page, {"value": "2", "justification": "Done."})
    assert not Draft.objects.exists()


@pytest.mark.parametrize(("active", "is_fast"), [("0", True), ("400", False)])
def test_who_was_very_fast_is_kept_in_the_journal(browser_of, annotator, page, active, is_fast):
    browser_of(annotator).post(page, {"value": "2", "justification": "", "active": active})
    data = JournalEntry.objects.get(action="score.submitted").data
    assert data["active"] == int(active)
    assert data.get("fast", False) is is_fast


def test_without_a_clock_nothing_is_said_about_the_time(browser_of, annotator, page):
    browser_of(annotator).post(page, {"value": "2", "justification": ""})
    assert not {"active", "fast"} & JournalEntry.objects.get(action="score.submitted").data.keys()


def test_the_size_and_type_of_the_texts_are_kept_from_the_page(browser_of, annotator, page):
    client = browser_of(annotator)
    given = {"text_size": "l", "next": page}
    assert client.post(reverse("reading"), given).url == page
    client.post(reverse("reading"), {"text_face": "sans", "text_size": "nonsense"})
    assert 'data-text-size="l" data-text-face="sans"' in client.get(page).content.decode()


def test_a_page_and_a_submit_ask_the_database_little(browser_of, annotator, page):
    client = browser_of(annotator)
    client.get(page)  # the session is written the first time
    with CaptureQueriesContext(connection) as reading:
        client.get(page)
    assert len(reading) <= MOST_QUERIES_OF_A_PAGE
    with CaptureQueriesContext(connection) as sending:
        client.post(page, {"value": "2", "justification": ""})
    assert len(sending) <= MOST_QUERIES_OF_A_SUBMIT


def test_taking_a_score_asks_the_database_little(lease):
    lease = access.lease(lease.annotator.user, lease.token)  # as the page has it
    with CaptureQueriesContext(connection) as sending:
        scoring.submit(lease, value=2, justification="", active=60, now=NOW)
    assert len(sending) <= MOST_QUERIES_OF_A_SCORE

"""The page of votes on categories: who may enter, what it shows, where it leads."""

import pytest
from django.urls import reverse

from annotation.models import CategoryVote, Draft
from annotation.services import rounds
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.rounds_of_votes import hand_out, make_category_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompts(project):
    genre = project.genres.get(key="fiction")
    texts = ("Write a sonnet about\n\na bridge.", "Write a tale of a ferry.")
    return [
        make_prompt(project, f"SECRET-PROMPT-{n}", text=text, genre=genre) for n, text in enumerate(texts)
    ]


@pytest.fixture
def work(project, prompts):
    return make_category_round(project, prompts)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


@pytest.fixture
def page(lease):
    return reverse("vote", args=[lease.token])


def test_it_shows_the_prompt_and_the_categories_by_key(browser_of, annotator, lease, page):
    html = browser_of(annotator).get(page).content.decode()
    assert lease.assignment.prompt.text.split("\n\n")[0] in html
    assert 'name="value" value="fiction" data-key="1"' in html
    assert 'name="value" value="poetry" data-key="2"' in html
    assert " checked" not in html.split("<dialog")[0]


def test_it_shows_categories_in_the_language_of_the_reader(browser_of, annotator, page):
    html = browser_of(annotator).get(page, headers={"accept-language": "zh-CN"}).content.decode()
    assert "小说" in html
    assert "Fiction" not in html


def test_types_are_no_categories(project, browser_of, annotator, page):
    macro = project.genres.get(key="poetry")
    project.genres.create(parent=macro, key="haiku", name_en="Haiku", position=9)
    assert "Haiku" not in browser_of(annotator).get(page).content.decode()


def test_it_says_nothing_of_ids_responses_or_other_votes(project, browser_of, annotator, lease, page, work):
    make_response(lease.assignment.prompt, "SECRET-RESPONSE", "SECRET-TEXT")
    other = make_member(project, "annotator", "SECRET-NAME")
    browser_of(other).post(
        reverse("vote", args=[hand_out(other, work).token]),
        {"value": "poetry", "justification": "SECRET-WORDS"},
    )
    response = browser_of(annotator).get(page)
    assert "SECRET" not in response.content.decode() + str(response.headers)
    assert response["Cache-Control"] == "no-store"


def test_a_vote_leads_to_the_next_prompt_and_at_the_end_to_thanks(browser_of, annotator, page, work):
    client = browser_of(annotator)
    response = client.post(page, {"value": "poetry", "justification": ""})
    assert response.status_code == 302
    assert response.url.startswith("/vote/")
    assert response.url != page
    response = client.post(response.url, {"value": "fiction", "justification": "A tale."})
    assert response.url == reverse("finished", args=[work.token])
    assert client.get(response.url).status_code == 200
    assert CategoryVote.objects.count() == 2


@pytest.mark.parametrize("value", ["", "no-such", "1"])
def test_without_a_category_the_page_comes_back_with_what_was_written(browser_of, annotator, page, value):
    response = browser_of(annotator).post(page, {"value": value, "justification": "I wrote <this>."})
    assert response.status_code == 422
    assert "Choose a category." in response.content.decode()
    assert "I wrote &lt;this&gt;." in response.content.decode()
    assert not CategoryVote.objects.exists()


def test_a_submitted_vote_is_shown_and_can_be_changed_until_the_lock(browser_of, annotator, page, work):
    client = browser_of(annotator)
    client.post(page, {"value": "poetry", "justification": "A sonnet."})
    shown = client.get(page).content.decode()
    assert "Your answer" in shown
    assert "A sonnet." in shown
    assert 'type="radio"' not in shown
    form = client.get(page + "?edit").content.decode()
    assert 'value="poetry" data-key="2" checked' in form
    assert 'name="based_on" value="1"' in form
    response = client.post(page, {"value": "fiction", "justification": "", "based_on": "1"})
    assert response.url == page
    assert [vote.category.key for vote in CategoryVote.objects.order_by("revision")] == ["poetry", "fiction"]
    rounds.lock(work, by=None, now=NOW)
    assert "?edit" not in client.get(page).content.decode()
    assert 'type="radio"' not in client.get(page + "?edit").content.decode()


def test_a_change_made_in_another_window_meanwhile_is_said(browser_of, annotator, page):
    client = browser_of(annotator)
    client.post(page, {"value": "poetry"})
    client.post(page, {"value": "fiction", "based_on": "1"})
    response = client.post(page, {"value": "poetry", "justification": "Kept <here>.", "based_on": "1"})
    assert response.status_code == 409
    assert "Kept &lt;here&gt;." in response.content.decode()


def test_what_was_begun_stands_in_the_form_again(browser_of, annotator, lease, page):
    content = {"value": "poetry", "justification": "Half a thought", "based_on": "0"}
    Draft.objects.create(lease=lease, version=3, content=content, saved_at=NOW)
    html = browser_of(annotator).get(page).content.decode()
    assert 'value="poetry" data-key="2" checked' in html
    assert "Half a thought" in html
    browser_of(annotator).post(page, {"value": "poetry"})
    assert not Draft.objects.exists()


def test_only_the_holder_finds_the_page(browser_of, page, project, lead, stranger):
    for person in (lead, stranger, make_member(project)):
        assert browser_of(person).get(page).status_code == 404
        assert browser_of(person).post(page, {"value": "poetry"}).status_code == 404


def test_a_lease_of_another_kind_does_not_open_it(browser_of, annotator, lease):
    assert browser_of(annotator).get(reverse("choose", args=[lease.token])).status_code == 404

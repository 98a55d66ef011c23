"""The page of pairs: who may enter, what it shows, where it leads."""

import pytest
from django.urls import reverse

from annotation.models import Preference
from annotation.queries import preferences as queries
from annotation.services import rounds
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.rounds_of_votes import hand_out, make_pair_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairs(project):
    prompt = make_prompt(project, "SECRET-PROMPT", genre=project.genres.get(key="fiction"))
    texts = [
        make_response(prompt, f"SECRET-{n}", f"Opening {n}.\n\nClose {n}.", source_model="SECRET-MODEL")
        for n in range(3)
    ]
    return [(texts[0], texts[1]), (texts[1], texts[2])]


@pytest.fixture
def work(project, pairs):
    return make_pair_round(project, pairs, ties_allowed=True)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


@pytest.fixture
def page(lease):
    return reverse("choose", args=[lease.token])


def test_it_shows_the_prompt_and_both_texts_as_a_and_b(browser_of, annotator, lease, page):
    html = browser_of(annotator).get(page).content.decode()
    assert lease.assignment.prompt.text in html
    first, second = queries.sides(lease)
    assert "Fiction" in html
    assert html.index('id="text-a"') < html.index(first.text.split("\n")[0]) < html.index('id="text-b"')
    assert html.index('id="text-b"') < html.index(second.text.split("\n")[0])


def test_a_tie_is_offered_only_where_the_round_allows_it(browser_of, annotator, page, project, pairs):
    assert 'value="tie" data-key="="' in browser_of(annotator).get(page).content.decode()
    strict = make_pair_round(project, pairs, name="Strict")
    address = reverse("choose", args=[hand_out(annotator, strict).token])
    assert 'value="tie"' not in browser_of(annotator).get(address).content.decode()
    assert browser_of(annotator).post(address, {"value": "tie"}).status_code == 422


def test_it_says_nothing_of_ids_sources_or_other_choices(project, browser_of, annotator, page, work):
    other = make_member(project, "annotator", "SECRET-NAME")
    browser_of(other).post(
        reverse("choose", args=[hand_out(other, work).token]), {"value": "a", "justification": "SECRET-WORDS"}
    )
    response = browser_of(annotator).get(page)
    assert "SECRET" not in response.content.decode() + str(response.headers)
    assert response["Cache-Control"] == "no-store"


def test_a_choice_leads_to_the_next_pair_and_at_the_end_to_thanks(browser_of, annotator, page, work):
    client = browser_of(annotator)
    response = client.post(page, {"value": "a"})
    assert response.url.startswith("/choose/")
    response = client.post(response.url, {"value": "tie", "justification": "Both."})
    assert response.url == reverse("finished", args=[work.token])
    assert sorted(Preference.objects.values_list("preferred", flat=True)) == ["a", "tie"]


@pytest.mark.parametrize("value", ["", "c", "first"])
def test_without_a_choice_the_page_comes_back_with_what_was_written(browser_of, annotator, page, value):
    response = browser_of(annotator).post(page, {"value": value, "justification": "I wrote <this>."})
    assert response.status_code == 422
    assert "Choose the better text." in response.content.decode()
    assert "I wrote &lt;this&gt;." in response.content.decode()


def test_a_reason_that_is_too_short_comes_back_with_the_choice(browser_of, annotator, page, project):
    project.justification_minimum = 5
    project.save(update_fields=["justification_minimum"])
    response = browser_of(annotator).post(page, {"value": "b", "justification": "Too short."})
    html = response.content.decode()
    assert response.status_code == 422
    assert "Write at least 5 words" in html
    assert 'value="b" data-key="b" checked' in html


def test_a_submitted_choice_is_shown_and_can_be_changed_until_the_lock(browser_of, annotator, page, work):
    client = browser_of(annotator)
    client.post(page, {"value": "b", "justification": "Its end."})
    shown = client.get(page).content.decode()
    assert "Its end." in shown
    assert 'type="radio"' not in shown
    assert 'value="b" data-key="b" checked' in client.get(page + "?edit").content.decode()
    assert client.post(page, {"value": "a", "based_on": "1"}).url == page
    assert list(Preference.objects.order_by("revision").values_list("preferred", flat=True)) == ["b", "a"]
    rounds.lock(work, by=None, now=NOW)
    assert "?edit" not in client.get(page).content.decode()


def test_only_the_holder_finds_the_page(browser_of, page, project, lead, stranger):
    for person in (lead, stranger, make_member(project)):
        assert browser_of(person).get(page).status_code == 404
        assert browser_of(person).post(page, {"value": "a"}).status_code == 404

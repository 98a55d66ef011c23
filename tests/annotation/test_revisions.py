"""Changing a score that was given: a new revision, once, as long as the round is open."""

import pytest
from django.urls import reverse

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import JournalEntry, Response, Round, Score
from annotation.queries import scoring as queries
from annotation.services import assignments, membership, revising, rounds, scoring
from tests.factories import NOW, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project):
    for _ in range(2):
        make_response(make_prompt(project, genre=project.genres.get(key="fiction")))
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    """Of a text that has been scored."""
    found = assignments.claim(annotator, work, now=NOW)
    scoring.submit(found, value=2, justification="Sound.", now=NOW)
    return found


@pytest.fixture
def page(lease):
    return reverse("score", args=[lease.token])


def revise(lease, **given):
    values = {"based_on": 1, "value": 3, "justification": "Better than I thought.", "now": NOW}
    return revising.revise(lease, **{**values, **given})


def refusal(lease, **given):
    with pytest.raises(DomainError) as refused:
        revise(lease, **given)
    return refused.value.code


def kept():
    return list(Score.objects.order_by("revision").values_list("revision", "value", "justification"))


def test_a_change_is_a_new_revision_and_the_first_stays(lease):
    first = Score.objects.get()
    score = revise(lease)
    assert kept() == [(1, 2, "Sound."), (2, 3, "Better than I thought.")]
    assert (score.standing, score.assignment) == (first.standing, first.assignment)
    entry = JournalEntry.objects.get(action="score.revised")
    assert (entry.data["score"], entry.data["revision"]) == (score.pk, 2)


def test_changed_five_times_it_has_one_value_and_a_history_of_six(lease):
    for number in range(1, 6):
        revise(lease, based_on=number, value=number % 4, justification=f"Now {number}.")
    assert [revision for revision, _value, _words in kept()] == [1, 2, 3, 4, 5, 6]


def test_sent_twice_it_is_one_revision(lease):
    assert revise(lease) == revise(lease)
    assert len(kept()) == 2


def test_what_says_the_same_as_before_is_no_revision(lease):
    revise(lease, value=2, justification="Sound.")
    assert len(kept()) == 1


def test_another_tab_that_revised_meanwhile_is_not_written_over(lease):
    revise(lease)
    assert refusal(lease, value=0) == "revised_meanwhile"
    assert len(kept()) == 2


def test_both_at_the_same_moment_store_one(lease, monkeypatch):
    """The other tab commits between the look and the store."""
    seen = Score.objects.get()
    revise(lease)
    looks = iter([seen])
    latest = queries.latest
    monkeypatch.setattr(queries, "latest", lambda asked: next(looks, None) or latest(asked))
    assert refusal(lease, value=0) == "revised_meanwhile"
    looks = iter([seen])
    assert revise(lease).revision == 2
    assert len(kept()) == 2


@pytest.mark.parametrize("act", [rounds.pause, rounds.lock])
def test_a_pause_stops_no_change_and_a_closed_round_does(lease, work, act):
    act(work, by=None, now=NOW)
    lease.assignment.round.refresh_from_db()
    if act is rounds.pause:
        assert revise(lease).revision == 2
    else:
        assert refusal(lease) == "round_not_open"
        assert len(kept()) == 1


def test_a_round_that_closes_at_this_moment_takes_no_change(lease, work):
    """What was read at the beginning of the request says that it is open."""
    assert lease.assignment.round.state == Round.State.OPEN
    rounds.lock(work, by=None, now=NOW)
    assert refusal(lease) == "round_not_open"


def test_who_has_left_changes_nothing(lease, annotator, project):
    membership.leave(project, annotator.user, now=NOW)
    with pytest.raises(NotAllowed):
        revise(lease)


def test_of_a_text_that_was_withdrawn_nothing_is_changed(lease):
    lease.assignment.response.state = Response.State.REMOVED
    assert refusal(lease) == "withdrawn"


@pytest.mark.parametrize("purpose", ["exam", "training", "calibration"])
def test_what_was_given_in_preparation_stands(lease, purpose):
    lease.assignment.round.purpose = purpose
    assert refusal(lease) == "not_revisable"


def test_what_was_not_scored_cannot_be_changed(work, annotator):
    assert refusal(assignments.claim(annotator, work, now=NOW)) == "not_scored"


def test_it_must_be_as_long_as_any_other(lease, project):
    project.justification_minimum = 9
    project.save(update_fields=["justification_minimum"])
    lease.assignment.round.project.refresh_from_db()
    with pytest.raises(Invalid):
        revise(lease)


# --- On the page -------------------------------------------------------------------------------------------


def test_the_submitted_text_shows_the_answer_and_leads_to_the_form_with_it(browser_of, annotator, page):
    client = browser_of(annotator)
    html = client.get(page).content.decode()
    assert "Submitted" in html
    assert f'href="{page}?edit"' in html
    form = client.get(page + "?edit").content.decode()
    assert "\nSound.</textarea>" in form
    assert 'name="based_on" value="1"' in form
    assert "Save the change" in form


def test_a_change_from_the_page_leads_on_and_from_the_own_work_back(browser_of, annotator, page):
    client = browser_of(annotator)
    first = client.post(page, {"value": "3", "justification": "", "based_on": "1"})
    assert first.url.startswith("/score/")
    assert first.url != page
    back = client.post(page, {"value": "1", "justification": "", "based_on": "2", "after": "own_work"})
    assert back.url == reverse("own_work")
    assert [value for _revision, value, _words in kept()] == [2, 3, 1]


def test_a_refused_change_comes_back_with_what_was_sent(browser_of, annotator, page, project):
    project.justification_minimum = 9
    project.save(update_fields=["justification_minimum"])
    response = browser_of(annotator).post(page, {"value": "3", "justification": "Short.", "based_on": "1"})
    assert response.status_code == 422
    html = response.content.decode()
    assert "\nShort.</textarea>" in html
    assert 'name="based_on" value="1"' in html


def test_a_second_tab_is_told(browser_of, annotator, page):
    client = browser_of(annotator)
    client.post(page, {"value": "3", "justification": "", "based_on": "1"})
    response = client.post(page, {"value": "0", "justification": "Mine.", "based_on": "1"})
    assert response.status_code == 409
    assert "Mine." in response.content.decode()


def test_in_a_closed_round_the_form_is_not_offered(browser_of, annotator, page, work):
    rounds.lock(work, by=None, now=NOW)
    client = browser_of(annotator)
    for address in (page, page + "?edit"):
        html = client.get(address).content.decode()
        assert "Sound." in html
        assert "<textarea" not in html
        assert "?edit" not in html

"""My work: one's own answers of every kind, and nothing of anybody else."""

import pytest
from django.urls import reverse

from annotation.models import CategoryVote, Lease, Preference, RankedResponse, Ranking, Round, Score
from annotation.queries import own_work
from annotation.services import assignments, revising, rounds, scoring, slots
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, make_slot

pytestmark = pytest.mark.django_db
PAGE = "/work/mine/"


@pytest.fixture
def work(project):
    prompt = make_prompt(project, genre=project.genres.get(key="fiction"))
    make_response(prompt, text="The ferry leaves at ten past nine.")
    return make_round(project, "Spring")


@pytest.fixture
def lease(work, annotator):
    found = assignments.claim(annotator, work, now=NOW)
    scoring.submit(found, value=2, justification="Sound enough.", active=0, now=NOW)
    return found


def html_of(browser_of, person, **query):
    response = browser_of(person).get(PAGE, query)
    assert response.status_code == 200
    return response.content.decode()


def test_it_shows_date_genre_beginning_answer_round_and_status(browser_of, annotator, lease):
    html = html_of(browser_of, annotator)
    for shown in ("Spring", "Fiction", "The ferry leaves", "2 en level 2", "Sound enough.", "2026"):
        assert shown in html
    assert f'href="{reverse("score", args=[lease.token])}?edit=own_work"' in html


def test_it_speaks_the_language_of_the_reader(browser_of, annotator, lease):
    response = browser_of(annotator).get(PAGE, headers={"accept-language": "zh-CN"})
    for shown in ("2 zh level 2", "小说"):
        assert shown in response.content.decode()


def test_every_revision_is_shown(browser_of, annotator, lease):
    revising.revise(lease, based_on=1, value=3, justification="Better.", now=NOW)
    html = html_of(browser_of, annotator)
    assert "2 revisions" in html
    for shown in ("Sound enough.", "Better.", "3 en level 3", "2 en level 2"):
        assert shown in html
    assert html.count("<article") == 1


def test_a_closed_round_is_looked_at_and_not_edited(browser_of, annotator, lease, work):
    rounds.lock(work, by=None, now=NOW)
    html = html_of(browser_of, annotator)
    assert "?edit" not in html
    assert "Closed" in html
    assert reverse("score", args=[lease.token]) in html


def test_nothing_of_others_is_shown(browser_of, annotator, lease, project, work, lead, stranger):
    other = make_member(project)
    scoring.submit(
        assignments.claim(other, work, now=NOW), value=0, justification="THEIRS", active=0, now=NOW
    )
    assert "THEIRS" not in html_of(browser_of, annotator)
    assert "Sound enough." not in html_of(browser_of, other)
    for person in (lead, stranger):
        html = html_of(browser_of, person)
        assert "Nothing submitted yet." in html
        assert "THEIRS" not in html


def test_a_stranger_is_asked_to_sign_in(client):
    assert client.get(PAGE).status_code == 302


def test_what_the_project_was_left_with_is_not_shown(browser_of, annotator, lease):
    annotator.state = "left"
    annotator.save(update_fields=["state"])
    assert "Sound enough." not in html_of(browser_of, annotator)


@pytest.mark.parametrize("purpose", ["gold", "repeat"])
def test_what_is_mixed_in_looks_like_any_other(browser_of, annotator, lease, project, work, purpose):
    hidden = Round.objects.create(
        project=project,
        name="HIDDEN",
        purpose=purpose,
        state="open",
        rubric=work.rubric,
        mixed_into=work,
        created_at=NOW,
        opened_at=NOW,
    )
    response = make_response(make_prompt(project), text="Another text.")
    slot = make_slot(hidden, response, state="leased", annotator=annotator, leased_until=NOW)
    found = Lease.objects.create(token="mixed-in", assignment=slot, annotator=annotator, leased_at=NOW)
    scoring.submit(found, value=1, justification="", now=NOW)
    html = html_of(browser_of, annotator)
    assert "Another text." in html
    assert "HIDDEN" not in html
    assert purpose not in html.lower()
    assert html.count("Spring") == 2


def test_exams_courses_and_calibrations_are_no_work(browser_of, annotator, lease, work):
    Round.objects.filter(pk=work.pk).update(purpose="calibration")
    assert "Nothing submitted yet." in html_of(browser_of, annotator)


def test_time_at_work_is_added_up_over_revisions(annotator, lease):
    later = NOW.replace(hour=10)
    revising.revise(lease, based_on=1, value=3, justification="", active=75, now=later)
    [answer] = page_of(annotator)
    assert answer.active == "1 min"


def page_of(annotator):
    return own_work.page(annotator.user, list(own_work.answers(annotator.user)), language="en")


def handed(annotator, slot, token):
    slot.save()
    return Lease.objects.create(token=token, assignment=slot, annotator=annotator, leased_at=NOW)


def other_round(project, work, kind):
    return Round.objects.create(
        project=project,
        name=kind,
        kind=kind,
        state="open",
        rubric=work.rubric,
        created_at=NOW,
        opened_at=NOW,
    )


def test_every_kind_of_answer_is_there_with_its_revisions(browser_of, annotator, lease, project, work):
    """As the pages of rankings and votes would have stored them."""
    prompt = make_prompt(project, text="Write about a well.")
    one, two, three = (make_response(prompt) for _ in range(3))
    given = {"annotator": annotator, "recorded_at": NOW, "prompt": prompt}
    done = {"state": "done", "annotator": annotator}
    ranked = other_round(project, work, "rankings")
    slot = handed(annotator, slots.of_prompt(ranked, prompt.pk, 1, **done), "to-rank").assignment
    ranking = Ranking.objects.create(round=ranked, assignment=slot, at=NOW, **given)
    for shown, (response, tier) in enumerate(((one, 2), (two, 1), (three, 2)), start=1):
        RankedResponse.objects.create(ranking=ranking, response=response, tier=tier, shown=shown)
    voted = other_round(project, work, "categories")
    slot = handed(annotator, slots.of_prompt(voted, prompt.pk, 1, **done), "to-vote").assignment
    for revision, key in enumerate(("fiction", "poetry"), start=1):
        category = project.genres.get(key=key)
        CategoryVote.objects.create(
            round=voted, assignment=slot, category=category, revision=revision, at=NOW, **given
        )
    paired = other_round(project, work, "pairs")
    slot = slots.of_pair(paired, (one.pk, two.pk), prompt.pk, 1, **done)
    slot = handed(annotator, slot, "to-choose").assignment
    for revision, (a, b, preferred) in enumerate(((two, one, "a"), (one, two, "b")), start=1):
        Preference.objects.create(
            round=paired,
            assignment=slot,
            response_a=a,
            response_b=b,
            preferred=preferred,
            revision=revision,
            at=NOW,
            **given,
        )
    found = {answer.kind: answer for answer in page_of(annotator)}
    said = {kind: [each.answer for each in answer.revisions] for kind, answer in found.items()}
    assert said == {
        "scores": ["2 en level 2"],
        "rankings": ["B > A = C"],
        "categories": ["Poetry", "Fiction"],
        "pairs": ["B is better", "A is better"],
    }
    assert {answer.token for answer in found.values()} == {lease.token, "to-rank", "to-vote", "to-choose"}
    assert found["rankings"].beginning == "Write about a well."
    assert html_of(browser_of, annotator).count("<article") == 4


def test_it_comes_in_pages(browser_of, annotator, project, monkeypatch):
    monkeypatch.setattr(own_work, "ON_A_PAGE", 2)
    for number in range(3):
        make_response(make_prompt(project), text=f"Text number {number}.")
    work = make_round(project)
    while lease := assignments.claim(annotator, work, now=NOW):
        scoring.submit(lease, value=1, justification="", now=NOW)
    pages = [html_of(browser_of, annotator, page=number) for number in (1, 2)]
    assert [html.count("<article") for html in pages] == [2, 1]
    assert "Page 1 of 2" in pages[0]
    assert html_of(browser_of, annotator, page="nonsense").count("<article") == 2
    assert Score.objects.count() == 3


def test_a_page_asks_the_database_the_same_however_long_it_is(
    annotator, project, django_assert_max_num_queries
):
    for _ in range(6):
        make_response(make_prompt(project))
    work = make_round(project)
    while lease := assignments.claim(annotator, work, now=NOW):
        scoring.submit(lease, value=1, justification="", now=NOW)
    with django_assert_max_num_queries(6):
        assert len(page_of(annotator)) == 6

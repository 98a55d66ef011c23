"""What is judged in a round: responses, orders of them, prompts, pairs; each has slots of its own shape."""

import pytest
from django.urls import reverse

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError, Invalid
from annotation.models import Genre
from annotation.queries import rounds as queries
from annotation.services import assignments, consensus, rounds
from tests.factories import NOW, make_member, make_project, make_prompt, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def material(project, annotator):
    """A prompt with one response, one with three, one with ten."""
    prompts = [make_prompt(project) for _ in range(3)]
    for prompt, number in zip(prompts, (1, 3, 10), strict=True):
        for _ in range(number):
            make_response(prompt)
    return prompts


def draft(project, kind, **changes):
    made = rounds.draft(project, "Round", purpose="live", kind=kind, filters=Filters(), by=None, now=NOW)
    values = {
        "name": "Round",
        "purpose": "live",
        "annotators_per_response": 3,
        "assigning": "pool",
        "kind": kind,
        **changes,
    }
    rounds.change(made, **values, by=None, now=NOW)
    made.refresh_from_db()
    return made


def test_a_round_of_rankings_asks_about_prompts_with_two_to_nine_responses(project, material):
    work = draft(project, "rankings", ties_allowed=True)
    rounds.open_draft(work, by=None, now=NOW)
    slots = work.assignments.values_list("prompt", "response", "other", "slot")
    assert sorted(slots) == [(material[1].pk, None, None, number) for number in (1, 2, 3)]


def test_a_round_of_votes_asks_about_every_prompt(project, material):
    work = draft(project, "categories")
    rounds.open_draft(work, by=None, now=NOW)
    assert work.assignments.count() == 9
    assert set(work.assignments.values_list("prompt", flat=True)) == {prompt.pk for prompt in material}


@pytest.mark.parametrize("kind", ["rankings", "categories"])
def test_what_is_set_aside_for_an_exam_is_not_asked_about(project, material, kind):
    exam = rounds.draft(project, "Exam", purpose="exam", filters=Filters(), by=None, now=NOW)
    for response in material[1].responses.all():
        consensus.add(exam, response, kind="exam", value=2, by=None, now=NOW)
    assert material[1].pk not in {prompt for prompt, _response in queries.asked(draft(project, kind))}


def test_an_annotator_is_given_each_prompt_once(project, material, annotator):
    work = draft(project, "categories")
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    given = []
    for _ in range(3):
        lease = assignments.claim(annotator, work, now=NOW)
        given.append(lease.assignment.prompt_id)
        work.assignments.filter(pk=lease.assignment_id).update(state="done", leased_until=None)
    assert sorted(given) == sorted(prompt.pk for prompt in material)
    assert assignments.claim(annotator, work, now=NOW) is None


def test_nothing_to_rank_keeps_the_draft_from_being_opened(project, annotator):
    make_response(make_prompt(project))
    work = draft(project, "rankings")
    with pytest.raises(DomainError, match="responses to be ranked"):
        rounds.open_draft(work, by=None, now=NOW)


def test_ranking_by_requirements_needs_requirements(project, material):
    work = draft(project, "rankings", instruction="requirements")
    with pytest.raises(DomainError, match="no requirements"):
        rounds.open_draft(work, by=None, now=NOW)
    for prompt in material:
        prompt.requirements.create(position=1, text="It rains.")
    rounds.open_draft(work, by=None, now=NOW)


def test_a_vote_needs_categories():
    bare = make_project(with_rubric=False)
    bare.rubrics.create(version=1, created_at=NOW)
    Genre.objects.filter(project=bare).delete()
    make_member(bare)
    make_response(make_prompt(bare))
    work = draft(bare, "categories")
    with pytest.raises(DomainError, match="macro-categories"):
        rounds.open_draft(work, by=None, now=NOW)


def test_a_round_of_pairs_is_made_where_its_pairs_are_chosen(project, material):
    work = draft(project, "scores")
    values = {"name": "Round", "purpose": "live", "annotators_per_response": 3, "assigning": "pool"}
    with pytest.raises(Invalid, match="its pairs are chosen"):
        rounds.change(work, **values, kind="pairs", by=None, now=NOW)


def test_ties_are_taken_over_from_the_project(project, material):
    project.ties_allowed = True
    project.save(update_fields=["ties_allowed"])
    made = rounds.draft(project, "New", purpose="live", kind="rankings", filters=Filters(), by=None, now=NOW)
    assert made.ties_allowed


def test_the_lead_chooses_the_kind_on_the_page(project, material, lead, browser_of):
    client = browser_of(lead)
    sent = {"name": "Order", "purpose": "live", "kind": "rankings"}
    place = client.post(reverse("new_round", args=[project.slug]), sent).url
    work = project.rounds.get(name="Order")
    assert work.kind == "rankings"
    page = client.get(place).content.decode()
    assert "What rankings go by" in page
    changed = {**sent, "assigning": "pool", "annotators_per_response": "3", "instruction": "requirements"}
    client.post(reverse("change_round", args=[project.slug, work.pk]), {**changed, "ties_allowed": "on"})
    work.refresh_from_db()
    assert (work.instruction, work.ties_allowed) == ("requirements", True)


def test_the_line_of_a_round_of_rankings_counts_what_is_ranked(project, material):
    work = draft(project, "rankings")
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    line = queries.line_of(work)
    assert (line.prompts, line.responses, line.slots, line.done) == (1, 3, 3, 0)

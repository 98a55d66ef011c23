"""What votes on categories come to, prompt by prompt: for leads, with the adjudicator's decision where there is one."""

import re

import pytest
from django.urls import reverse

from annotation.domain.splits import Thresholds
from annotation.models import AdjudicationCase, Assignment, CategoryVote
from annotation.queries import category_outcomes as queries
from annotation.services import adjudication, membership, slots
from tests.factories import NOW, make_member, make_project, make_prompt, make_round
from tests.rounds_of_votes import make_category_round
from tests.split_rounds import send

pytestmark = pytest.mark.django_db
# What three people say of each prompt.
VOTES = {
    "p1": ("poetry", "poetry", "fiction"),
    "p2": ("poetry", "fiction", "essay"),
    "p3": ("essay",),
    "p4": ("fiction", "essay", "poetry"),
}


def vote(slot, member, category):
    Assignment.objects.filter(pk=slot.pk).update(state="done", annotator=member)
    return CategoryVote.objects.create(
        round=slot.round,
        prompt=slot.prompt,
        annotator=member,
        assignment=slot,
        category=slot.round.project.genres.get(key=category),
        standing="counted",
        at=NOW,
        recorded_at=NOW,
    )


@pytest.fixture
def voters(project):
    return [make_member(project, "annotator", name) for name in ("vera", "boris", "celia")]


@pytest.fixture
def work(project, voters):
    """A round in which p1 has a majority, p2 and p4 are tied, and two votes on p3 are missing."""
    project.genres.create(key="essay", name_en="Essay", name_zh="随笔", position=2)
    fiction = project.genres.get(key="fiction")
    tale = project.genres.create(parent=fiction, key="tale", name_en="Tale", position=3)
    for name in VOTES:
        make_prompt(project, name, text=f"Text of {name}.", genre=tale if name == "p1" else None)
    made = make_category_round(project, project.prompts.order_by("pk"))
    for slot in made.assignments.select_related("prompt", "round__project").order_by("slot"):
        said = VOTES[slot.prompt.external_id]
        if slot.slot <= len(said):
            vote(slot, voters[slot.slot - 1], said[slot.slot - 1])
    return made


@pytest.fixture
def adjudicated(project, work):
    send(work, Thresholds())
    cases = {case.prompt.external_id: case for case in AdjudicationCase.objects.all()}
    member = make_member(project, "adjudicator", "judge")
    adjudication.own(cases["p2"], member, choice="essay", justification="", now=NOW)
    adjudication.decide(cases["p2"], member, choice="fiction", reason="It <tells>.", now=NOW)
    return work


def lines(work, state=""):
    found = queries.outcomes(work, state=state, number="1", language="en")
    return {line.prompt: line for line in found.page.object_list}


def address(work):
    return reverse("category_outcomes", args=[work.project.slug, work.pk])


def html_of(browser, work, query=""):
    return browser.get(address(work) + query).content.decode()


def stands(work):
    return {name: (line.state, line.category) for name, line in lines(work).items()}


# --- What holds ----------------------------------------------------------------------------------


def test_a_majority_decides_and_nothing_else_does(work):
    assert stands(work) == {
        "p1": ("majority", "Poetry"),
        "p2": ("tied", ""),
        "p3": ("open", ""),
        "p4": ("tied", ""),
    }


def test_after_adjudication_the_decision_holds_and_the_votes_stay(adjudicated):
    found = lines(adjudicated)
    assert stands(adjudicated)["p2"] == ("adjudicated", "Fiction")
    assert stands(adjudicated)["p4"] == ("waiting", "")
    assert stands(adjudicated)["p1"] == ("majority", "Poetry")
    assert found["p2"].reason == "It <tells>."
    assert sorted((one.category, one.count) for one in found["p2"].votes) == [
        ("Essay", 1),
        ("Fiction", 1),
        ("Poetry", 1),
    ]


def test_what_was_decided_stands_though_a_vote_changes_later(adjudicated, voters):
    given = CategoryVote.objects.get(prompt__external_id="p2", annotator=voters[0])
    CategoryVote.objects.create(
        **{
            name: getattr(given, name)
            for name in ("round", "prompt", "annotator", "assignment", "standing", "at")
        },
        category=adjudicated.project.genres.get(key="essay"),
        revision=2,
        recorded_at=NOW,
    )
    assert stands(adjudicated)["p2"] == ("adjudicated", "Fiction")
    assert [(one.category, one.count) for one in lines(adjudicated)["p2"].votes] == [
        ("Essay", 2),
        ("Fiction", 1),
    ]


def test_a_case_that_waits_is_over_once_a_changed_vote_makes_a_majority(adjudicated, voters):
    given = CategoryVote.objects.get(prompt__external_id="p4", annotator=voters[2])
    CategoryVote.objects.create(
        **{
            name: getattr(given, name)
            for name in ("round", "prompt", "annotator", "assignment", "standing", "at")
        },
        category=adjudicated.project.genres.get(key="essay"),
        revision=2,
        recorded_at=NOW,
    )
    assert stands(adjudicated)["p4"] == ("majority", "Essay")


def test_votes_of_somebody_whose_data_were_withdrawn_do_not_count(lead, work, voters):
    membership.withdraw_data(voters[0], reason="quality", by=lead.user, now=NOW)
    found = lines(work)["p1"]
    assert (found.state, found.given, found.asked) == ("open", 2, 3)


def test_the_most_votes_come_first_and_the_category_of_the_material_stands_beside(work):
    found = lines(work)["p1"]
    assert [(one.category, one.count) for one in found.votes] == [("Poetry", 2), ("Fiction", 1)]
    assert (found.given, found.asked) == (3, 3)
    assert found.material == "Fiction"  # of which a tale is a type
    assert found.is_another
    assert not lines(work)["p2"].is_another


def test_a_round_that_asks_about_nothing_has_no_line(project):
    assert lines(make_category_round(project, [])) == {}


# --- The page ------------------------------------------------------------------------------------


def test_it_is_open_to_leads_alone(project, lead, annotator, stranger, adjudicated, browser_of):
    for person, status in (
        (lead, 200),
        (annotator, 403),
        (make_member(project, "instructor"), 403),
        (make_member(project, "adjudicator"), 403),
        (make_member(make_project("elsewhere"), "lead"), 404),
        (stranger, 404),
    ):
        assert browser_of(person).get(address(adjudicated)).status_code == status, person
    assert browser_of(lead).post(address(adjudicated)).status_code == 405


def test_rounds_of_other_kinds_and_projects_have_no_such_page(project, lead, browser_of):
    other = make_round(make_project("elsewhere"))
    for slug, pk in ((project.slug, make_round(project).pk), (project.slug, other.pk)):
        page = reverse("category_outcomes", args=[slug, pk])
        assert browser_of(lead).get(page).status_code == 404


def test_it_says_votes_outcome_category_and_reason(lead, adjudicated, browser_of):
    html = html_of(browser_of(lead), adjudicated)
    assert "Text of p2." in html
    assert "Poetry&nbsp;2 · Fiction&nbsp;1" in html
    assert "3 of 3 votes" in html
    assert "<b>Fiction</b>" in html
    assert "It &lt;tells&gt;." in html
    assert "vera" not in re.sub(r"<[^>]+>", " ", html.split("<table")[1]).split()


@pytest.mark.parametrize(
    ("state", "seen"),
    [
        ("", ["p1", "p2", "p3", "p4"]),
        ("majority", ["p1"]),
        ("adjudicated", ["p2"]),
        ("open", ["p3"]),
        ("waiting", ["p4"]),
        ("tied", []),
        ("made up", ["p1", "p2", "p3", "p4"]),
    ],
)
def test_it_can_be_narrowed_down_to_an_outcome(lead, adjudicated, browser_of, state, seen):
    html = html_of(browser_of(lead), adjudicated, f"?state={state}")
    assert re.findall(r'<span class="any-name">(p\d)</span>', html) == seen
    assert ("No prompt has this outcome." in html) is (not seen)


def test_it_comes_in_pages_that_keep_the_filter(project, lead, work, browser_of, monkeypatch):
    monkeypatch.setattr(queries, "PROMPTS_A_PAGE", 1)
    client = browser_of(lead)
    first, second, beyond = (html_of(client, work, f"?state=tied&page={page}") for page in (1, 2, 99))
    assert "Page 1 of 2" in first
    assert 'href="?state=tied&amp;page=2"' in first
    assert 'href="?state=tied&amp;page=1"' in second
    assert "Text of p2." in first
    assert "Text of p4." in second
    assert "Text of p4." in beyond


def test_the_page_of_the_work_leads_there_from_rounds_of_votes_alone(project, lead, work, browser_of):
    client = browser_of(lead)
    page = client.get(reverse("round_work", args=[project.slug, work.pk])).content.decode()
    assert address(work) in page
    other = make_round(project, "Scores")
    page = client.get(reverse("round_work", args=[project.slug, other.pk])).content.decode()
    assert address(other) not in page


def test_however_many_prompts_the_queries_are_as_many(
    project, lead, adjudicated, browser_of, django_assert_max_num_queries
):
    client = browser_of(lead)
    client.get(address(adjudicated))
    with django_assert_max_num_queries(30):
        client.get(address(adjudicated))
    for number in range(30):
        prompt = make_prompt(project, f"q{number:02}")
        slots.of_prompt(adjudicated, prompt.pk, 1).save()
    with django_assert_max_num_queries(30):
        client.get(address(adjudicated))

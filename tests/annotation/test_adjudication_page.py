"""The pages of adjudication: the queue, a case in its two steps, what leads send and read; and who finds which."""

import re

import pytest
from django.urls import reverse

from annotation.domain.splits import Thresholds
from annotation.models import AdjudicationCase, CaseJudgement
from annotation.queries import adjudication as queries
from annotation.services import adjudication
from annotation.services import membership as people
from tests.factories import NOW, make_member, make_project
from tests.split_rounds import compared, scored, send, voted

pytestmark = pytest.mark.django_db

SPREAD = Thresholds(minority=None)


@pytest.fixture
def adjudicator(project):
    return make_member(project, "adjudicator", "SECRET-ADJUDICATOR")


@pytest.fixture
def voters(project):
    return [make_member(project, "annotator", name) for name in ("ann", "bob", "cem")]


@pytest.fixture
def case(project, voters):
    send(scored(project, wide=(0, 3, 1)), SPREAD)
    return AdjudicationCase.objects.get()


@pytest.fixture
def page(case):
    return reverse("adjudicate", args=[case.token])


@pytest.fixture
def desk(project):
    return reverse("adjudication", args=[project.slug])


def html_of(response):
    return response.content.decode()


# --- The queue -----------------------------------------------------------------------------------


def test_the_queue_lists_what_waits_by_its_text(browser_of, adjudicator, case, page, desk):
    html = html_of(browser_of(adjudicator).get(desk))
    assert page in html
    assert "1 case waits" in html
    assert "Wide spread of scores" in html
    assert case.response.text.split("\n")[0] in html


def test_the_queue_says_how_far_a_case_is(browser_of, adjudicator, page, desk):
    client = browser_of(adjudicator)
    client.post(page, {"step": "own", "value": "1"})
    assert "Waits for your decision" in html_of(client.get(desk))
    client.post(page, {"step": "decision", "value": "2", "justification": "Flat."})
    html = html_of(client.get(desk))
    assert "No case waits for you." in html
    assert "decided by you" in html


def test_how_others_decided_is_not_said_to_who_has_not_judged(browser_of, project, adjudicator, case, desk):
    second = make_member(project, "adjudicator", "second")
    adjudication.own(case, second, choice="3", justification="", now=NOW)
    adjudication.decide(case, second, choice="3", reason="Good.", now=NOW)
    html = html_of(browser_of(adjudicator).get(desk))
    assert "decided by another adjudicator" in html
    assert "<b>3</b>" not in html


def test_an_empty_queue_says_so(browser_of, adjudicator, desk):
    assert "No case waits for you." in html_of(browser_of(adjudicator).get(desk))


def test_a_case_of_ones_own_work_is_not_in_the_queue(browser_of, project, voters, case, page, desk):
    people.add(project, voters[0].user, role="adjudicator", by=None, now=NOW)
    client = browser_of(voters[0])
    assert page not in html_of(client.get(desk))
    assert client.get(page).status_code == 403
    assert client.post(page, {"step": "own", "value": "1"}).status_code == 403


def test_home_leads_an_adjudicator_to_the_queue(browser_of, adjudicator, desk):
    assert desk in html_of(browser_of(adjudicator).get("/"))


# --- A case --------------------------------------------------------------------------------------


def test_step_one_shows_the_text_and_nothing_of_what_was_given(browser_of, adjudicator, case, page):
    html = html_of(browser_of(adjudicator).get(page))
    assert case.response.text.split("\n")[0] in html
    assert 'value="3" data-key="3"' in html
    assert "Rater A" not in html


def test_step_two_shows_the_others_and_the_decision_leads_back_to_the_queue(
    browser_of, adjudicator, page, desk
):
    client = browser_of(adjudicator)
    assert client.post(page, {"step": "own", "value": "1", "justification": "Flat."}).url == page
    html = html_of(client.get(page))
    assert [f"Rater {letter}" in html for letter in "ABC"] == [True, True, True]
    assert "Flat." in html
    assert client.post(page, {"step": "decision", "value": "2", "justification": "So."}).url == desk
    html = html_of(client.get(page))
    assert 'type="radio"' not in html
    assert "So." in html
    assert list(CaseJudgement.objects.order_by("pk").values_list("step", "value")) == [
        ("own", 1),
        ("decision", 2),
    ]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"justification": "I wrote <this>."}, "Choose a score from 0 to 3."),
        ({"value": "4", "justification": "I wrote <this>."}, "Choose a score from 0 to 3."),
    ],
)
def test_a_refused_form_comes_back_as_it_was_sent(browser_of, adjudicator, page, sent, said):
    client = browser_of(adjudicator)
    for step in ("own", "decision"):
        response = client.post(page, {"step": step, **sent})
        assert response.status_code == 422
        assert said in html_of(response)
        assert "I wrote &lt;this&gt;." in html_of(response)
        client.post(page, {"step": "own", "value": "1"})


def test_a_decision_without_a_reason_comes_back(browser_of, adjudicator, page):
    client = browser_of(adjudicator)
    client.post(page, {"step": "own", "value": "1"})
    response = client.post(page, {"step": "decision", "value": "3", "justification": "  "})
    assert response.status_code == 422
    assert "Write why you decide so." in html_of(response)
    assert 'value="3" data-key="3" checked' in html_of(response)


def test_a_decision_before_the_own_judgement_is_refused(browser_of, adjudicator, page):
    response = browser_of(adjudicator).post(page, {"step": "decision", "value": "3", "justification": "So."})
    assert response.status_code == 409
    assert not CaseJudgement.objects.exists()


def test_a_pair_is_shown_as_on_the_page_of_pairs(browser_of, project, voters, adjudicator):
    send(compared(project, voters, ["r1", "r2", "r1"]))
    case = AdjudicationCase.objects.get()
    page = reverse("adjudicate", args=[case.token])
    client = browser_of(adjudicator)
    html = html_of(client.get(page))
    first, second = queries.shown_to(case, adjudicator)
    assert html.index(first.text[:20]) < html.index('id="text-b"') < html.index(second.text[:20])
    client.post(page, {"step": "own", "value": "b"})
    assert "A is better" in html_of(client.get(page))


def test_a_tied_prompt_is_shown_without_its_genre(browser_of, project, voters, adjudicator):
    project.genres.create(key="essay", name_en="Essay", position=2)
    send(voted(project, voters, ["fiction", "poetry", "essay"]))
    page = reverse("adjudicate", args=[AdjudicationCase.objects.get().token])
    client = browser_of(adjudicator)
    assert 'value="essay" data-key="3"' in html_of(client.get(page))
    client.post(page, {"step": "own", "value": "essay"})
    assert "Says poetry." in html_of(client.get(page))


def test_nothing_an_adjudicator_reaches_names_a_model_a_person_or_a_number_of_a_row(
    browser_of, project, voters, adjudicator, desk
):
    for voter in voters:
        voter.user.first_name = "SECRET-NAME"
        voter.user.save(update_fields=["first_name"])
    work = scored(project, **{f"SECRET-{n}": (0, 3, 1) for n in range(3)})
    send(work, SPREAD)
    client = browser_of(adjudicator)
    cases = [reverse("adjudicate", args=[case.token]) for case in AdjudicationCase.objects.all()]
    client.post(cases[0], {"step": "own", "value": "1"})
    client.post(cases[1], {"step": "own", "value": "1"})
    client.post(cases[1], {"step": "decision", "value": "1", "justification": "So."})
    hidden = ["secret-model", *(voter.pseudonym for voter in voters), "ann<", "bob<", "cem<"]
    for address in (desk, *cases):
        response = client.get(address)
        html = html_of(response).replace(adjudicator.user.username, "")  # one's own name, in the menu
        assert "SECRET" not in html
        assert not [name for name in hidden if name in html.casefold() or name in html]
        assert not re.search(r'(?:href|action|id|value|name|data-\w+)="[^"]*?/?\b\d{2,}\b', html)


# --- What leads send and read --------------------------------------------------------------------


def test_the_lead_counts_before_sending(browser_of, project, lead, voters):
    work = scored(project, first=(0, 3, 0), second=(1, 2, 1))
    address = reverse("send_cases", args=[project.slug, work.pk])
    client = browser_of(lead)
    html = html_of(client.get(address))
    assert "Send 2 cases" in html  # one wide spread, one contrary pair
    html = html_of(client.get(address, {"rules": "wide_spread", "spread": "1"}))
    assert "Send 2 cases" in html
    assert not AdjudicationCase.objects.exists()
    response = client.post(address, {"rules": "wide_spread", "spread": "1"})
    assert response.url == reverse("adjudication", args=[project.slug])
    assert AdjudicationCase.objects.count() == 2
    assert "There is nothing new to send." in html_of(client.get(address, {"rules": "wide_spread"}))


def test_rules_that_cannot_be_read_send_nothing(browser_of, project, lead, voters):
    work = scored(project, first=(0, 3, 0))
    address = reverse("send_cases", args=[project.slug, work.pk])
    for wrong in (
        {"rules": "wide_spread", "spread": "7"},
        {"rules": "contrary_votes", "minority": "0"},
        {"spread": "2"},
    ):
        assert browser_of(lead).post(address, wrong).status_code == 422
    assert not AdjudicationCase.objects.exists()


def test_votes_on_categories_are_counted_up(browser_of, project, lead, voters):
    work = voted(project, voters, ["fiction", "poetry", "fiction"])
    html = html_of(browser_of(lead).get(reverse("send_cases", args=[project.slug, work.pk])))
    assert "Decided by a majority" in html


def test_the_lead_reads_what_was_decided_and_by_whom(browser_of, project, lead, adjudicator, case, desk):
    adjudication.own(case, adjudicator, choice="1", justification="", now=NOW)
    adjudication.decide(case, adjudicator, choice="2", reason="It has a voice.", now=NOW)
    html = html_of(browser_of(lead).get(desk))
    for shown in ("wide", "p1", "It has a voice.", adjudicator.user.username, "<b>2</b>"):
        assert shown in html


def test_without_an_adjudicator_the_lead_is_told(browser_of, project, lead, voters, desk):
    assert "The project has no adjudicator yet" in html_of(browser_of(lead).get(desk))


# --- Doors ---------------------------------------------------------------------------------------


def test_only_adjudicators_find_a_case(browser_of, project, lead, stranger, case, page):
    outsider = make_member(make_project(), "adjudicator", "outsider")
    for person in (lead, stranger, outsider, make_member(project, "annotator", "late")):
        assert browser_of(person).get(page).status_code == 404
        assert browser_of(person).post(page, {"step": "own", "value": "1"}).status_code == 404


def test_a_lead_who_is_adjudicator_too_decides_nothing(browser_of, project, lead, page):
    people.add(project, lead.user, role="adjudicator", by=None, now=NOW)
    assert browser_of(lead).get(page).status_code == 403


def test_the_desk_is_for_leads_and_adjudicators(browser_of, project, voters, stranger, adjudicator, desk):
    send_page = reverse("send_cases", args=[project.slug, scored(project, one=(0, 3, 1)).pk])
    assert browser_of(voters[0]).get(desk).status_code == 403
    assert browser_of(stranger).get(desk).status_code == 404
    for person, status in ((adjudicator, 403), (voters[0], 403), (stranger, 404)):
        assert browser_of(person).get(send_page).status_code == status
        assert browser_of(person).post(send_page).status_code == status

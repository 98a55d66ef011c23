"""The page on which a lead steers a round while it is on."""

import pytest
from django.urls import reverse

from annotation.domain.prompt_selection import Filters
from annotation.models import JournalEntry
from annotation.services import assignments, consensus, rounds
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
FORMS = {
    "set_cap": {"daily_cap": "40"},
    "set_mixture": {"gold": "5", "repeat": "3"},
    "set_quotas": {},
    "hand_over": {},
    "open_gold": {},
}


@pytest.fixture
def work(project):
    for _ in range(3):
        make_response(make_prompt(project))
    return make_round(project)


@pytest.fixture
def panel(project):
    """Two annotators on the panel of a prompt with two responses, a third beside it."""
    prompt = make_prompt(project)
    for _ in range(2):
        make_response(prompt)
    members = [make_member(project) for _ in range(3)]
    project.annotators_per_response = 2
    project.save(update_fields=["annotators_per_response"])
    made = rounds.draft(project, "Panels", purpose="live", filters=Filters(), by=None, now=NOW)
    rounds.seat(made, {prompt.pk: {1: members[0].pk, 2: members[1].pk}}, by=None, now=NOW)
    rounds.open_draft(made, by=None, now=NOW)
    made.refresh_from_db()
    return made, members


def address(work, name="round_work"):
    return reverse(name, args=[work.project.slug, work.pk])


def test_a_lead_sets_the_cap_and_it_is_shown_again(work, lead, browser_of):
    client = browser_of(lead)
    assert client.post(address(work, "set_cap"), FORMS["set_cap"]).status_code == 302
    work.refresh_from_db()
    assert work.daily_cap == 40
    assert 'value="40"' in client.get(address(work)).content.decode()
    assert JournalEntry.objects.filter(action="round.cap_set").count() == 1
    client.post(address(work, "set_cap"), {"daily_cap": ""})
    work.refresh_from_db()
    assert work.daily_cap is None


@pytest.mark.parametrize("sent", ["0", "-3", "forty", "5000"])
def test_a_cap_that_is_none_comes_back_with_what_is_wrong(work, lead, browser_of, sent):
    answer = browser_of(lead).post(address(work, "set_cap"), {"daily_cap": sent})
    assert answer.status_code == 422
    assert f'value="{sent}"' in answer.content.decode()
    assert 'id="cap-error"' in answer.content.decode()


def test_setting_rates_makes_the_rounds_that_are_mixed_in(work, lead, browser_of, project):
    client = browser_of(lead)
    client.post(address(work, "set_mixture"), FORMS["set_mixture"])
    assert {each.purpose: each.state for each in work.mixed_in.all()} == {"gold": "draft", "repeat": "open"}
    gold = work.mixed_in.get(purpose="gold")
    refused = client.post(address(gold, "open_gold"))
    assert refused.status_code == 422
    assert "no gold item yet" in refused.content.decode()
    consensus.add(gold, make_response(make_prompt(project)), kind="gold", value=1, by=None, now=NOW)
    assert client.post(address(gold, "open_gold")).status_code == 302
    gold.refresh_from_db()
    assert gold.state == "open"


def test_rates_that_are_too_high_come_back(work, lead, browser_of):
    answer = browser_of(lead).post(address(work, "set_mixture"), {"gold": "40", "repeat": "40"})
    assert answer.status_code == 422
    assert "at most 50 in a hundred" in answer.content.decode()
    assert not work.mixed_in.exists()


def test_the_gold_items_have_their_page(work, lead, browser_of):
    client = browser_of(lead)
    client.post(address(work, "set_mixture"), FORMS["set_mixture"])
    gold = work.mixed_in.get(purpose="gold")
    page = client.get(reverse("consensus_items", args=[work.project.slug, gold.pk]))
    assert page.status_code == 200


def test_a_quota_is_set_for_a_language_and_genre(work, lead, browser_of):
    client = browser_of(lead)
    assert client.post(address(work, "set_quotas"), {"en-0": "2"}).status_code == 302
    assert work.quotas.get().wanted == 2
    assert client.post(address(work, "set_quotas"), {"en-0": "none"}).status_code == 422
    assert client.post(address(work, "set_quotas"), {"en-0": ""}).status_code == 302
    assert not work.quotas.exists()


def test_seats_are_handed_over_and_the_page_says_how_many(panel, lead, browser_of):
    work, members = panel
    sent = {"member": members[0].pk, "successor": members[2].pk}
    answer = browser_of(lead).post(address(work, "hand_over"), sent)
    assert answer.status_code == 200
    assert "1 seats were taken over" in answer.content.decode()
    assert assignments.claim(members[2], work, now=NOW) is not None
    assert assignments.claim(members[0], work, now=NOW) is None


def test_seats_go_to_nobody_who_is_not_on_the_list(panel, lead, browser_of, project):
    work, members = panel
    stranger = make_member(project, "instructor")
    for sent in ({"member": members[2].pk}, {"member": members[0].pk, "successor": stranger.pk}):
        assert browser_of(lead).post(address(work, "hand_over"), sent).status_code == 422
    assert work.seats.filter(annotator=members[0]).exists()


@pytest.mark.parametrize("name", ["round_work", *FORMS])
def test_only_leads_of_the_project_steer_a_round(work, annotator, stranger, browser_of, name):
    for person, status in ((annotator, 403), (stranger, 404)):
        client = browser_of(person)
        answer = client.get(address(work, name)) if name == "round_work" else client.post(address(work, name))
        assert answer.status_code == status
    work.refresh_from_db()
    assert (work.daily_cap, work.gold_percent) == (None, 0)

"""The ranking page and its end point: what is sent is what is stored, and what is stored is what is said back."""

import json
import re
from dataclasses import fields, is_dataclass
from itertools import product

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.domain import rankings as rules
from annotation.models import Draft, RankedResponse, Ranking, Round
from annotation.queries import rankings as queries
from annotation.services import assignments, rankings, rounds
from tests.factories import NOW, make_member, make_project, make_prompt, make_response
from tests.ranking_rounds import form_of, hand_out, make_ranking_round, make_set, tiers

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompt(project):
    return make_set(project, 4, genre=project.genres.first())


@pytest.fixture
def work(project, prompt):
    return make_ranking_round(project)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


@pytest.fixture
def page(lease):
    return reverse("rank", args=[lease.token])


@pytest.fixture
def client(browser_of, annotator):
    return browser_of(annotator)


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def selected(response):
    """The ranks that the page's selects have."""
    found = re.findall(r'<select id="rank-(\w)".*?</select>', response.content.decode(), re.DOTALL)
    chosen = re.findall(
        r'<select id="rank-(\w)"(?:(?!</select>).)*?value="(\d)" selected',
        response.content.decode(),
        re.DOTALL,
    )
    return {letter: dict(chosen).get(letter, "") for letter in found}


# --- The round trip ------------------------------------------------------------------------------


def test_every_order_of_five_texts_comes_back_as_it_was_sent(project, annotator, client):
    """All 541 ordered partitions, through the end point, the stored rows, and the page that says them back."""
    prompt = make_set(project, 5)
    ranks = (dict(zip("ABCDE", each, strict=True)) for each in product(range(1, 6), repeat=5))
    orders = sorted({rules.of_ranks(each) for each in ranks})
    assert len(orders) == 541
    work = make_ranking_round(project, slots_each=1)
    lease = hand_out(annotator, work)
    meant = dict(zip("ABCDE", queries.texts_of(lease, None), strict=True))
    page = reverse("rank", args=[lease.token])
    answer = client.post(page, form_of(orders[0], lease))
    assert answer.status_code == 302
    for revision, order in enumerate(orders, start=1):
        if revision > 1:
            answer = client.post(page, form_of(order, lease, based_on=str(revision - 1)))
            assert answer.status_code == 302, order
        stored = Ranking.objects.get(revision=revision)
        rows = RankedResponse.objects.filter(ranking=stored).values_list("response", "tier")
        assert dict(rows) == {meant[letter].pk: tier for letter, tier in rules.ranks(order).items()}
        assert queries.tiers_of(stored) == order
    said = text_of(client.get(page))
    assert f"In order: {rules.stated(orders[-1])}".replace(">", "&gt;") in said
    assert prompt.rankings.count() == 541


# --- Showing -------------------------------------------------------------------------------------


def test_it_starts_empty(client, page):
    answer = client.get(page)
    assert answer.status_code == 200
    assert selected(answer) == dict.fromkeys("ABCD", "")
    assert answer["Cache-Control"] == "no-store"


def test_the_texts_stand_in_the_annotators_own_order(client, page, lease):
    shown = re.findall(r"Text number \d\.", client.get(page).content.decode().split("<ranking-panel")[0])
    assert shown == [response.text.partition("\n")[0] for response in queries.texts_of(lease, None)]


def test_requirements_are_a_checklist_only_where_the_order_is_by_them(project, prompt, annotator, browser_of):
    prompt.requirements.create(position=1, text="Name a river.")
    prompt.requirements.create(position=2, text="End with a question.")
    by_requirements = make_ranking_round(project, "By requirements", instruction="requirements")
    by_preference = make_ranking_round(project, "By preference")
    for work, expected in ((by_requirements, 4), (by_preference, 0)):
        address = reverse("rank", args=[hand_out(annotator, work).token])
        body = browser_of(annotator).get(address).content.decode()
        assert len(re.findall(r'name="tick-[A-D]-2"', body)) == expected
        assert ("End with a question." in body) is bool(expected)
        assert ("Rank by requirements satisfied" in body) is bool(expected)


def test_ticks_go_with_the_draft_and_are_not_stored(project, prompt, annotator, client):
    prompt.requirements.create(position=1, text="Name a river.")
    lease = hand_out(annotator, make_ranking_round(project, instruction="requirements"))
    page = reverse("rank", args=[lease.token])
    content = form_of(tiers("A > B"), lease, **{"tick-A-1": "1"}, based_on="0")
    sent = json.dumps({"version": 0, "content": content})
    answer = client.post(reverse("draft", args=[lease.token]), sent, content_type="application/json")
    assert answer.status_code == 200
    shown = client.get(page).content.decode()
    assert re.search(r'name="tick-A-1" value="1" checked', shown)
    assert not re.search(r'name="tick-B-1" value="1" checked', shown)
    client.post(page, form_of(tiers("A > B > C > D"), lease, **{"tick-A-1": "1"}))
    assert Ranking.objects.count() == 1
    assert not Draft.objects.exists()


def test_a_page_opens_with_the_draft_filled_in(client, page, lease):
    content = form_of(tiers("B > A = C"), lease, justification="B is calm.", read="AB", based_on="0")
    Draft.objects.create(lease=lease, version=3, content=content, saved_at=NOW)
    answer = client.get(page)
    assert selected(answer) == {"A": "2", "B": "1", "C": "2", "D": ""}
    body = answer.content.decode()
    assert "B is calm." in body
    assert 'name="read" value="AB"' in body
    assert 'data-draft-version="3"' in body


def test_a_draft_of_other_texts_ranks_nothing_and_keeps_its_words(client, page, lease, prompt):
    content = form_of(tiers("B > A = C"), lease, justification="B is calm.", based_on="0")
    Draft.objects.create(lease=lease, content=content, saved_at=NOW)
    prompt.responses.filter(pk=prompt.responses.first().pk).update(state="removed", removed_at=NOW)
    answer = client.get(page)
    assert selected(answer) == dict.fromkeys("ABC", "")
    assert "B is calm." in answer.content.decode()


# --- Sending -------------------------------------------------------------------------------------


def test_a_ranking_leads_to_the_page_that_says_it_back_and_from_there_on(client, page, lease, work):
    make_member(work.project)
    sent = form_of(tiers("C > A = D > B"), lease, justification="C turns.\r\nA and D do not.", unread="B")
    assert client.post(page, sent).headers["Location"] == page
    stored = Ranking.objects.get()
    assert stored.justification == "C turns.\nA and D do not."
    assert list(stored.responses.filter(was_read=False).values_list("shown", flat=True)) == [2]
    body = client.get(page).content.decode()
    assert "C &gt; A = D &gt; B" in body
    assert "C turns." in body
    assert f'action="{reverse("next_text", args=[work.token])}"' in body
    onward = client.post(reverse("next_text", args=[work.token]))
    assert onward.headers["Location"] == reverse("finished", args=[work.token])


def test_what_is_said_back_comes_from_the_database(client, page, lease):
    rankings.submit(lease, tiers=tiers("D > C > B > A"), justification="", now=NOW)
    answer = client.post(page, form_of(tiers("D > C > B > A"), lease))
    assert answer.status_code == 302
    assert "D &gt; C &gt; B &gt; A" in client.get(page).content.decode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rank-D": ""}, "Place text D."),
        ({"rank-B": "", "rank-D": ""}, "Place texts B, D."),
        ({"rank-F": "2"}, "There is no text F here."),
        ({"rank-A": "0"}, "Give each text one place"),
        ({"rank-A": "-1"}, "Give each text one place"),
        ({"rank-A": "1.5"}, "Give each text one place"),
        ({"rank-A": "first"}, "Give each text one place"),
        ({"rank-A": ["1", "2"]}, "Give each text one place"),
        ({"rank-A": "１"}, "Give each text one place"),
    ],
)
def test_what_is_no_order_of_all_texts_comes_back_filled_in(client, page, lease, change, said):
    sent = {**form_of(tiers("A > B > C > D"), lease, justification="Kept."), **change}
    answer = client.post(page, sent)
    assert answer.status_code == 422
    body = answer.content.decode()
    assert said in body
    assert "Kept." in body
    assert selected(answer)["C"] == "3"
    assert 'aria-invalid="true"' in body
    assert not Ranking.objects.exists()


def test_a_tie_is_refused_where_the_round_takes_none(work, client, page, lease):
    Round.objects.filter(pk=work.pk).update(ties_allowed=False)
    answer = client.post(page, form_of(tiers("A > B = C > D"), lease))
    assert answer.status_code == 422
    assert "This round takes no ties: give texts B, C places of their own." in answer.content.decode()


def test_ranks_with_gaps_are_taken_by_their_order(client, page, lease):
    sent = form_of((), lease, **{"rank-A": "4", "rank-B": "4", "rank-C": "2", "rank-D": "1"})
    assert client.post(page, sent).status_code == 302
    assert queries.tiers_of(Ranking.objects.get()) == tiers("D > C > A = B")


def test_the_same_form_twice_is_one_ranking_and_another_is_a_conflict(client, page, lease):
    sent = form_of(tiers("A > B > C > D"), lease)
    assert [client.post(page, sent).status_code for _ in range(2)] == [302, 302]
    answer = client.post(page, form_of(tiers("B > A > C > D"), lease, justification="Mine."))
    assert answer.status_code == 409
    assert "That one stands." in answer.content.decode()
    assert "Mine." in answer.content.decode()
    assert Ranking.objects.count() == 1


def test_a_script_is_answered_in_json(client, page, lease):
    headers = {"accept": "application/json"}
    sent = form_of(tiers("A > B > C > D"), lease)
    assert client.post(page, sent, headers=headers).json() == {"next": page}
    answer = client.post(page, form_of(tiers("B > A > C > D"), lease), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "already_ranked")


def test_a_locked_round_takes_nothing_and_the_page_keeps_what_was_written(client, page, lease, work):
    sent = form_of(tiers("A > B > C > D"), lease, justification="Written for an hour.")
    rounds.lock(work, by=None, now=NOW)
    answer = client.post(page, sent)
    assert answer.status_code == 423
    assert "Written for an hour." in answer.content.decode()
    assert "This round has been closed" in answer.content.decode()
    assert "This round has been closed" in client.get(page).content.decode()


# --- A change of mind ----------------------------------------------------------------------------


def test_a_stored_ranking_is_changed_until_the_round_is_locked(client, page, lease, work):
    client.post(page, form_of(tiers("A > B = C > D"), lease, justification="First."))
    form = client.get(f"{page}?edit")
    assert selected(form) == {"A": "1", "B": "2", "C": "2", "D": "3"}
    assert 'name="based_on" value="1"' in form.content.decode()
    changed = form_of(tiers("D > B = C > A"), lease, justification="Second.", based_on="1")
    assert client.post(page, changed).status_code == 302
    shown = client.get(page).content.decode()
    assert "D &gt; B = C &gt; A" in shown
    assert "version 2" in shown
    rounds.lock(work, by=None, now=NOW)
    assert "?edit" not in client.get(page).content.decode()
    late = client.post(page, form_of(tiers("A > B > C > D"), lease, based_on="2"))
    assert late.status_code == 423
    assert Ranking.objects.count() == 2


def test_a_change_from_a_stale_page_is_a_conflict(client, page, lease):
    client.post(page, form_of(tiers("A > B > C > D"), lease))
    client.post(page, form_of(tiers("B > A > C > D"), lease, based_on="1"))
    answer = client.post(page, form_of(tiers("C > A > B > D"), lease, based_on="1"))
    assert answer.status_code == 409
    assert Ranking.objects.count() == 2


def test_a_conflict_of_interest_is_one_click_and_another_set_comes(client, lease, page, project, work):
    assert f'action="{reverse("conflict", args=[lease.token])}"' in client.get(page).content.decode()
    answer = client.post(reverse("conflict", args=[lease.token]))
    assert answer.headers["Location"] == reverse("finished", args=[work.token])
    lease.assignment.refresh_from_db()
    assert (lease.assignment.state, lease.assignment.annotator) == ("open", None)


# --- Who, and what they see ----------------------------------------------------------------------


def test_only_whom_the_texts_were_handed_to_can_open_or_rank_them(
    page, lease, lead, stranger, project, browser_of
):
    others = [lead, stranger, make_member(project), make_member(make_project())]
    sent = form_of(tiers("A > B > C > D"), lease)
    for person in others:
        assert browser_of(person).get(page).status_code == 404
        assert browser_of(person).post(page, sent).status_code == 404
    assert not Ranking.objects.exists()


def test_each_kind_of_round_has_its_page(lease, client):
    for name in ("vote", "choose"):
        assert client.get(reverse(name, args=[lease.token])).status_code == 404


def test_the_page_says_nothing_of_sources_others_or_ids(project, prompt, annotator, browser_of):
    prompt.requirements.create(position=1, text="Name a river.")
    work = make_ranking_round(project, "Blind", instruction="requirements", slots_each=2)
    other = make_member(project, "annotator", "marker-other")
    theirs = hand_out(other, work)
    rankings.submit(theirs, tiers=tiers("A > B > C > D"), justification="MARKER-WORDS", now=NOW)
    lease = hand_out(annotator, work)
    page, client = reverse("rank", args=[lease.token]), browser_of(annotator)
    bodies = [client.get(page)]
    bodies += [client.post(page, {}), client.post(page, form_of(tiers("D > C > B > A"), lease))]
    bodies += [client.get(page), client.get(f"{page}?edit")]
    for answer in bodies:
        seen = (answer.content.decode() + str(answer.headers) + str(answer.cookies)).lower()
        assert "marker" not in seen
        assert "secret-model" not in seen  # the source of every text
        for response in prompt.responses.all():
            assert response.external_id not in re.findall(r"[\w-]+", seen)
    assert queries.shown(lease, queries.texts_of(lease, None)) != queries.shown(
        theirs, queries.texts_of(theirs, None)
    )


def test_the_page_does_not_change_when_others_rank(client, page, work, project):
    def seen():
        return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", client.get(page).content.decode())

    before = seen()
    other = make_member(project)
    rankings.submit(hand_out(other, work), tiers=tiers("A > B > C > D"), justification="", now=NOW)
    assert seen() == before


@pytest.mark.parametrize("name", ["RankingItem", "TextToRank", "OwnRanking", "Entry", "Requirement"])
def test_the_types_of_the_page_have_no_field_for_it(name):
    kind = getattr(queries, name)
    assert is_dataclass(kind)
    forbidden = (
        "model",
        "source",
        "parameters",
        "external",
        "gold",
        "annotator",
        "response",
        "prompt_id",
        "pk",
    )
    assert not [each.name for each in fields(kind) for word in forbidden if word in each.name]


def test_counts_are_of_the_annotators_own_sets(project, annotator, client):
    for _ in range(3):
        make_set(project, 2)
    work = make_ranking_round(project)
    first = hand_out(annotator, work)
    assert "Set 1 of 3" in client.get(reverse("rank", args=[first.token])).content.decode()
    client.post(reverse("rank", args=[first.token]), form_of(tiers("A > B"), first))
    second = assignments.claim(annotator, work, now=timezone.now())
    assert "Set 2 of 3" in client.get(reverse("rank", args=[second.token])).content.decode()


def test_a_prompt_with_one_text_left_says_that_it_was_withdrawn(project, annotator, client):
    prompt = make_prompt(project)
    make_response(prompt)
    lease = hand_out(annotator, make_ranking_round(project))
    assert (
        "These texts have been withdrawn" in client.get(reverse("rank", args=[lease.token])).content.decode()
    )

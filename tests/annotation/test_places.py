"""'Item 3 of 12': one way to count for every page of work, and for the card on the home page."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.urls import reverse

from annotation.models import Lease
from annotation.queries import category_votes, preferences, rankings, scoring, scoring_page
from annotation.services import assignments, leases, slots
from annotation.services import category_votes as voting
from annotation.services import preferences as choosing
from annotation.services import rankings as ranking
from annotation.services import scoring as scores
from tests.factories import NOW, make_member, make_prompt, make_response, make_round
from tests.ranking_rounds import make_ranking_round, tiers
from tests.rounds_of_votes import make_category_round, make_open_round, make_pair_round

pytestmark = pytest.mark.django_db
KINDS = pytest.mark.parametrize("kind", ["scores", "rankings", "categories", "pairs"])
PAGE = {"scores": "score", "rankings": "rank", "categories": "vote", "pairs": "choose"}


@pytest.fixture(autouse=True)
def _no_size_is_known():
    caches["process"].clear()


def make(project, kind, prompts=4):
    """A round over so many things to judge."""
    made = [make_prompt(project) for _n in range(prompts)]
    pairs = [(make_response(one), make_response(one)) for one in made if kind in ("rankings", "pairs")]
    if kind == "scores":
        for one in made:
            make_response(one)
        return make_round(project)
    if kind == "rankings":
        return make_ranking_round(project)
    return make_category_round(project, made) if kind == "categories" else make_pair_round(project, pairs)


def claim(member, work, minute=0):
    return assignments.claim(member, work, now=NOW + timedelta(minutes=minute))


def judge(kind, lease):
    if kind == "scores":
        return scores.submit(lease, value=2, justification="", now=NOW)
    if kind == "rankings":
        return ranking.submit(lease, tiers=tiers("A > B"), justification="", now=NOW)
    if kind == "categories":
        return voting.submit(lease, category="poetry", justification="", now=NOW)
    return choosing.submit(lease, preferred="a", justification="", now=NOW)


def item(kind, lease):
    found = {
        "scores": scoring_page.scoring_item,
        "rankings": rankings.item,
        "categories": category_votes.item,
        "pairs": preferences.item,
    }
    return found[kind](Lease.objects.get(pk=lease.pk), language="en")


def said(kind, lease):
    shown = item(kind, lease)
    return shown.number, shown.total, shown.done


@KINDS
def test_the_first_and_the_third_of_four(project, annotator, kind):
    work = make(project, kind)
    assert said(kind, claim(annotator, work)) == (1, 4, 0)
    judge(kind, claim(annotator, work))
    judge(kind, claim(annotator, work))
    assert said(kind, claim(annotator, work)) == (3, 4, 2)


@KINDS
def test_what_was_judged_keeps_its_place(project, annotator, kind):
    work = make(project, kind)
    given = []
    for _n in range(3):
        given.append(claim(annotator, work))
        judge(kind, given[-1])
    assert [said(kind, lease) for lease in given] == [(1, 4, 1), (2, 4, 2), (3, 4, 3)]


@KINDS
def test_without_a_place_that_was_kept_it_comes_behind_what_is_done(project, annotator, kind):
    work = make(project, kind)
    for _n in range(2):
        judge(kind, claim(annotator, work))
    lease = claim(annotator, work)
    lease.position = None
    assert scoring.place_of(lease, is_done=False) == (3, 4)
    judge(kind, lease)
    assert scoring.place_of(lease, is_done=True) == (3, 4)


@KINDS
def test_the_page_and_the_card_count_alike(project, annotator, browser_of, kind):
    work = make(project, kind)
    judge(kind, claim(annotator, work))
    number, total, done = said(kind, claim(annotator, work))
    card = next(card for card in scoring.round_cards(annotator.user, now=NOW) if card.token == work.token)
    assert (card.done, card.total) == (done, total) == (1, 4)
    page = reverse(PAGE[kind], args=[claim(annotator, work).token])
    html = browser_of(annotator).get(page).content.decode()
    assert f'<progress max="{total}" value="{done}"' in html
    assert f">{number}/{total}<" in html


@KINDS
def test_it_says_nothing_of_how_far_others_are(project, annotator, kind):
    work = make(project, kind)
    before = said(kind, claim(annotator, work))
    other = make_member(project, "annotator", "bob")
    for _n in range(3):
        judge(kind, claim(other, work))
    caches["process"].clear()
    assert said(kind, claim(annotator, work)) == before


# --- What is mixed in ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["categories", "pairs", "rankings"])
def test_what_is_mixed_in_has_a_place_in_the_round_around_it_and_its_name(project, annotator, kind):
    work = make(project, kind)
    work.gold_percent = 10
    work.save()
    judge(kind, claim(annotator, work))
    prompt = make_prompt(project)
    pair = make_response(prompt), make_response(prompt)
    gold = make_open_round(project, kind, name="Gold of it", purpose="gold", mixed_into=work)
    slot = (
        slots.of_pair(gold, tuple(one.pk for one in pair), prompt.pk, 1)
        if kind == "pairs"
        else slots.of_prompt(gold, prompt.pk, 1)
    )
    slot.annotator, slot.state, slot.leased_until = annotator, "leased", NOW + timedelta(hours=2)
    slot.save()
    lease = leases.make(slot.pk, annotator, position=2, now=NOW)
    shown = item(kind, lease)
    assert (shown.number, shown.total) == (2, 4)
    assert (shown.round_name, shown.round_token) == (work.name, work.token)
    judge(kind, lease)
    assert scoring.done_by(annotator, work) == scoring.done_by(annotator, gold) == 2

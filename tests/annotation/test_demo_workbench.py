"""The demo's rounds of rankings, votes and pairs: something to do in each for everybody, and the same release."""

import re
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from annotation.domain import category_votes, shipped
from annotation.domain.shipped_workbench import workbench
from annotation.models import AdjudicationCase, Assignment, Lease, Membership, Preference, Round, User
from annotation.queries import rankings, splits
from annotation.services import demo, demo_workbench, membership
from curation.models import Run
from curation.services import demo_preparation, recipes, runs
from tests.factories import NOW, make_prompt, make_response, make_user
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

ANNOTATORS = tuple(each.name for each in shipped.demo().annotators)
RANK = re.compile(r'name="(rank-[A-Z])"')
VALUE = re.compile(r'name="value" value="([a-z]+)"')


@pytest.fixture
def demo_project():
    return demo.load(now=NOW)


@pytest.fixture
def loaded(demo_project):
    assert demo_workbench.load(demo_project, now=NOW)
    return demo_project


@pytest.fixture
def adjudicator(loaded):
    return loaded.memberships.get(role=Membership.Role.ADJUDICATOR)


def member(project, username):
    return project.memberships.get(user__username=username)


def rows():
    return {model.__name__: model.objects.count() for model in apps.get_app_config("annotation").get_models()}


def answer_to(page):
    """What somebody who has read it would send."""
    ranks = RANK.findall(page)
    if ranks:
        sent = sent_by(page, "ranking")
        return {**sent, **{name: str(place) for place, name in enumerate(sorted(set(ranks)), start=1)}}
    return {"value": VALUE.findall(page)[0], "justification": "It holds."}


# --- What ships ----------------------------------------------------------------------------------


def test_what_is_given_is_of_the_demos_people_texts_and_categories():
    texts = {row.id: row.prompt_id for row in shipped.demo_responses()}
    categories = {genre.key for genre in shipped.taxonomy("writing-preference").genres}
    given = workbench()
    everything = (*given.rankings.given, *given.votes.given, *given.pairs.given)
    assert {one.annotator for one in everything} == set(ANNOTATORS)
    assert all(one.why for one in everything)
    for ranking in given.rankings.given:
        ranked = [text for tier in ranking.tiers for text in tier]
        assert sorted(ranked) == sorted(text for text, prompt in texts.items() if prompt == ranking.prompt)
    assert {vote.category for vote in given.votes.given} <= categories
    assert {vote.prompt for vote in given.votes.given} <= set(texts.values())
    for choice in given.pairs.given:
        assert len({texts[text] for text in choice.pair}) == 1
        assert choice.better in (*choice.pair, "")


# --- The rounds ----------------------------------------------------------------------------------


def test_there_is_an_open_round_of_each_kind_in_both_languages(loaded):
    found = {work.kind: work for work in loaded.rounds.filter(state=Round.State.OPEN)}
    assert set(found) == set(Round.Kind.values)
    assert found["rankings"].assigning == "panel"
    assert {work.assigning for kind, work in found.items() if kind != "rankings"} == {"pool"}
    for work in found.values():
        assert set(work.assignments.values_list("prompt__language", flat=True)) == {"en", "zh"}


def test_what_was_given_is_stored_as_it_was_meant(loaded):
    ranked = loaded.rounds.get(kind="rankings").rankings
    for given in workbench().rankings.given:
        stored = ranked.get(annotator__user__username=given.annotator, prompt__external_id=given.prompt)
        letters = {row.response.external_id: row.tier for row in stored.responses.all()}
        assert letters == {text: tier for tier, texts in enumerate(given.tiers, 1) for text in texts}
        assert rankings.tiers_of(stored)
    chosen = loaded.rounds.get(kind="pairs").preferences
    for given in workbench().pairs.given:
        vote = chosen.get(
            annotator__user__username=given.annotator,
            response_a__external_id__in=given.pair,
            response_b__external_id__in=given.pair,
        )
        side = {"a": vote.response_a.external_id, "b": vote.response_b.external_id, "tie": ""}
        assert side[vote.preferred] == given.better
    assert set(chosen.values_list("standing", flat=True)) == {"counted"}
    assert Preference.objects.count() == len(workbench().pairs.given)


@pytest.mark.parametrize("username", ANNOTATORS)
def test_each_annotator_finds_every_round_and_can_work_in_it(loaded, browser_of, username):
    somebody = member(loaded, username)
    client = browser_of(somebody)
    home = client.get("/").content.decode()
    for work in loaded.rounds.all():
        assert work.name in home
    for work in loaded.rounds.exclude(kind="scores"):
        address = reverse("next_text", args=[work.token])
        assert f'action="{address}"' in home
        done = somebody.assignments.filter(round=work, state=Assignment.State.DONE).count()
        page = client.post(address, follow=True)
        url = page.redirect_chain[-1][0]
        assert client.post(url, answer_to(page.content.decode())).status_code == 302, work.name
        assert somebody.assignments.filter(round=work, state=Assignment.State.DONE).count() == done + 1


def test_nothing_is_in_anybodys_hands(loaded):
    assert not Assignment.objects.filter(state=Assignment.State.LEASED).exists()
    positions = Lease.objects.filter(annotator__user__username="annotator1").order_by("pk")
    assert [lease.position for lease in positions.filter(assignment__round__kind="pairs")] == [1, 2, 3, 4, 5]


def test_every_moment_lies_before_the_load(loaded):
    assert not loaded.journal.filter(at__gt=NOW).exists()


# --- Adjudication --------------------------------------------------------------------------------


def test_a_tied_vote_and_a_contrary_choice_wait_for_the_adjudicator(loaded, adjudicator, browser_of):
    cases = {case.reason: case for case in AdjudicationCase.objects.all()}
    assert set(cases) == {"tied_votes", "contrary_votes"}
    votes = splits.category_votes(cases["tied_votes"].round)[cases["tied_votes"].prompt_id]
    assert category_votes.outcome(list(votes.values())).state == "tied"
    client = browser_of(adjudicator)
    assert reverse("adjudication", args=[loaded.slug]) in client.get("/").content.decode()
    queue = client.get(reverse("adjudication", args=[loaded.slug])).content.decode()
    for case in cases.values():
        url = reverse("adjudicate", args=[case.token])
        assert url in queue
        page = client.get(url).content.decode()
        assert client.post(url, answer_to(page)).status_code == 302
        assert case.judgements.get().step == "own"


def test_its_adjudicator_is_asked_for_nothing_else(loaded, adjudicator, browser_of):
    assert "Read what is recorded" not in browser_of(adjudicator).get("/").content.decode()
    assert not adjudicator.user.memberships.exclude(pk=adjudicator.pk).exists()


# --- Beside the rest of the demo -----------------------------------------------------------------


def test_a_run_finds_the_same_with_and_without_it(demo_project):
    recipe = recipes.save(demo_project, parameters=demo.RECIPE, by=None, now=NOW)

    def run():
        made = runs.request(demo_project, recipe=recipe, by=None, now=NOW)
        runs.execute(made.pk, clock=lambda: NOW)
        return Run.objects.get(pk=made.pk)

    before = run()
    assert demo_workbench.load(demo_project, now=NOW)
    after = run()
    assert after.funnel == before.funnel
    assert {pair.key for pair in after.pairs.all()} == {pair.key for pair in before.pairs.all()}


def test_loading_twice_changes_nothing(loaded):
    before = rows()
    assert demo_workbench.load(loaded, now=NOW + timedelta(days=1))
    assert rows() == before


def test_it_goes_with_the_preparation_and_stays_when_that_is_there(loaded):
    assert demo_preparation.prepare(loaded, now=NOW)
    before = rows()
    assert demo_workbench.load(loaded, now=timezone.now())
    assert rows() == before


def test_the_adjudicator_has_a_login_beside_those_at_work(loaded, tmp_path):
    demo_preparation.prepare(loaded, now=NOW)
    found = [(login.role, login.username) for login in demo.logins(tmp_path / "logins.json")]
    assert found[:6] == [
        ("lead", "lead"),
        *(("annotator", name) for name in ANNOTATORS),
        ("adjudicator", "adjudicator"),
        ("instructor", "ruth"),
    ]


def test_nothing_is_loaded_into_what_a_lead_has_added_to(demo_project):
    make_response(make_prompt(demo_project, "own"), "own-1", "A text of one's own.")
    assert not demo_workbench.load(demo_project, now=NOW)
    assert demo_project.rounds.count() == 1


def test_nothing_is_loaded_where_somebody_else_has_the_adjudicators_name(demo_project):
    make_user(workbench().adjudicator)
    assert not demo_workbench.load(demo_project, now=NOW)
    assert not demo_project.memberships.filter(role=Membership.Role.ADJUDICATOR).exists()


def test_nothing_is_loaded_where_an_annotator_has_left(demo_project):
    membership.end(member(demo_project, "annotator2"), by=User.objects.get(username="lead"), now=NOW)
    assert not demo_workbench.load(demo_project, now=NOW)

"""Rounds that are drawn: pairs as slots of a draft, and texts of two languages for people who work in both."""

from itertools import combinations

import pytest
from django.urls import reverse

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Assignment, Response, Round
from annotation.services import assignments, pair_rounds, rounds, scoring
from curation.services import recipes, runs
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, reads_only, score_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def texts(project):
    """Two prompts with four and two responses; two of the first say the same."""
    first, second = make_prompt(project, "p1"), make_prompt(project, "p2")
    found = [make_response(first, f"r{n}") for n in range(3)]
    found.append(make_response(first, "twin", found[0].text))
    return [*found, make_response(second, "s0"), make_response(second, "s1")]


def study(project, name="Study", **options):
    values = {"filters": Filters(), "sample": None, "seed": "1", "annotators": 3, "ties_allowed": False}
    return pair_rounds.study(project, name, **{**values, **options}, by=None, now=NOW)


def spot_check(project, pairs, name="Spot check", **options):
    values = {"sample": None, "seed": "1", "annotators": 3, "ties_allowed": False}
    return pair_rounds.spot_check(project, name, pairs=pairs, **{**values, **options}, by=None, now=NOW)


def asked(work):
    """The pairs of a round by the ids of their responses."""
    rows = work.assignments.values_list("response__external_id", "other__external_id").distinct()
    return {tuple(sorted(row)) for row in rows}


# --- Studies -------------------------------------------------------------------------------------


def test_a_study_asks_about_every_two_texts_that_differ(project, texts):
    work = study(project, annotators=13, ties_allowed=True)
    assert asked(work) == {
        *(("r0", "r1"), ("r0", "r2"), ("r1", "r2"), ("r1", "twin"), ("r2", "twin"), ("s0", "s1"))
    }
    assert (work.kind, work.state, work.purpose) == ("pairs", "draft", "live")
    assert (work.annotators_per_response, work.ties_allowed, work.assigning) == (13, True, "pool")
    assert work.assignments.count() == 6 * 13
    assert set(work.assignments.values_list("slot", flat=True)) == set(range(1, 14))
    assert sorted(work.prompts.values_list("external_id", flat=True)) == ["p1", "p2"]


def test_a_sample_is_even_over_the_prompts_and_the_same_for_the_same_seed(project, texts):
    work = study(project, sample=3)
    assert len(asked(work)) == 3
    assert ("s0", "s1") in asked(work)
    assert asked(study(project, "Again", sample=3)) == asked(work)
    others = {frozenset(asked(study(project, f"Seed {seed}", sample=3, seed=str(seed)))) for seed in range(6)}
    assert len(others) > 1


def test_a_draft_of_pairs_is_given_to_nobody_until_it_is_opened(project, texts, annotator):
    work = study(project)
    with pytest.raises(DomainError):
        assignments.claim(annotator, work, now=NOW)
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    assert work.state == "open"
    assert work.assignments.count() == 6 * 3
    lease = assignments.claim(annotator, work, now=NOW)
    assert lease.assignment.other_id is not None


def test_a_draft_of_pairs_can_be_deleted(project, texts):
    rounds.delete(study(project), by=None, now=NOW)
    assert not Assignment.objects.exists()


def test_removed_texts_make_no_pair(project, texts):
    Response.objects.filter(external_id__in=["r0", "s0"]).update(state="removed", removed_at=NOW)
    assert asked(study(project)) == {("r1", "r2"), ("r1", "twin"), ("r2", "twin")}


def test_without_a_pair_there_is_no_round(project):
    make_response(make_prompt(project))
    with pytest.raises(Invalid) as refusal:
        study(project)
    assert refusal.value.code == "no_pairs"
    assert not Round.objects.exists()


def test_a_name_is_taken_once(project, texts):
    study(project)
    with pytest.raises(Invalid) as refusal:
        study(project)
    assert refusal.value.code == "round_exists"


def test_a_round_beyond_all_measure_is_refused(project, texts, monkeypatch):
    monkeypatch.setattr(pair_rounds, "MOST_SLOTS", 17)
    with pytest.raises(Invalid) as refusal:
        study(project)
    assert refusal.value.code == "too_many_pairs"


# --- Spot checks ---------------------------------------------------------------------------------


def test_a_spot_check_draws_from_the_pairs_it_is_given_in_whichever_order(project, texts):
    pairs = list(combinations([text.pk for text in texts[:3]], 2))
    work = spot_check(project, [pair[::-1] for pair in pairs], sample=2)
    assert work.purpose == "validation"
    assert len(asked(work)) == 2
    assert asked(spot_check(project, pairs, "Again", sample=2)) == asked(work)


def test_what_is_no_pair_of_the_project_any_more_is_left_out(project, texts):
    r0, r1, r2, _twin, s0, s1 = (text.pk for text in texts)
    Response.objects.filter(pk=r2).update(state="removed", removed_at=NOW)
    work = spot_check(project, [(r0, r1), (r0, r2), (r0, s0), (r0, r0), (s1, 10**9)])
    assert asked(work) == {("r0", "r1")}


# --- Two languages -------------------------------------------------------------------------------


@pytest.fixture
def bilingual(project):
    """Six English and six Chinese texts scored live by people of one language; two who work in both."""
    for language in ("en", "zh"):
        for number in range(3):
            prompt = make_prompt(project, f"{language}-{number}", language=language)
            for side in "ab":
                make_response(prompt, f"{language}-{number}{side}")
    names = []
    for language in ("en", "zh"):
        for number in range(2):
            member = make_member(project, "annotator", f"{language}-reader-{number}")
            reads_only(member, [language])
            names.append((language, member.user.username))
    score_all(
        make_round(project),
        {
            (response.external_id, name): 2
            for language, name in names
            for response in Response.objects.filter(prompt__language=language)
        },
    )
    both = [make_member(project, "annotator", name) for name in ("both-one", "both-two")]
    for member in both:
        reads_only(member, ["en", "zh"])
    return both


def validate(project, name="Validation", **options):
    values = {"languages": ["en", "zh"], "sample": 4, "seed": "1", "annotators": 2}
    return pair_rounds.across_languages(project, name, **{**values, **options}, by=None, now=NOW)


def test_the_same_people_score_a_sample_of_both_languages(project, bilingual):
    work = validate(project)
    assert (work.kind, work.purpose, work.state) == ("scores", "validation", "open")
    slots = work.assignments.all()
    assert set(slots.values_list("reserved_for", flat=True)) == {member.pk for member in bilingual}
    for language in ("en", "zh"):
        of_language = slots.filter(prompt__language=language)
        assert of_language.values("response").distinct().count() == 4
        assert of_language.count() == 8
    assert work.seats.count() == work.prompts.count() * 2


def test_only_the_validators_are_given_its_texts_and_they_score_them_anew(project, bilingual):
    work = validate(project)
    outsider = project.memberships.get(user__username="en-reader-0")
    with pytest.raises(NotAllowed) as refusal:
        assignments.claim(outsider, work, now=NOW)
    assert refusal.value.code == "not_at_this_stage"
    seen = set()
    while lease := assignments.claim(bilingual[0], work, now=NOW):
        seen.add(lease.assignment.prompt.language)
        scoring.submit(lease, value=1, justification="", now=NOW)
    assert seen == {"en", "zh"}
    assert work.scores.count() == 8


def test_nobody_validates_a_prompt_they_have_worked_on(project, bilingual):
    extra = make_round(project, "More")
    lease = assignments.claim(bilingual[0], extra, now=NOW)
    scoring.submit(lease, value=1, justification="", now=NOW)
    known = lease.assignment.prompt
    work = validate(project, annotators=1, sample=6)
    assert not work.assignments.filter(prompt=known, reserved_for=bilingual[0]).exists()
    assert work.assignments.filter(prompt=known, reserved_for=bilingual[1]).exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"languages": ["en"]}, "one_language"),
        ({"languages": ["en", "en"]}, "one_language"),
        ({"annotators": 3}, "nothing_to_validate"),
        ({"languages": ["en", "fr"]}, "no_validators"),
    ],
)
def test_what_cannot_be_compared_is_refused(project, bilingual, options, code):
    with pytest.raises(DomainError) as refusal:
        validate(project, **options)
    assert refusal.value.code == code
    assert not Round.objects.filter(purpose="validation").exists()


# --- Pages ---------------------------------------------------------------------------------------


def test_the_lead_sees_what_a_study_takes_and_makes_its_draft(project, texts, lead, browser_of):
    address = reverse("new_pairs", args=[project.slug])
    client = browser_of(lead)
    html = client.get(address, {"pairs": "4", "annotators": "10", "seed": "7"}).content.decode()
    assert "Votes to be given" in html
    assert ">40<" in html
    response = client.post(address, {"pairs": "4", "annotators": "10", "seed": "7", "name": "Study"})
    made = Round.objects.get()
    assert response.url == reverse("project_round", args=[project.slug, made.pk])
    assert made.assignments.count() == 40
    assert client.get(response.url).status_code == 200
    again = client.post(address, {"annotators": "3", "name": "Study"})
    assert again.status_code == 422
    assert "There is a round Study already" in again.content.decode()


@pytest.mark.parametrize("wrong", [{"annotators": "0"}, {"annotators": "51"}, {"pairs": "none"}])
def test_what_cannot_be_drawn_comes_back(project, texts, lead, browser_of, wrong):
    sent = {"annotators": "3", "name": "Study", **wrong}
    response = browser_of(lead).post(reverse("new_pairs", args=[project.slug]), sent)
    assert response.status_code == 422
    assert "Write a whole number from 1" in response.content.decode()
    assert not Round.objects.exists()


def test_the_lead_sees_who_could_validate_and_opens_the_round(project, bilingual, lead, browser_of):
    address = reverse("new_validation", args=[project.slug])
    client = browser_of(lead)
    sent = {"languages": ["en", "zh"], "sample": "4", "annotators": "2"}
    assert "2 annotators work in all of these languages." in client.get(address, sent).content.decode()
    response = client.post(address, {**sent, "name": "Validation"})
    made = Round.objects.get(name="Validation")
    assert response.url == reverse("project_round", args=[project.slug, made.pk])
    assert client.get(response.url).status_code == 200
    refused = client.post(address, {**sent, "annotators": "3", "name": "Other"})
    assert refused.status_code == 422
    assert client.get(address, {"languages": ["en"], "sample": "4", "annotators": "2"}).status_code == 422


@pytest.fixture
def run(project, texts):
    people = [make_member(project).user.username for _ in range(3)]
    values = {
        (text, one): score
        for text, score in {"r0": 3, "r1": 1, "r2": 0, "twin": 3, "s0": 3, "s1": 0}.items()
        for one in people
    }
    score_all(make_round(project), values)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    made = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(made.pk, clock=lambda: NOW)
    return made


def test_a_spot_check_of_a_run_asks_about_accepted_pairs_alone(project, run, lead, browser_of):
    address = reverse("spot_check", args=[project.slug, run.pk])
    client = browser_of(lead)
    assert client.get(address).status_code == 200
    response = client.post(address, {"name": "Spot check", "pairs": "2", "annotators": "3", "seed": "1"})
    made = Round.objects.get(name="Spot check")
    assert response.url == reverse("project_round", args=[project.slug, made.pk])
    accepted = {tuple(sorted(pair.key.split(":")[1:])) for pair in run.pairs.all()}
    assert len(asked(made)) == 2
    assert asked(made) <= accepted


def test_drawing_is_for_leads(project, run, annotator, stranger, browser_of):
    pages = [
        reverse("new_pairs", args=[project.slug]),
        reverse("new_validation", args=[project.slug]),
        reverse("spot_check", args=[project.slug, run.pk]),
    ]
    for page in pages:
        for person, status in ((annotator, 403), (stranger, 404)):
            assert browser_of(person).get(page).status_code == status
            assert browser_of(person).post(page, {"name": "x"}).status_code == status

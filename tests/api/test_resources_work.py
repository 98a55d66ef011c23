"""REST: rounds from draft to lock, their slots, and what was given in them."""

import pytest

from annotation.models import Round
from tests.api.callers import Caller, at, fill, refusal_of
from tests.factories import make_member, make_prompt, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def material(project):
    for number in range(4):
        genre = project.genres.order_by("position")[number % 2]
        prompt = make_prompt(project, f"p{number}", genre=genre, language=("en", "zh")[number % 2])
        make_response(prompt, f"p{number}-0")
        make_response(prompt, f"p{number}-1")
    return project


@pytest.fixture
def caller(lead):
    return Caller(lead.user)


@pytest.fixture
def world(project):
    return fill(project, is_released=False)


# --- Rounds ------------------------------------------------------------------------------------------


def test_a_draft_asks_about_all_prompts_where_nothing_is_chosen(caller, material):
    made = caller.post("rounds/", {"name": "Round 1"})
    told = made.json()
    assert (made.status_code, told["state"], told["purpose"], told["kind"]) == (
        201,
        "draft",
        "live",
        "scores",
    )
    assert (told["progress"]["prompts"], told["progress"]["responses"], told["progress"]["slots"]) == (
        4,
        8,
        0,
    )
    assert [each["code"] for each in told["obstacles"]] == ["no_annotators", "panel_incomplete"]
    assert made["Location"] == told["url"] == "http://testserver" + at("rounds/Round%201/")
    assert caller.get(told["url"]).json() == told


def test_filters_choose_prompts_and_the_same_seed_the_same_sample(caller, material):
    body = {"genres": ["fiction"], "languages": ["en"], "sample": 1, "seed": "7"}
    names = []
    for number in range(2):
        told = caller.post("rounds/", {"name": f"Round {number}", **body}).json()
        assert told["progress"]["prompts"] == 1
        work = Round.objects.get(name=f"Round {number}")
        names.append(work.prompts.get().external_id)
    assert names[0] == names[1]


def test_a_round_goes_from_draft_to_lock(caller, material):
    for name in ("ursula", "benedict"):
        make_member(material, "annotator", name)
    body = {"name": "a/b c", "assigning": "pool", "annotators_per_response": 2}
    draft = caller.post("rounds/", body).json()
    assert (draft["assigning"], draft["annotators_per_response"], draft["obstacles"]) == ("pool", 2, [])
    states = []
    for action in ("open", "pause", "resume", "lock"):
        told = caller.post(f"{draft['url']}{action}/")
        assert told.status_code == 200, told.content
        states.append(told.json()["state"])
    assert states == ["open", "paused", "open", "locked"]
    assert caller.get(draft["url"]).json()["progress"]["slots"] == 16
    refused = {action: refusal_of(caller.post(f"{draft['url']}{action}/")) for action in ("open", "pause")}
    assert refused == {"open": (409, "not_a_draft"), "pause": (409, "round_not_open")}


def test_a_draft_is_changed_and_removed_and_nothing_else_is(caller, material):
    make_member(material, "annotator", "ursula")
    draft = caller.post("rounds/", {"name": "Round 1"}).json()
    told = caller.patch(draft["url"], {"name": "Round 2", "assigning": "pool"}).json()
    assert (told["name"], told["assigning"], told["annotators_per_response"]) == ("Round 2", "pool", 3)
    assert caller.get(draft["url"]).status_code == 404
    caller.post(f"{told['url']}open/")
    assert refusal_of(caller.patch(told["url"], {"name": "Round 3"})) == (409, "not_a_draft")
    assert refusal_of(caller.delete(told["url"])) == (409, "not_a_draft")
    other = caller.post("rounds/", {"name": "Round 4"}).json()
    assert caller.delete(other["url"]).status_code == 204
    assert list(Round.objects.values_list("name", flat=True)) == ["Round 2"]


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({}, 400),
        ({"name": "Round 2", "state": "open"}, 400),
        ({"name": "Round 2", "project": "tunnels"}, 400),
        ({"name": "Round 2", "rubric": 1}, 400),
        ({"name": "Round 2", "purpose": "nothing"}, 400),
        ({"name": "Round 2", "purpose": "exam"}, 422),
        ({"name": "Round 2", "kind": "pairs"}, 400),
        ({"name": "Round 2", "sample": 0}, 400),
        ({"name": "Round 2", "genres": ["nobody"]}, 422),
        ({"name": "Round 2", "languages": ["fr"]}, 422),
        ({"name": "Round 2", "genres": ["fiction"], "languages": ["zh"]}, 422),
        ({"name": "Round 2", "annotators_per_response": 1}, 422),
        ({"name": "Round 1"}, 422),
        ({"name": "Round 1", "annotators_per_response": 3, "assigning": "pool"}, 422),
    ],
)
def test_a_round_that_cannot_be_is_refused_and_no_draft_is_left(caller, material, body, refused):
    caller.post("rounds/", {"name": "Round 1"})
    assert refusal_of(caller.post("rounds/", body))[0] == refused
    assert Round.objects.count() == 1


def test_what_stands_in_the_way_is_said_when_a_round_is_opened(caller, material):
    draft = caller.post("rounds/", {"name": "Round 1", "assigning": "pool"}).json()
    assert refusal_of(caller.post(f"{draft['url']}open/")) == (409, "no_annotators")
    assert refusal_of(caller.post(f"{draft['url']}open/", {"force": True}))[0] == 400


def test_rounds_of_the_preparation_are_not_told(caller, project):
    exam = {"purpose": "exam", "rubric": project.rubrics.get(), "created_at": project.created_at}
    project.rounds.create(name="Exam", **exam)
    assert caller.all("rounds/") == []
    assert caller.get("rounds/Exam/").status_code == 404
    assert caller.post("rounds/Exam/lock/").status_code == 404


def test_rounds_are_filtered(caller, world):
    assert [row["name"] for row in caller.all("rounds/?kind=rankings")] == ["Ranking"]
    assert [row["name"] for row in caller.all("rounds/?ordering=name&state=open")] == ["Ranking", "Round 1"]
    assert caller.all("rounds/?state=locked") == []


# --- Slots and judgements ----------------------------------------------------------------------------


def test_slots_are_told_by_response_and_state_and_annotators_by_pseudonym(caller, world):
    slots = caller.all("assignments/?round=Round+1")
    assert len(slots) == 24
    assert {slot["annotator"] for slot in slots} == {"annotator-01", "annotator-02", "annotator-03"}
    assert len(caller.all("assignments/?round=Ranking&state=done")) == 1
    one = caller.all("assignments/?response=p0-0&annotator=annotator-02")
    assert [(slot["prompt"], slot["state"], slot["kind"]) for slot in one] == [("p0", "done", "scores")]
    assert set(one[0]) == {
        *("round", "kind", "prompt", "response", "other", "slot", "state", "annotator"),
        *("reserved_for", "leased_until"),
    }


def test_scores_and_rankings_are_rows_under_pseudonyms(caller, world):
    scores = caller.all("scores/?annotator=annotator-01&prompt=p0")
    assert [(row["response"], row["score"], row["rubric"]) for row in scores] == [
        ("p0-0", 0, 1),
        ("p0-1", 3, 1),
    ] or [(row["response"], row["score"]) for row in scores] == [("p0-1", 3), ("p0-0", 0)]
    (ranking,) = caller.all("rankings/")
    assert ranking["annotator"] == "annotator-01"
    assert sorted(ranking["tiers"]) == sorted([[f"{ranking['prompt']}-0"], [f"{ranking['prompt']}-1"]])
    said = caller.get("scores/").content + caller.get("rankings/").content
    assert not [name for name in (b"ursula", b"benedict", b'"pk"') if name in said]


def test_judgements_are_filtered(caller, world):
    assert len(caller.all("scores/?round=Round+1&purpose=live&standing=counted")) == 24
    assert caller.all("scores/?purpose=gold") == []
    assert caller.all("rankings/?round=Round+1") == []
    assert refusal_of(caller.get("scores/?annotator__user__username=ursula"))[0] == 400
    assert refusal_of(caller.get("scores/?value=3"))[0] == 400

"""manage.py curate --project: what people ranked and voted in a project, as the release that files of it give."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.domain.splits import Thresholds
from annotation.models import AdjudicationCase, Membership, Round
from annotation.queries import rankings as rankings_queries
from annotation.services import adjudication, category_votes, membership, rankings, triage
from curation.domain import recipes
from curation.queries import graded
from curation.services import verification
from tests.curation.file_releases import tree, write_rows
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.ranking_rounds import hand_out, make_ranking_round
from tests.rounds_of_votes import make_category_round
from tests.split_rounds import send

pytestmark = pytest.mark.django_db

REQUIREMENTS = ("200 words", "a harbour", "in the past", "no names")
# What each says of a prompt: best first, by how many of the requirements were kept.
ORDERS = {
    "p1": {"vera": ("4", "3", "2", "1"), "boris": ("3", "4", "2", "1"), "celia": ("43", "2", "1")},
    "p2": {"vera": ("3", "2", "1"), "boris": ("1", "2", "3"), "celia": ("3", "21")},
    "p3": {"vera": ("2", "1"), "boris": ("2", "1"), "celia": ("21",)},
}
VOTES = {
    "p1": {"vera": "poetry", "boris": "poetry", "celia": "fiction"},
    "p2": {"vera": "fiction", "boris": "fiction", "celia": "fiction"},
    "p3": {"vera": "fiction", "boris": "poetry", "celia": "essay"},
}
SECRETS = ("gpt-5-secret", "claude-secret")


@pytest.fixture
def voters(project):
    return {name: make_member(project, "annotator", name) for name in ("vera", "boris", "celia")}


@pytest.fixture
def material(project):
    """Three prompts of 4, 3 and 2 requirements, each with a response that kept each number of them."""
    project.genres.create(key="essay", name_en="Essay", position=2)
    for prompt_id, n in (("p1", 4), ("p2", 3), ("p3", 2)):
        prompt = make_prompt(project, prompt_id, text=f"Write {prompt_id}.", language="en")
        asked = [prompt.requirements.create(position=place, text=REQUIREMENTS[place]) for place in range(n)]
        for kept in range(1, n + 1):
            text = f"{prompt_id} keeps {kept}"
            response = make_response(
                prompt, f"{prompt_id}-{kept}", text, source_model=SECRETS[kept % 2], parameters={"t": kept}
            )
            response.kept_requirements.set(asked[:kept])
    return project


@pytest.fixture
def ranked(material, voters):
    return rank(material, voters, ORDERS)


@pytest.fixture
def voted(material, voters):
    return vote(material, voters, VOTES)


def rank(project, voters, orders, **columns) -> Round:
    """A round in which everybody ranks as they say, through the services."""
    work = make_ranking_round(project, **columns)
    for name, member in voters.items():
        for _ in orders:
            lease = hand_out(member, work)
            rankings.submit(lease, tiers=by_letters(lease, orders, name), justification="", now=NOW)
    return work


def by_letters(lease, orders, name) -> list[list[str]]:
    """The order as the page has it, in letters."""
    texts = rankings_queries.texts_of(lease, None)
    letters = {text.external_id.rpartition("-")[2]: "ABCDEFGH"[place] for place, text in enumerate(texts)}
    return [[letters[kept] for kept in tier] for tier in orders[lease.assignment.prompt.external_id][name]]


def vote(project, voters, votes, **columns) -> Round:
    work = make_category_round(project, project.prompts.order_by("pk"), **columns)
    for name, member in voters.items():
        for _ in votes:
            lease = hand_out(member, work)
            category = votes[lease.assignment.prompt.external_id][name]
            category_votes.submit(lease, category=category, justification="", now=NOW)
    return work


def curate(out: Path, *options: str) -> Path:
    call_command("curate", "--recipe=weval", f"--out={out}", *options)
    return out


def of_project(project, out: Path, *options: str) -> Path:
    return curate(out, f"--project={project.slug}", *options)


def files_of(project, folder: Path) -> tuple[str, str]:
    """The same data as files: what a lead would write down of them."""
    names = {
        member.user.username: member.pseudonym
        for member in project.memberships.select_related("user").filter(role=Membership.Role.ANNOTATOR)
    }
    prompts = {prompt.external_id: prompt for prompt in project.prompts.all()}
    responses = [
        {
            "id": response.external_id,
            "prompt_id": response.prompt.external_id,
            "prompt": response.prompt.text,
            "language": "en",
            "text": response.text,
            "requirements": REQUIREMENTS[: prompts[response.prompt.external_id].requirements.count()],
            "kept_requirements": int(response.external_id[-1]),
        }
        for response in project.responses.select_related("prompt")
    ]
    ranked = [
        {
            "prompt_id": prompt,
            "annotator": names[name],
            "tiers": [[f"{prompt}-{kept}" for kept in tier] for tier in order],
            "category": VOTES[prompt][name],
            "at": NOW.isoformat(),
        }
        for prompt, people in ORDERS.items()
        for name, order in people.items()
    ]
    given = write_rows(folder / "R.jsonl", responses), write_rows(folder / "K.jsonl", ranked)
    return f"--responses={given[0]}", f"--rankings={given[1]}"


def agreement_of(folder: Path) -> dict:
    return json.loads((folder / "agreement.json").read_bytes())


def refusal(project, out: Path, *options: str) -> str:
    with pytest.raises(CommandError) as caught:
        of_project(project, out, *options)
    assert not out.exists()
    return str(caught.value)


# --- the same release ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [(), ("--param=pairs=all", "--param=pairs_from=combined")])
def test_a_project_gives_the_bytes_that_files_of_its_data_give(ranked, voted, tmp_path, parameters):
    one = of_project(ranked.project, tmp_path / "D", *parameters)
    other = curate(tmp_path / "E", *files_of(ranked.project, tmp_path), *parameters)
    assert tree(one) == tree(other)
    assert verification.verify(one).ok
    assert agreement_of(one)["rankings"] == 9


def test_categories_are_those_that_a_majority_voted_for(ranked, voted, tmp_path):
    out = of_project(ranked.project, tmp_path / "D")
    rows = [json.loads(line) for line in (out / "data/rankings/test.jsonl").read_text("utf-8").splitlines()]
    assert {row["prompt_id"]: row["category"] for row in rows} == {"p1": "poetry", "p2": "fiction", "p3": ""}
    stated = json.loads((out / "manifest.json").read_bytes())["categories"]
    assert stated == {"given": 0, "voted": 2, "none": 1}


def test_an_adjudicator_decides_what_votes_left_open(ranked, voted, tmp_path):
    send(voted, Thresholds())
    (case,) = AdjudicationCase.objects.filter(prompt__external_id="p3", round=voted)
    judge = make_member(voted.project, "adjudicator", "judge")
    adjudication.own(case, judge, choice="poetry", justification="", now=NOW)
    adjudication.decide(case, judge, choice="essay", reason="It argues.", now=NOW)
    found = graded.graded(voted.project, [ranked])
    assert found.decided == {"p1": "poetry", "p2": "fiction", "p3": "essay"}


def test_where_nobody_voted_the_category_is_the_macro_one_of_the_material(ranked, project):
    fiction = project.genres.get(key="fiction")
    tale = project.genres.create(parent=fiction, key="tale", name_en="Tale", position=3)
    project.prompts.filter(external_id="p1").update(genre=tale)
    categories = {row.prompt_id: row.category for row in graded.graded(project, [ranked]).responses}
    assert categories == {"p1": "fiction", "p2": "", "p3": ""}


def test_neither_models_nor_names_of_people_are_in_it(ranked, voted, tmp_path):
    everything = b"".join(tree(of_project(ranked.project, tmp_path / "D", "--param=pairs=all")).values())
    assert not [
        name for name in (*SECRETS, '"vera"', "boris", "celia", "@example") if name.encode() in everything
    ]


def test_it_changes_nothing_in_the_project(ranked, tmp_path):
    with CaptureQueriesContext(connection) as queries:
        of_project(ranked.project, tmp_path / "D")
    first = {query["sql"].split()[0] for query in queries.captured_queries}
    assert first <= {"SELECT", "DECLARE"}  # the second is a cursor, by which PostgreSQL reads


def test_it_asks_as_often_however_many_prompts_there_are(
    project, voters, material, django_assert_num_queries
):
    work = rank(material, voters, ORDERS)
    vote(material, voters, VOTES)
    with django_assert_num_queries(12):
        graded.graded(project, [work])


# --- what counts --------------------------------------------------------------------------------------------


def test_the_newest_revision_counts(ranked, voters, tmp_path):
    lease = voters["boris"].leases.get(assignment__prompt__external_id="p3")
    turned = by_letters(lease, {"p3": {"boris": ("1", "2")}}, "boris")
    rankings.revise(lease, tiers=turned, justification="", based_on=1, now=NOW)
    found = {(row.prompt_id, row.annotator): row for row in graded.graded(ranked.project, [ranked]).rankings}
    assert found["p3", voters["boris"].pseudonym].tiers == (("p3-1",), ("p3-2",))
    assert len(found) == 9


def test_data_that_were_withdrawn_do_not_count(ranked, voted, voters):
    lead = make_member(ranked.project, "lead", "lena")
    membership.withdraw_data(voters["vera"], reason="As she asked.", by=lead.user, now=NOW)
    found = graded.graded(ranked.project, [ranked])
    assert {row.annotator for row in found.rankings} == {
        voters["boris"].pseudonym,
        voters["celia"].pseudonym,
    }


def test_of_a_removed_response_the_order_of_the_others_stays(ranked, project):
    lead = make_member(project, "lead", "lena")
    triage.remove(
        project.responses.get(external_id="p1-3"), kind="grammar", reason="Broken.", by=lead.user, now=NOW
    )
    found = graded.graded(project, [ranked])
    orders = [row.tiers for row in found.rankings if row.prompt_id == "p1"]
    assert (("p1-4",), ("p1-2",), ("p1-1",)) in orders
    assert "p1-3" not in {row.id for row in found.responses}


def test_a_ranking_that_lacks_a_response_is_left_out_and_said(ranked, project, tmp_path, capsys):
    prompt = project.prompts.get(external_id="p3")
    late = make_response(prompt, "p3-9", "It came later.")
    late.kept_requirements.set(prompt.requirements.all()[:1])
    of_project(project, tmp_path / "D")
    assert "3 rankings do not hold every response and were left out." in capsys.readouterr().out
    assert agreement_of(tmp_path / "D")["rankings"] == 6


def test_prompts_without_requirements_have_no_order_and_are_no_part_of_it(ranked, project, tmp_path):
    make_response(make_prompt(project, "free", text="As you like."), "free-1", "Anything.")
    out = of_project(project, tmp_path / "D")
    assert b"free-1" not in b"".join(tree(out).values())
    assert json.loads((out / "manifest.json").read_bytes())["left_out"] == {
        "one_response": 0,
        "incomplete": 0,
    }


def test_rounds_that_are_not_live_do_not_count(material, voters):
    work = rank(material, voters, ORDERS, purpose=Round.Purpose.VALIDATION)
    assert graded.rounds_of_rankings(work.project) == []


def test_without_a_ranking_the_gold_order_stands_alone(material, tmp_path, capsys):
    of_project(material, tmp_path / "D")
    assert "3 gold rankings, 0 prompts left out, 0 pairs; nobody ranked them." in capsys.readouterr().out


# --- rounds -------------------------------------------------------------------------------------------------


def test_rounds_are_chosen_by_name(ranked, voters, tmp_path):
    turned = {
        prompt: dict.fromkeys(people, [*"4321"][-len(people["vera"]) :]) for prompt, people in ORDERS.items()
    }
    rank(ranked.project, voters, turned, name="Once more")
    first = agreement_of(of_project(ranked.project, tmp_path / "D", "--round=Ranking"))
    last = agreement_of(of_project(ranked.project, tmp_path / "E", "--round=Once more"))
    both = agreement_of(of_project(ranked.project, tmp_path / "F"))
    assert first["human"]["correlation"] < 100 == last["human"]["correlation"]
    assert both == last  # of each person's rankings of a prompt that of the latest round counts


def test_rounds_of_two_kinds_are_not_mixed(ranked, voters, tmp_path):
    rank(ranked.project, voters, ORDERS, name="By requirements", instruction="requirements")
    said = refusal(ranked.project, tmp_path / "D")
    assert "Some rounds order by preference and some by requirements (Ranking, By requirements)." in said
    of_project(ranked.project, tmp_path / "D", "--round=By requirements")


# --- what is refused ----------------------------------------------------------------------------------------


def test_it_refuses_what_it_cannot_find_and_names_what_is_near(ranked, tmp_path):
    assert "There is no live round of rankings 'Rankin'; did you mean 'Ranking'?" in refusal(
        ranked.project, tmp_path / "D", "--round=Rankin"
    )
    with pytest.raises(CommandError, match="There is no project 'nowhere'"):
        curate(tmp_path / "D", "--project=nowhere")


def test_it_refuses_a_project_without_requirements(project, tmp_path):
    assert "has requirements, so no order of its responses is known" in refusal(project, tmp_path / "D")


def test_it_refuses_ties_where_the_recipe_takes_none(ranked, tmp_path):
    said = refusal(ranked.project, tmp_path / "D", "--param=ties=off")
    assert "ties responses to the prompt 'p1'" in said


@pytest.mark.parametrize("options", [("--recipe=litbench",), ("--responses=R.jsonl",)])
def test_it_goes_with_rankings_alone_and_without_files(ranked, tmp_path, options):
    with pytest.raises(CommandError, match="takes the place of files, with the recipe weval") as caught:
        of_project(ranked.project, tmp_path / "D", *options)
    assert caught.value.returncode == 2


def test_parameters_are_those_of_the_recipe(ranked, tmp_path):
    assert "there is no parameter 'buckets'" in refusal(ranked.project, tmp_path / "D", "--param=buckets=2")
    assert recipes.recipe("weval", {}).pairs == "none"

"""Rankings that people gave leave with the release of a project, beside its pairs."""

import gzip
import json

import pytest
from django.core.management import call_command

from annotation.models import Membership, Requirement
from annotation.queries import rankings as texts_of
from annotation.services import assignments, rankings, triage
from curation.domain.release.splits import of_prompts
from curation.services import releases, snapshots, verification
from tests.curation.audits import run_again
from tests.curation.test_release_contents import frozen, made_run, rows_of
from tests.factories import NOW, make_project
from tests.ranking_rounds import make_ranking_round, tiers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"


def rank(member, work, order):
    """Order every prompt that the annotator gets: by the last letter of the ids, as 'a > b = c'."""
    while lease := assignments.claim(member, work, now=NOW):
        texts = texts_of.texts_of(lease, None)
        letters = {text.external_id[-1]: chr(65 + place) for place, text in enumerate(texts)}
        given = tuple(tuple(letters[name] for name in tier) for tier in tiers(order))
        rankings.submit(lease, tiers=given, justification="So it is.", now=NOW)


def people(project):
    return {member.user.username: member for member in project.memberships.filter(role="annotator")}


@pytest.fixture
def ranked(project):
    """Twelve prompts of three scored responses; three people rank them, and gold is known of the first prompt."""
    run = made_run(project)
    first = project.prompts.get(external_id="p00")
    requirements = [
        Requirement.objects.create(prompt=first, position=n, text=f"Requirement {n}.") for n in (1, 2, 3)
    ]
    for number, side in enumerate("abc"):
        first.responses.get(external_id=f"p00{side}").kept_requirements.set(requirements[number:])
    work = make_ranking_round(project)
    for name, order in {"ann": "a > b > c", "ben": "a > b = c", "cat": "b > a > c"}.items():
        rank(people(project)[name], work, order)
    return run


def again(run):
    """A run of what is there now."""
    return run_again(run.project)


def test_each_prompt_has_its_gold_and_combined_order_with_the_texts(ranked):
    release = frozen(again(ranked))
    rows = {row["prompt_id"]: row for row in rows_of(release, "data/rankings/test.jsonl")}
    assert len(rows) == 12
    first = rows["p00"]
    assert first["gold"] == [["p00a"], ["p00b"], ["p00c"]]
    assert first["combined"] == [["p00a"], ["p00b"], ["p00c"]]
    assert (first["ids"], first["kept"]) == (["p00a", "p00b", "p00c"], [3, 2, 1])
    assert (first["requirements"], first["annotators"]) == (3, 3)
    assert first["texts"][1] == ranked.project.responses.get(external_id="p00b").text
    assert (rows["p01"]["gold"], rows["p01"]["kept"], rows["p01"]["requirements"]) == ([], [], 0)
    manifest = json.loads((releases.folder(release) / "manifest.json").read_bytes())
    assert manifest["rankings"] == {"prompts": 12, "rankings": 36, "annotators": 3}
    assert {row["canary"] for row in rows.values()} == {release.terms["canary"]}


def test_each_ranking_is_there_under_the_pseudonym_of_its_scores(ranked):
    release = frozen(again(ranked))
    given = [row for row in rows_of(release, "data/given_rankings/test.jsonl") if row["prompt_id"] == "p00"]
    assert sorted(map(str, (row["tiers"] for row in given))) == sorted(
        map(
            str,
            ([["p00a"], ["p00b"], ["p00c"]], [["p00a"], ["p00b", "p00c"]], [["p00b"], ["p00a"], ["p00c"]]),
        )
    )
    assert all(row["at"] == "2026-03-02T09:00:00.000000Z" for row in given)
    scores = {
        row["annotator"]: row["score"]
        for row in rows_of(release, "data/judgements/test.jsonl")
        if row["response_id"] == "p00c"
    }
    assert {row["annotator"] for row in given} == scores.keys()
    of_cat = next(row["annotator"] for row in given if row["tiers"][0] == ["p00b"])
    assert scores[of_cat] == 3, "cat gave p00c a 3, and is one person in both files"


def test_the_release_verifies_and_is_rebuilt_byte_for_byte(ranked, capsys):
    release = frozen(again(ranked), contested=True)
    assert verification.verify(releases.folder(release)).ok
    call_command("rebuild_release", release.name, release.version)
    assert "all the same to the byte" in capsys.readouterr().out
    card = (releases.folder(release) / "README.md").read_text(encoding="utf-8")
    assert "- config_name: rankings" in card
    assert "- config_name: given_rankings" in card
    assert "`data/given_rankings/`" in card


def test_what_is_ranked_of_prompts_that_are_held_out_is_kept_back(ranked):
    release = frozen(again(ranked), heldout="labels", heldout_percent=30)
    split = of_prompts(release.name, 30)
    for table in ("rankings", "given_rankings"):
        for name in ("test", "heldout"):
            found = {row["prompt_id"] for row in rows_of(release, f"data/{table}/{name}.jsonl")}
            assert found == {f"p{n:02}" for n in range(12) if split(f"p{n:02}") == name}
    manifest = json.loads((releases.folder(release) / "manifest.json").read_bytes())
    assert manifest["files"]["data/rankings/heldout.jsonl"]["withheld"]
    assert not manifest["files"]["data/rankings/test.jsonl"].get("withheld")


def test_what_does_not_count_any_more_is_left_out(ranked):
    project = ranked.project
    triage.remove(project.responses.get(external_id="p01c"), kind="grammar", by=None, now=NOW)
    triage.remove(project.responses.get(external_id="p02b"), kind="grammar", by=None, now=NOW)
    triage.remove(project.responses.get(external_id="p02c"), kind="grammar", by=None, now=NOW)
    Membership.objects.filter(user__username="cat").update(state=Membership.State.WITHDRAWN)
    release = frozen(again(ranked))
    rows = {row["prompt_id"]: row for row in rows_of(release, "data/rankings/test.jsonl")}
    assert rows["p01"]["ids"] == ["p01a", "p01b"]
    assert rows["p01"]["combined"] == [["p01a"], ["p01b"]]
    assert "p02" not in rows, "one text is in no order"
    assert rows["p03"]["annotators"] == 2


def test_without_rankings_a_snapshot_and_a_release_are_as_they_were():
    project = make_project("plain")
    run = made_run(project)
    lines = b"".join(gzip.decompress(bytes(part.content)) for part in run.snapshot.parts.all())
    assert b"ranked" not in lines
    assert snapshots.load(run.snapshot).ranked == ()
    release = frozen(run, name="plain")
    manifest = json.loads((releases.folder(release) / "manifest.json").read_bytes())
    assert "rankings" not in manifest
    assert not any("rankings" in path for path in manifest["files"])


def test_rankings_change_the_snapshot_and_neither_pairs_nor_funnel(ranked):
    later = again(ranked)
    assert later.snapshot != ranked.snapshot
    assert later.funnel == ranked.funnel
    assert set(later.pairs.values_list("key", flat=True)) == set(ranked.pairs.values_list("key", flat=True))

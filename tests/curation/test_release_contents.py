"""What a frozen release holds: splits, what is held out, contested candidates, marks, a signature, its own verifier."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256

import pytest

from annotation.errors import Invalid
from curation.domain.release.splits import HELDOUT, is_withheld, of_prompts
from curation.domain.terms import Check, Terms
from curation.services import recipes, releases, runs, signing, verification
from tests.factories import (
    NOW,
    REASON,
    make_member,
    make_prompt,
    make_response,
    make_round,
    score_all,
)

pytestmark = pytest.mark.django_db

PROMPTS = 12
NAMES = ("ann", "ben", "cat")
PAIRS, JUDGEMENTS = "data/pairs", "data/judgements"


def clock():
    return NOW


@pytest.fixture(autouse=True)
def releases_dir(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return settings.RELEASES_DIR


def made_run(project):
    """Of each of 12 prompts two pairs that are accepted, and one on which the annotators are split."""
    for name in NAMES:
        make_member(project, "annotator", name)
    scores = {}
    for n in range(PROMPTS):
        prompt = make_prompt(project, f"p{n:02}")
        for side, given in {"a": (3, 3, 3), "b": (1, 1, 1), "c": (0, 1, 3)}.items():
            make_response(prompt, f"p{n:02}{side}", f"Text {n} {side}. " + "word " * n)
            scores |= {(f"p{n:02}{side}", name): score for name, score in zip(NAMES, given, strict=True)}
    score_all(make_round(project), scores)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=clock)
    run.refresh_from_db()
    return run


@pytest.fixture
def run(project):
    return made_run(project)


def frozen(run, **terms):
    release = releases.request(
        run, **{"name": "bridges", "version": "1.0.0", "reason": REASON, "by": None, "now": NOW, **terms}
    )
    releases.execute(release.pk, clock=clock)
    release.refresh_from_db()
    assert (release.state, release.error) == ("done", "")
    return release


def rows_of(release, path):
    return [json.loads(line) for line in (releases.folder(release) / path).open(encoding="utf-8")]


def manifest_of(release):
    return json.loads((releases.folder(release) / "manifest.json").read_bytes())


# --- marks ----------------------------------------------------------------------------------------------


def test_every_record_and_the_card_bear_the_canary_of_the_release(run):
    release = frozen(run, contested=True)
    canary = release.terms["canary"]
    folder = releases.folder(release)
    for path in folder.glob("data/**/*.jsonl"):
        rows = [json.loads(line) for line in path.open(encoding="utf-8")]
        assert rows
        assert {row["canary"] for row in rows} == {canary}, path
    assert canary in (folder / "README.md").read_text(encoding="utf-8")
    assert frozen(run, version="1.1.0").terms["canary"] != canary


def test_pseudonyms_are_those_of_a_release_and_its_salt_leaves_nobodys_sight(run):
    found = set()
    for number in range(12):
        release = frozen(run, version=f"1.0.{number}")
        given = {
            row["annotator"]: row["score"]
            for row in rows_of(release, f"{JUDGEMENTS}/test.jsonl")
            if row["response_id"] == "p00c"
        }
        assert set(given) == {"annotator-01", "annotator-02", "annotator-03"}
        found.add(tuple(given[name] for name in sorted(given)))
        everything = b"".join(p.read_bytes() for p in releases.folder(release).rglob("*") if p.is_file())
        assert release.terms["salt"].encode() not in everything
    assert len(found) > 1  # in which order the three stand


# --- loaders --------------------------------------------------------------------------------------------


def test_trainers_spreadsheets_and_harnesses_get_the_same_pairs(run):
    release = frozen(run)
    pairs = {row["id"]: row for row in rows_of(release, f"{PAIRS}/test.jsonl")}
    assert len(pairs) == 2 * PROMPTS
    for row in rows_of(release, "data/preference/test.jsonl"):
        assert row["chosen"][-1]["content"] == pairs[row["id"]]["chosen_text"]
        assert row["rejected"][0]["content"] == pairs[row["id"]]["prompt"]
        assert row["margin"] == pairs[row["id"]]["gap"][0] / pairs[row["id"]]["gap"][1]
    for row in rows_of(release, "data/inspect/test.jsonl"):
        assert row["choices"]["AB".index(row["target"])] == pairs[row["id"]]["chosen_text"]
    text = (releases.folder(release) / "csv/pairs-test.csv").read_text(encoding="utf-8")
    assert [row["id"] for row in csv.DictReader(io.StringIO(text))] == list(pairs)
    croissant = json.loads((releases.folder(release) / "croissant.json").read_bytes())
    for file in croissant["distribution"]:
        content = (releases.folder(release) / file["contentUrl"]).read_bytes()
        assert sha256(content).hexdigest() == file["sha256"]


# --- contested ------------------------------------------------------------------------------------------


def test_contested_candidates_leave_with_the_release_where_the_lead_includes_them(run):
    assert not (releases.folder(frozen(run)) / "data/contested").exists()
    rows = rows_of(frozen(run, version="1.1.0", contested=True), "data/contested/test.jsonl")
    assert len(rows) == PROMPTS
    # Of (1, 1, 1) against (0, 1, 3) one prefers b, one c, and one neither.
    first = rows[0]
    assert (first["a"], first["b"], first["reason"]) == ("p00b", "p00c", "direction")
    assert (first["votes_a"], first["votes_b"], first["ties"], first["k"]) == (1, 1, 1, 3)
    assert first["share_a"] == 0.5


# --- held out -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heldout", ["labels", "all"])
def test_all_of_a_prompt_is_in_one_split_and_what_is_held_out_is_withheld(run, heldout):
    release = frozen(run, heldout=heldout, heldout_percent=40, contested=True)
    split = of_prompts("bridges", 40)
    kept = [f"p{n:02}" for n in range(PROMPTS) if split(f"p{n:02}") == HELDOUT]
    assert kept
    assert len(kept) < PROMPTS
    for config in ("pairs", "preference", "judgements", "contested"):
        for name in ("test", "heldout"):
            prompts = {row["prompt_id"] for row in rows_of(release, f"data/{config}/{name}.jsonl")}
            assert prompts == (
                {*kept} if name == "heldout" else {f"p{n:02}" for n in range(PROMPTS)} - {*kept}
            )
    files = manifest_of(release)["files"]
    withheld = {path for path, facts in files.items() if facts.get("withheld")}
    assert withheld == {path for path in files if "heldout" in path and "unlabelled" not in path}
    for path in withheld:
        assert is_withheld(path)
    assert not any(is_withheld(path) for path in {*files} - withheld)
    for path in ("data/unlabelled/heldout.jsonl", "data/unlabelled_judge/heldout.jsonl"):
        assert (path in files) == (heldout == "labels")


def test_what_is_kept_back_can_be_told_from_nothing_that_everybody_gets(run, tmp_path):
    release = frozen(run, heldout="labels", heldout_percent=40)
    files = manifest_of(release)["files"]
    public = tmp_path / "public"
    shutil.copytree(releases.folder(release), public)
    for path, facts in files.items():
        if facts.get("withheld"):
            (public / path).unlink()
    for folder in sorted(public.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    verdict = verification.verify(public)
    assert verdict.ok
    assert verdict.withheld == sum(bool(facts.get("withheld")) for facts in files.values())
    for row in rows_of(release, "data/unlabelled/heldout.jsonl"):
        assert not {"chosen", "rejected", "votes_for", "mean_chosen"} & row.keys()
        assert row["first"] < row["second"]
        assert row["id"] == f"{row['prompt_id']}:{row['first']}:{row['second']}"
    # With them it is the whole release; with one byte changed it is none.
    assert verification.verify(releases.folder(release)).withheld == 0
    path = releases.folder(release) / "data/pairs/heldout.jsonl"
    path.write_bytes(path.read_bytes().replace(b"p", b"q", 1))
    assert verification.verify(releases.folder(release)).path == "data/pairs/heldout.jsonl"


def test_a_split_that_would_be_empty_is_said_before_anything_is_written(run):
    release = releases.request(
        run, name="x", version="1.0.0", reason=REASON, by=None, now=NOW, heldout="all", heldout_percent=1
    )
    releases.execute(release.pk, clock=clock)
    release.refresh_from_db()
    assert release.state == "failed"
    assert "Hold out another share" in release.error
    assert not releases.folder(release).exists()


@pytest.mark.parametrize("percent", [0, 91, -1])
def test_a_share_that_holds_out_nothing_or_nearly_everything_is_refused(run, percent):
    with pytest.raises(Invalid) as refusal:
        frozen(run, heldout="all", heldout_percent=percent)
    assert refusal.value.code == "bad_heldout_percent"


# --- terms ----------------------------------------------------------------------------------------------


def test_note_licence_and_waivers_stand_in_manifest_and_card(run):
    checks = (Check("licences", "failed", {"unknown": 3}, waiver="They are <ours>."),)
    release = frozen(run, note="First *public* one.", licence="cc-by-4.0", checks=checks)
    told = manifest_of(release)["terms"]
    assert (told["note"], told["licence"], told["date"]) == (
        "First *public* one.",
        "cc-by-4.0",
        NOW.date().isoformat(),
    )
    assert told["checks"][0]["waiver"] == "They are <ours>."
    assert "salt" not in told
    card = (releases.folder(release) / "README.md").read_text(encoding="utf-8")
    assert "license: cc-by-4.0" in card
    assert "First \\*public\\* one" in card
    assert "They are \\<ours\\>" in card


def test_the_next_release_names_the_one_before(run):
    assert frozen(run).terms["previous"] == ""
    assert frozen(run, version="1.1.0").terms["previous"] == "1.0.0"
    assert Terms.from_dict(frozen(run, version="1.2.0").terms).previous == "1.1.0"


# --- signature ------------------------------------------------------------------------------------------


def test_the_manifest_is_signed_by_the_key_of_the_installation(run):
    release = frozen(run)
    verdict = verification.verify(releases.folder(release), public_key=signing.public_key())
    assert verdict.ok
    assert signing.public_key() in verdict.signature


def test_who_changes_a_release_and_all_its_checksums_cannot_sign_it(run):
    release = frozen(run)
    folder = releases.folder(release)
    manifest = (folder / "manifest.json").read_bytes()
    forged = manifest.replace(b'"note": ""', b'"note": "x"')
    assert forged != manifest
    (folder / "manifest.json").write_bytes(forged)
    reseal(folder)
    verdict = verification.verify(folder)
    assert (verdict.outcome, verdict.path) == ("bad signature", "manifest.sig")


def test_another_key_than_the_makers_is_a_bad_signature(run, tmp_path):
    release = frozen(run)
    folder = releases.folder(release)
    other = signing.read("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=")
    verdict = verification.verify(folder, public_key=signing._public(other))
    assert verdict.outcome == "bad signature"
    assert "another key" in verdict.reason


def reseal(folder):
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    paths = [line.partition("  ")[2] for line in lines]
    sums = [f"{sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" for path in paths]
    (folder / "SHA256SUMS").write_text("".join(sums))


def test_the_key_is_made_once_and_nobody_else_may_read_it(releases_dir):
    first = signing.public_key()
    signing._key.cache_clear()
    assert signing.public_key() == first
    assert (releases_dir / ".signing-key").stat().st_mode & 0o777 == 0o600


def test_the_operators_key_is_taken_where_there_is_one(settings, releases_dir):
    settings.RELEASE_SIGNING_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
    assert signing.public_key()
    assert not (releases_dir / ".signing-key").exists()


# --- its own verifier -----------------------------------------------------------------------------------


def alone(folder, *options, isolated=False):
    """The program that lies in the folder, by a Python that knows of no package of ours, or of none at all."""
    flags = ["-I", "-S"] if isolated else ["-I"]
    return subprocess.run(
        [sys.executable, *flags, "verify_release.py", *options],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_release_verifies_itself_with_python_alone(run):
    folder = releases.folder(frozen(run))
    done = alone(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"signed by the key {signing.public_key()}" in done.stdout
    done = alone(folder, isolated=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "signature not checked" in done.stdout
    assert alone(folder, "--public-key", signing.public_key()).returncode == 0


def test_its_exit_code_says_what_is_wrong(run, tmp_path):
    folder = releases.folder(frozen(run))
    assert alone(folder, "--public-key", "AAAA").returncode == 2
    assert alone(folder, "--public-key", "AAAA", isolated=True).returncode == 2
    assert alone(folder, str(tmp_path / "nowhere")).returncode == 3
    with (folder / "README.md").open("ab") as file:
        file.write(b"x")
    done = alone(folder)
    assert done.returncode == 1
    assert "README.md" in done.stdout

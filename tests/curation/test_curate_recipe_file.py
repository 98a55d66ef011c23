"""manage.py curate --recipe FILE.json: what a manifest holds gives the same release; what is no recipe is refused."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.domain import recipe_json
from curation.domain.recipes import WritingPreference
from curation.services import verification
from tests.curation.file_releases import manage, tree, write_input
from tests.curation.test_curate_rejected import INPUT, stated
from tests.curation.test_curate_rejected import curate as release
from tests.curation.test_verify_release_command import reseal

pytestmark = pytest.mark.files

RELEASES = [
    ("writing-preference", ()),
    ("writing-preference", ("--param=rules=gap,identical_text,quota", "--param=quota=2", "--param=seed=é")),
    ("writing-preference", ("--param=length_symmetry=off", "--param=buckets=20")),
    ("litbench", ("--param=split_at=2023-01-01", "--param=min_upvotes=1")),
    ("litbench-without-time-rule", ("--param=buckets=2",)),
    ("litbench-without-length-filter", ("--param=buckets=20",)),
    ("weval", ("--param=pairs=adjacent",)),
    ("weval", ("--param=complete=off", "--param=pairs=all")),
]


@pytest.fixture(autouse=True)
def ablations(monkeypatch):
    for name in ("litbench-without-time-rule", "litbench-without-length-filter"):
        monkeypatch.setitem(INPUT, name, INPUT["litbench"])


@pytest.fixture
def given(tmp_path):
    """The options of two input files, and of the folder."""
    folder = tmp_path / "input"
    folder.mkdir()
    rows, scores = write_input(folder)
    return [f"--responses={rows}", f"--scores={scores}", f"--out={tmp_path / 'D'}"]


def again(recipe: object, first: Path, *options: str) -> Path:
    """A release of the files beside the first one, by a recipe in a file of odd spacing."""
    file = first.parent / "recipe.json"
    file.write_text(f"\n {json.dumps(recipe, indent=5)}\n\n", encoding="utf-8")
    files = [f"--{path.stem}={path}" for path in first.parent.glob("*.jsonl")]
    call_command("curate", f"--recipe={file}", f"--out={first.parent / 'E'}", *files, *options)
    return first.parent / "E"


@pytest.mark.parametrize(("name", "options"), RELEASES)
def test_what_a_manifest_holds_gives_the_same_release_byte_for_byte(tmp_path, monkeypatch, name, options):
    monkeypatch.setattr("tests.curation.test_curate_rejected.PARAMETERS", {})
    first = release(name, tmp_path / "first", *options)
    assert tree(again(stated(first)["recipe"], first)) == tree(first)
    assert [rule["version"] for rule in stated(first)["recipe"]["rules"]] == [1] * len(
        stated(first)["recipe"]["rules"]
    )


@pytest.mark.parametrize(("name", "options"), RELEASES)
def test_the_rules_alone_give_the_same_pairs_byte_for_byte(tmp_path, monkeypatch, name, options):
    monkeypatch.setattr("tests.curation.test_curate_rejected.PARAMETERS", {})
    first = release(name, tmp_path / "first", *options)
    held = {key: value for key, value in stated(first)["recipe"].items() if key != "parameters"}
    second = tree(again(held, first))
    of_pairs = {path: content for path, content in tree(first).items() if path.startswith("data/")}
    assert {path: second[path] for path in of_pairs} == of_pairs


def test_a_release_made_before_manifests_held_rules_verifies_and_gives_itself_again(tmp_path):
    first = release("writing-preference", tmp_path / "first", "--param=buckets=20")
    whole, before = stated(first), tree(first)
    old = {name: whole["recipe"][name] for name in ("name", "version", "parameters")}
    (first / "manifest.json").write_text(json.dumps({**whole, "recipe": old}, indent=2), encoding="utf-8")
    reseal(first)
    assert verification.verify(first).ok
    assert tree(again(stated(first)["recipe"], first)) == before


def test_parameters_change_what_the_file_says(tmp_path):
    first = release("writing-preference", tmp_path / "first")
    second = again(WritingPreference(quota=9).as_dict(), first, "--param=min_gap=3/2", "--param=quota=2")
    assert stated(second)["recipe"]["parameters"] == {
        **WritingPreference().parameters(),
        "min_gap": "3/2",
        "quota": 2,
    }


def test_it_runs_in_an_empty_environment(given, tmp_path):
    (tmp_path / "mine.json").write_bytes(recipe_json.written(WritingPreference()))
    done = manage("curate", "--recipe", "mine.json", *given, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("writing-preference 0.1.0 in ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "mine.json: line 1 is not valid JSON (Expecting property name"),
        ('{"name": "litbnch"}', "mine.json: name: there is no recipe 'litbnch'; did you mean litbench?"),
        (
            recipe_json.written(WritingPreference()).decode().replace('"gap"', '"gab"'),
            "mine.json: rules[4].rule: there is no rule 'gab'; did you mean gap?",
        ),
        (
            recipe_json.written(WritingPreference()).decode().replace('"1"', "NaN"),
            "mine.json: rules: NaN and Infinity are no numbers in JSON; write a finite number",
        ),
        (" " * 10**6, "mine.json: the file is larger than a recipe can be"),
        (None, "mine.json: the file cannot be read (No such file or directory)"),
    ],
)
def test_what_is_no_recipe_is_refused_with_file_and_place_and_nothing_is_written(
    given, tmp_path, content, said
):
    file = tmp_path / "mine.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError) as caught:
        call_command("curate", f"--recipe={file}", *given)
    assert str(caught.value).startswith(said)
    assert caught.value.returncode == 1
    assert not (tmp_path / "D").exists()


def test_a_folder_is_no_recipe_and_a_recipe_needs_its_own_files(given, tmp_path):
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(CommandError, match=r"folder\.json: the file cannot be read"):
        call_command("curate", f"--recipe={tmp_path / 'folder.json'}", *given)
    (tmp_path / "w.json").write_text('{"name": "weval", "version": 1, "rules": []}')
    with pytest.raises(CommandError, match="The recipe weval takes no --scores"):
        call_command("curate", f"--recipe={tmp_path / 'w.json'}", *given)


def test_force_does_not_delete_the_recipe(given, tmp_path):
    (tmp_path / "D").mkdir()
    file = tmp_path / "D" / "mine.json"
    file.write_bytes(recipe_json.written(WritingPreference()))
    with pytest.raises(CommandError, match="contains the input"):
        call_command("curate", f"--recipe={file}", *given, "--force")
    assert file.exists()

"""From a file of responses and one of rankings to a verified release of gold rankings."""

import csv
import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from annotation.domain.records import InputError
from curation.domain.manifest import ReleaseError
from curation.domain.recipes import Weval
from curation.services import from_files, verification
from curation.services.directory import DirectoryError
from tests.curation.file_releases import PAPERS, copies_of, tree, unmarked, write_rows

pytestmark = pytest.mark.files

REQUIREMENTS = ["200 words", "a harbour", "in the past", "no names", "as a letter"]
LABEL = from_files.Label("orders", "1.0.0")


def responses() -> list[dict[str, object]]:
    return [
        {
            "id": f"{prompt}{letter}",
            "prompt_id": prompt,
            "prompt": f"Prompt {prompt}",
            "language": "en",
            "genre": genre,
            "text": f"What {letter} wrote for {prompt}",
            "requirements": REQUIREMENTS[:n],
            "kept_requirements": list(range(1, n - place + 1)),
        }
        for prompt, genre, n in (("p", "letter", 5), ("é", "story", 5), ("s", "letter", 3))
        for place, letter in enumerate("abcde"[:n])
    ]


def rankings() -> list[dict[str, object]]:
    return [
        {
            "prompt_id": prompt,
            "annotator": annotator,
            "tiers": [[f"{prompt}{x}" for x in tier] for tier in tiers],
        }
        for prompt, annotator, tiers in (
            ("p", "Zoe", ["a", "b", "c", "d", "e"]),
            ("p", "Ann", ["b", "a", "c", "d", "e"]),
            ("p", "Ben", ["ab", "c", "d", "e"]),
            ("é", "Zoe", ["a", "b", "c", "d", "e"]),
            ("s", "Ann", ["c", "b", "a"]),
        )
    ]


def release(
    folder: Path,
    given: Iterable[Mapping[str, object]] | None = None,
    ranked: Iterable[Mapping[str, object]] | None = None,
    *,
    out: str = "D",
    **options: object,
) -> Path:
    """The folder of a release of these rows."""
    files = (
        write_rows(folder / "R.jsonl", responses() if given is None else given),
        write_rows(folder / "K.jsonl", rankings() if ranked is None else ranked),
    )
    make(*files, folder / out, **options)
    return folder / out


def make(given: Path, ranked: Path | None, out: Path, **options: object) -> from_files.Outcome:
    files = {"responses": given} | ({} if ranked is None else {"rankings": ranked})
    return from_files.release(files, out, **{"recipe": Weval(), "label": LABEL, **options})


def refusal(folder: Path, *rows: object, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        release(folder, *rows, **options)
    assert not (folder / "D").exists()
    return str(caught.value)


def rows_of(folder: Path, path: str) -> list[dict]:
    return [json.loads(line) for line in (folder / path).read_text(encoding="utf-8").splitlines()]


# --- what is released ------------------------------------------------------------------------------------


def test_the_folder_is_a_release_that_verifies(tmp_path):
    found = release(tmp_path, recipe=Weval(pairs="adjacent"))
    assert set(tree(found)) == {
        "agreement.json",
        "data/judgements/test.jsonl",
        "data/pairs/test.jsonl",
        "data/rankings/test.jsonl",
        "data/responses/test.jsonl",
        "funnel.json",
        "rejected.jsonl",
        *copies_of("orders"),
        *PAPERS,
    }
    verdict = verification.verify(found)
    assert (verdict.outcome, verdict.pairs) == ("ok", 10)


def test_without_pairs_it_verifies_too(tmp_path):
    assert verification.verify(release(tmp_path)).ok
    assert verification.verify(release(tmp_path, out="E", keep="none")).ok
    assert not (tmp_path / "E" / "rejected.jsonl").exists()


def test_a_byte_more_anywhere_is_found(tmp_path):
    found = release(tmp_path)
    with (found / "data/rankings/test.jsonl").open("ab") as file:
        file.write(b"x")
    verdict = verification.verify(found)
    assert (verdict.outcome, verdict.path) == ("differs", "data/rankings/test.jsonl")


def test_a_row_of_rankings_holds_the_gold_and_the_combined_order(tmp_path):
    row = rows_of(release(tmp_path), "data/rankings/test.jsonl")[0]
    assert unmarked(row) == {
        "prompt_id": "p",
        "category": "letter",
        "requirements": 5,
        "gold": [["pa"], ["pb"], ["pc"], ["pd"], ["pe"]],
        "combined": [["pa", "pb"], ["pc"], ["pd"], ["pe"]],
        "annotators": 3,
        "prompt": "Prompt p",
    }


def test_people_stand_under_pseudonyms_and_their_names_nowhere(tmp_path):
    found = release(tmp_path)
    rows = rows_of(found, "data/judgements/test.jsonl")
    assert [(row["prompt_id"], row["annotator"]) for row in rows] == [
        ("p", "annotator-01"),
        ("p", "annotator-02"),
        ("p", "annotator-03"),
        ("s", "annotator-01"),
        ("é", "annotator-03"),
    ]
    assert rows[1]["tiers"] == [["pa", "pb"], ["pc"], ["pd"], ["pe"]]
    assert not any(name in content for content in tree(found).values() for name in (b"Zoe", b"Ann ", b"Ben"))


def test_pairs_and_responses_carry_the_texts(tmp_path):
    found = release(tmp_path, recipe=Weval(pairs="all"))
    pair = rows_of(found, "data/pairs/test.jsonl")[0]
    assert unmarked(pair) == {
        "id": "p:pa:pb",
        "prompt_id": "p",
        "chosen": "pa",
        "rejected": "pb",
        "votes_for": 1,
        "votes_against": 1,
        "ties": 1,
        "k": 3,
        "kept_chosen": 5,
        "kept_rejected": 4,
        "prompt": "Prompt p",
        "chosen_text": "What a wrote for p",
        "rejected_text": "What b wrote for p",
    }
    row = rows_of(found, "data/responses/test.jsonl")[0]
    texts = {"id": "pa", "prompt_id": "p", "kept": 5, "language": "en", "text": "What a wrote for p"}
    assert unmarked(row) == texts


def test_the_manifest_holds_recipe_counts_and_agreement(tmp_path):
    found = release(tmp_path)
    manifest = json.loads((found / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["counts"] == {"prompts": 3, "responses": 13, "annotators": 3, "judgements": 5, "pairs": 0}
    assert manifest["recipe"] == {**Weval().as_dict(), "parameters": Weval().parameters()}
    agreement = json.loads((found / "agreement.json").read_text(encoding="utf-8"))
    assert manifest["agreement"] == agreement
    assert agreement["human"]["correlation"] == pytest.approx(100 * (0.9 + 1 - 1) / 3)
    assert [(row["category"], row["human"]["n"]) for row in agreement["by_category"]] == [
        ("letter", 2),
        ("story", 1),
    ]
    assert [(row["requirements"], row["rankings"]) for row in agreement["by_requirements"]] == [
        (3, 1),
        (5, 4),
    ]
    assert json.loads((found / "funnel.json").read_text(encoding="utf-8")) == manifest["funnel"]


def test_the_card_shows_agreement_and_what_was_left_out(tmp_path):
    card = (release(tmp_path, responses()[:-1], rankings()[:-1]) / "README.md").read_text(encoding="utf-8")
    assert "# orders 1.0.0" in card
    assert "| all | annotators | 2 | 4 | 95.00 |" in card
    assert (
        "| `incomplete` | its responses do not keep exactly n, n - 1, ..., 1 of n requirements | 1 |" in card
    )
    assert "config_name: rankings" in card
    assert "config_name: pairs" not in card


def test_without_rankings_the_gold_order_stands_alone(tmp_path):
    given = write_rows(tmp_path / "R.jsonl", responses())
    found = make(given, None, tmp_path / "D")
    assert verification.verify(tmp_path / "D").ok
    assert found.sentence == "3 gold rankings, 0 prompts left out, 0 pairs; nobody ranked them."
    assert found.facts["agreement"]["human"]["reason"] == "no_rankings"
    assert "Nobody ranked" in (tmp_path / "D" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_change_a_byte(tmp_path, seed):
    recipe = Weval(pairs="all", pairs_from="combined")
    given, ranked = responses(), rankings()
    random.Random(seed).shuffle(given)
    random.Random(seed).shuffle(ranked)
    one = release(tmp_path, recipe=recipe)
    other = release(tmp_path, given, ranked, out="E", recipe=recipe)
    assert tree(one) == tree(other)


# --- what files may look like -----------------------------------------------------------------------------


def test_what_was_kept_may_be_a_number_or_a_list(tmp_path):
    one = tree(release(tmp_path))
    numbers = [
        {
            **{
                name: value
                for name, value in row.items()
                if name not in ("kept_requirements", "requirements")
            },
            "kept": len(row["kept_requirements"]),
            "n_requirements": len(row["requirements"]),
            "category": row["genre"],
        }
        for row in responses()
    ]
    assert tree(release(tmp_path, numbers, out="E")) == one


def test_csv_serves_as_well(tmp_path):
    one = tree(release(tmp_path))
    for name, rows in (("R", responses()), ("K", rankings())):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            for row in rows:
                cells = {k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()}
                table.writerow(cells)
    paths = tmp_path / "R.csv", tmp_path / "K.csv"
    make(*paths, tmp_path / "E")
    assert tree(tmp_path / "E") == one


def test_parquet_serves_as_well(tmp_path):
    one = tree(release(tmp_path))
    for name, rows in (("R", responses()), ("K", rankings())):
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
    paths = tmp_path / "R.parquet", tmp_path / "K.parquet"
    make(*paths, tmp_path / "E")
    assert tree(tmp_path / "E") == one


def test_of_several_rankings_by_one_person_the_latest_counts(tmp_path):
    first, *others = rankings()
    later = {**first, "at": "2026-03-01T10:00:00Z", "tiers": first["tiers"][::-1]}
    earlier = {**first, "at": "2026-03-01T10:00:00+01:00"}
    found = rows_of(release(tmp_path, None, [later, earlier, *others]), "data/judgements/test.jsonl")
    assert found[2]["tiers"] == later["tiers"]
    assert found[2]["at"] == "2026-03-01T10:00:00.000000Z"


def test_equal_rows_count_once(tmp_path):
    one = tree(release(tmp_path))
    assert tree(release(tmp_path, responses() * 2, rankings() * 2, out="E")) == one


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "column", "fault"),
    [
        ({"kept_requirements": None}, "kept_requirements", "is missing"),
        ({"kept_requirements": "all"}, "kept_requirements", "no number of requirements"),
        ({"kept_requirements": -1}, "kept_requirements", "no number of requirements"),
        ({"kept_requirements": 6}, "kept_requirements", "6 requirements were kept of 5"),
        ({"kept": 3}, "kept", "3 where the column kept_requirements says 4"),
        ({"genre": "story"}, "genre", 'the prompt "p" has another category on line 1'),
        ({"requirements": 7}, "requirements", "another requirements on line 1"),
        ({"id": "pa"}, "id", 'the response "pa" stands on line 1 with other values'),
        ({"prompt_id": ""}, "prompt_id", "the name is empty"),
    ],
)
def test_a_response_that_cannot_be_is_refused_with_its_line(tmp_path, change, column, fault):
    given = responses()
    given[1] = {**given[1], **change}
    found = refusal(tmp_path, given)
    assert found.startswith(f"R.jsonl, line 2, column {column}: ")
    assert fault in found


@pytest.mark.parametrize(
    ("change", "column", "fault"),
    [
        ({"prompt_id": "zz"}, "prompt_id", 'no response to the prompt "zz"'),
        ({"annotator": None}, "annotator", "the value is null"),
        ({"tiers": None}, "tiers", "neither is given"),
        ({"ranking": ["pa"]}, "tiers", "both are given"),
        ({"tiers": ["pa", "pb", "pc", "pd"]}, "tiers", 'no place for "pe"'),
        ({"tiers": ["pa", "pb", "pc", "pd", "pe", "sa"]}, "tiers", 'a place for "sa"'),
        ({"tiers": ["pa", "pb", "pc", "pd", "pe", "pa"]}, "tiers", 'two places for "pa"'),
        ({"annotator": "Zoe"}, "annotator", "otherwise on line 1"),
    ],
)
def test_a_ranking_that_cannot_be_is_refused_with_its_line(tmp_path, change, column, fault):
    ranked = rankings()
    ranked[1] = {**ranked[1], **change}
    found = refusal(tmp_path, None, ranked)
    assert found.startswith(f"K.jsonl, line 2, column {column}: ")
    assert fault in found


def test_a_tie_is_refused_where_the_recipe_takes_none(tmp_path):
    found = refusal(tmp_path, recipe=Weval(ties=False))
    assert found.startswith('K.jsonl, line 3, column tiers: ties between "pa", "pb"')


def test_pairs_need_texts(tmp_path):
    given = responses()
    given[4] = {**given[4], "text": ""}
    assert refusal(tmp_path, given, recipe=Weval(pairs="all")).startswith("R.jsonl, line 5, column text: ")
    assert verification.verify(release(tmp_path, given)).ok


def test_a_folder_that_holds_something_and_a_name_that_cannot_be_are_refused(tmp_path):
    found = release(tmp_path)
    with pytest.raises(DirectoryError, match="is not empty"):
        release(tmp_path)
    release(tmp_path, force=True)
    assert verification.verify(found).ok
    with pytest.raises(ReleaseError):
        release(tmp_path, out="E", label=from_files.Label("a name", "1.0.0"))
    assert not (tmp_path / "E").exists()


# --- the command ------------------------------------------------------------------------------------------


def curate(folder: Path, *options: str) -> None:
    given = write_rows(folder / "R.jsonl", responses())
    call_command("curate", "--recipe=weval", f"--responses={given}", f"--out={folder / 'C'}", *options)


def test_the_command_writes_the_same_release(tmp_path, capsys):
    ranked = write_rows(tmp_path / "K.jsonl", rankings())
    names = ("--name=orders", "--version=1.0.0", "--param=pairs=all")
    curate(tmp_path, f"--rankings={ranked}", *names)
    assert capsys.readouterr().out.startswith(f"orders 1.0.0 in {tmp_path / 'C'}: 3 gold rankings, ")
    assert tree(tmp_path / "C") == tree(release(tmp_path, recipe=Weval(pairs="all")))


def test_the_command_takes_no_scores_and_no_parameter_of_another_recipe(tmp_path):
    scores = write_rows(tmp_path / "S.jsonl", [])
    for option, said in (
        (f"--scores={scores}", "takes no --scores, but --responses and --rankings alone"),
        ("--param=buckets=10", "there is no parameter 'buckets'"),
        ("--param=pairs=some", "pairs cannot be 'some'; use none, adjacent or all"),
    ):
        with pytest.raises(CommandError, match=said):
            curate(tmp_path, option)
    assert not (tmp_path / "C").exists()

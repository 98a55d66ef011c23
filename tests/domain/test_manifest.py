"""The bytes of a release."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from hashlib import sha256

import pytest
import yaml

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain import agreement, card, judgements, manifest, recipes
from curation.domain.audit.found import Found
from curation.domain.audit.limits import Limits
from curation.domain.audit.record import DONE, Record
from curation.domain.audit.report import audit
from curation.domain.manifest import ReleaseError, release_files
from curation.domain.pairing import curate
from curation.domain.recipes import WritingPreference
from tests.domain.audit_samples import noise

pytestmark = pytest.mark.files

RECIPE = WritingPreference(length_symmetry=False)
RESPONSES = [
    ResponseRow(f"{prompt}{side}", prompt, f"{words} of {prompt}", f"Prompt {prompt}", language="no")
    for prompt in ("p", "q", "r")
    for side, words in (("a", "a good text"), ("b", "a bad one"), ("c", "a   bad one"))
]
SCORES = [
    CurrentScore(row.id, name, (3 if row.id.endswith("a") else 1) - (name == "Zoë Secret"))
    for row in RESPONSES
    for name in ("Ann Hidden", "Zoë Secret", "ben.covert@example.org")
]


def release(responses=RESPONSES, scores=SCORES, recipe=RECIPE, **changes) -> manifest.Release:
    prompts = {row.id: row.prompt_id for row in responses}
    names = judgements.pseudonyms(score.annotator for score in scores)
    columns = [(s.response_id, names[s.annotator], s.score, prompts[s.response_id]) for s in scores]
    units, annotators, values, clusters = zip(*columns, strict=True)
    arguments = {
        "name": "demo",
        "version": "0.1.0",
        "recipe": recipe,
        "responses": responses,
        "curation": curate(responses, scores, recipe, removed=4),
        "judgements": judgements.judgements(scores, prompts=prompts, names=names, moments={}),
        "agreement": agreement.report(units, annotators, values, clusters=clusters, replicates=50),
        "code_version": "9.9.9",
        "with_funnel": True,
        "with_rejected": True,
    }
    return release_files(**{**arguments, **changes})


def content_of(files: manifest.Release) -> dict[str, bytes]:
    return {path: b"".join(files[path]) for path in files}


@pytest.fixture(scope="module")
def content() -> dict[str, bytes]:
    return content_of(release())


def rows_of(content: bytes) -> list[dict]:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_the_manifest_and_then_the_checksums_come_last(content):
    assert next(iter(content)) == "data/pairs/test.jsonl"
    assert list(content)[-3:] == ["README.md", "manifest.json", "SHA256SUMS"]


def test_funnel_and_rejections_are_left_out_where_they_are_not_wanted():
    content = content_of(release(with_funnel=False, with_rejected=False))
    assert not {"funnel.json", "rejected.jsonl"} & {*content}
    assert json.loads(content["manifest.json"])["funnel"]["candidates"] == 9


def test_a_pair_has_its_keys_in_their_order(content):
    first = rows_of(content["data/pairs/test.jsonl"])[0]
    assert list(first) == [
        "id",
        "prompt_id",
        "chosen",
        "rejected",
        "votes_for",
        "votes_against",
        "ties",
        "k",
        "gap",
        "mean_chosen",
        "mean_rejected",
        "length_chosen",
        "length_rejected",
        "flags",
        "genre",
        "language",
        "chosen_model",
        "rejected_model",
        "prompt",
        "chosen_text",
        "rejected_text",
        "canary",
    ]
    assert (first["id"], first["gap"], first["k"]) == ("p:pa:pb", [2, 1], 3)


def test_every_line_is_compact_utf_8_with_one_line_end(content):
    for path in ("data/pairs/test.jsonl", "data/judgements/test.jsonl", "rejected.jsonl"):
        for line in content[path].splitlines(keepends=True):
            compact = json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
            assert line == compact.encode() + b"\n"


def test_judgements_are_all_current_ones_sorted_as_bytes_under_pseudonyms(content):
    rows = rows_of(content["data/judgements/test.jsonl"])
    assert len(rows) == len(SCORES)
    keys = [(row["response_id"].encode(), row["annotator"].encode()) for row in rows]
    assert keys == sorted(keys)
    assert rows[0] == {
        "response_id": "pa",
        "prompt_id": "p",
        "annotator": "annotator-01",
        "score": 3,
        "at": "",
        "canary": rows[1]["canary"],
    }


def test_no_name_of_an_annotator_leaves(content):
    everything = b"".join(content.values())
    for part in ("Hidden", "Secret", "Zoë", "covert", "example.org"):
        assert part.encode() not in everything


def test_pseudonyms_go_by_the_bytes_of_the_names():
    assert judgements.pseudonyms(["b", "B", "é", "a", "b"]) == {
        "B": "annotator-01",
        "a": "annotator-02",
        "b": "annotator-03",
        "é": "annotator-04",
    }
    many = judgements.pseudonyms(f"n{number:03}" for number in range(100))
    assert (many["n000"], many["n099"]) == ("annotator-001", "annotator-100")


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (None, ""),
        (datetime(2026, 3, 1, 14, 30, tzinfo=timezone(timedelta(hours=1))), "2026-03-01T13:30:00.000000Z"),
        (datetime(2026, 3, 1, 14, 30, 0, 250000, tzinfo=UTC), "2026-03-01T14:30:00.250000Z"),
    ],
)
def test_a_moment_is_written_in_utc(at, written):
    assert judgements.moment(at) == written


def test_the_checksums_cover_every_file_but_their_own(content):
    expected = "".join(
        f"{sha256(content[path]).hexdigest()}  {path}\n" for path in sorted(content) if path != "SHA256SUMS"
    )
    assert content["SHA256SUMS"].decode() == expected


def test_the_manifest_names_everything_that_made_the_release(content):
    stated = json.loads(content["manifest.json"])
    assert (stated["name"], stated["version"], stated["code_version"]) == ("demo", "0.1.0", "9.9.9")
    assert stated["rubric_version"] is None
    assert stated["numpy_version"]
    assert stated["recipe"] == {**RECIPE.as_dict(), "parameters": RECIPE.parameters()}
    assert [(rule["rule"], rule["version"]) for rule in stated["recipe"]["rules"]] == [
        ("identical_text", 1),
        ("insufficient_overlap", 1),
        ("no_gap", 1),
        ("direction", 1),
        ("gap", 1),
    ]
    assert recipes.from_dict(stated["recipe"]) == RECIPE
    assert stated["counts"] == {"prompts": 3, "responses": 9, "annotators": 3, "judgements": 27, "pairs": 6}
    assert stated["length_unit"] == {"setting": "auto", "counted": {"words": 9}, "given": 0}
    assert stated["funnel"] == json.loads(content["funnel.json"])
    assert stated["funnel"]["removed"] == 4
    assert set(stated["agreement"]["alpha"]) == {"ordinal", "interval", "nominal"}
    for path, facts in stated["files"].items():
        root = {"merkle_root": facts["merkle_root"]} if path.startswith("data/") else {}
        assert facts == {
            "bytes": len(content[path]),
            "rows": content[path].count(b"\n"),
            "sha256": sha256(content[path]).hexdigest(),
            **root,
        }
    assert set(stated["files"]) == set(content) - {"manifest.json", "SHA256SUMS"}


def test_the_manifest_keeps_the_width_of_the_buckets_exactly():
    recipe = WritingPreference(buckets=14, strata="language", length_unit="characters")
    stated = json.loads(content_of(release(recipe=recipe))["manifest.json"])
    assert stated["symmetry"] == [
        {
            "stratum": {"language": "no"},
            "longest": 2,
            "width": [2, 7],
            "before": {"longer": 6, "shorter": 0, "equal": 0},
            "kept": {"longer": 0, "shorter": 0, "equal": 0},
        }
    ]


def test_rows_in_another_order_give_the_same_bytes(content):
    rng = random.Random(3)
    again = content_of(release(rng.sample(RESPONSES, len(RESPONSES)), rng.sample(SCORES, len(SCORES))))
    assert again == content


def test_doubles_are_rounded_to_ten_decimals():
    assert manifest.rounded({"a": [1 / 3, -1e-12, 2, None, "x", True]}) == {
        "a": [0.3333333333, 0.0, 2, None, "x", True]
    }
    assert str(manifest.rounded(-1e-12)) == "0.0"


def test_the_files_are_read_in_their_order():
    files = release()
    with pytest.raises(KeyError):
        b"".join(files["manifest.json"])


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "-a", "a b", "ä", "a\n", "x" * 61, ".hidden"])
def test_a_name_with_other_signs_is_refused(name):
    with pytest.raises(ReleaseError, match="letters, digits, dots, hyphens and underscores"):
        release(name=name)


@pytest.mark.parametrize(
    "version", ["", "1", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "v1.0.0", "1.0.0+b", "1.0.0\n", "1.0.0-a_b"]
)
def test_a_version_that_is_not_semantic_is_refused(version):
    with pytest.raises(ReleaseError, match=r"MAJOR\.MINOR\.PATCH"):
        release(version=version)


@pytest.mark.parametrize("version", ["0.1.0", "10.20.30", "1.0.0-rc.1", "1.0.0-alpha-2.x"])
def test_a_semantic_version_is_accepted(version):
    assert manifest.check_version(version) == version


# --- the card --------------------------------------------------------------------------------------------


def front_matter(content: dict[str, bytes]) -> dict:
    _, matter, _ = content["README.md"].decode().split("---\n", 2)
    return yaml.safe_load(matter)


def test_the_front_matter_declares_every_column_of_every_configuration(content):
    matter = front_matter(content)
    configs = {config["config_name"]: config for config in matter["configs"]}
    assert list(configs) == ["pairs", "preference", "judgements", "judge"]
    assert configs["pairs"]["default"] is True
    for info in matter["dataset_info"]:
        (file,) = configs[info["config_name"]]["data_files"]
        assert set(file) == {"split", "path"}
        first = rows_of(content[file["path"]])[0]
        assert [feature["name"] for feature in info["features"]] == list(first)
        for feature in info["features"]:
            assert fits(first[feature["name"]], feature)


def fits(value: object, feature: dict) -> bool:
    kinds = {"string": str, "int64": int, "float64": float}
    if "list" in feature:
        parts = feature["list"]
        if isinstance(parts, list):  # of dictionaries
            return all(fits(row[part["name"]], part) for row in value for part in parts)
        return isinstance(value, list) and all(isinstance(part, kinds[parts]) for part in value)
    return isinstance(value, kinds[feature["dtype"]])


def test_the_front_matter_says_honestly_what_is_not_known(content):
    matter = front_matter(content)
    assert matter["license"] == "unknown"
    assert matter["language"] == ["no"]  # Norwegian, and no boolean
    assert matter["size_categories"] == ["n<1K"]
    assert "None has been stated" in content["README.md"].decode()
    licensed = content_of(release(licence="cc-by-4.0"))
    assert front_matter(licensed)["license"] == "cc-by-4.0"
    with pytest.raises(ReleaseError, match="an id such as odc-by"):
        release(licence="CC BY")


def test_a_language_that_is_no_tag_is_left_out_of_the_front_matter():
    responses = [replace(row, language='"]\nlicense: mit') for row in RESPONSES]
    assert "language" not in front_matter(content_of(release(responses)))
    assert front_matter(content_of(release(responses)))["license"] == "unknown"


def test_the_card_tells_the_recipe_the_funnel_agreement_and_lengths(content):
    text = content["README.md"].decode()
    for heading in (
        "What it is",
        "How the pairs were made",
        "Counts",
        "Agreement",
        "Lengths",
        "How to verify",
        "Limits",
    ):
        assert f"\n## {heading}\n" in text
    assert '| `min_gap` | `"1"` |' in text
    assert "| `identical_text` | the two texts are the same but for white space | 3 | 6 |" in text
    assert "9 candidates, 6 pairs accepted. 4 responses had been" in text


def test_without_an_audit_nothing_is_said_of_one(content):
    assert "audit" not in json.loads(content["manifest.json"])
    assert b"Signal audit" not in content["README.md"]


def test_the_audit_its_limits_and_the_reason_stand_in_manifest_and_card():
    found = Found.of(audit(noise(40), replicates=50).as_dict())
    limits = Limits(longer=None, logistic=Decimal("0.65"), quotation_marks=Decimal(0))
    content = content_of(release(audit=Record(DONE, limits, found, "See [1] | *now*")))
    told = json.loads(content["manifest.json"])["audit"]
    assert list(told) == ["state", "limits", "exceeded", "reason", "found"]
    assert told["found"]["signals"]["longer"]["n"] == 40
    card = content["README.md"].decode()
    assert "| the longer one | " in card
    assert f"| {100 * found.shares()['longer'].rate:.1f} % |" in card
    assert "| 40 | none |" in card
    assert "| 65 % |" in card
    assert "> See \\[1\\] \\| \\*now\\*" in card


def test_that_there_was_no_audit_is_said_too():
    content = content_of(release(audit=Record("not_done", Limits(), reason="No worker.")))
    card = content["README.md"].decode()
    assert "The pairs had not been audited when the release was asked for." in card
    assert "> No worker\\." in card


def test_a_seed_cannot_break_out_of_its_cell():
    text = content_of(release(recipe=replace(RECIPE, seed="a|b`c")))["README.md"].decode()
    assert '| `seed` | `"a\\u007cb\\u0060c"` |' in text


@pytest.mark.parametrize(
    ("rows", "category"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1000, "1K<n<10K"),
        (10_000, "10K<n<100K"),
        (2_000_000, "1M<n<10M"),
        (10**9, "n>100M"),
    ],
)
def test_a_size_category_is_the_hubs(rows, category):
    assert card.size_category(rows) == category

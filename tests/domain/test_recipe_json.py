"""A recipe as a file: round trips through JSON as it is written, by hand and by the manifest, and what is refused."""

import json

import pytest
from hypothesis import example, given, settings

from curation.domain import recipe_json
from curation.domain.recipes import LitBench, RecipeError, Weval, WritingPreference
from tests.domain.test_rules import any_recipe

pytestmark = pytest.mark.files
properties = settings(max_examples=80, deadline=None, derandomize=True)

BY_HAND = """
\t{ "rules" :[ {"version":1,"rule":"gap", "parameters":{"min_gap" : 1.5 }},

   {"rule":"identical_text","version":1}],
 "version":   1, "name":"writing-preference" , "settings":{"seed":"caf\\u00e9"} }
"""


def refusal(content: bytes | str) -> RecipeError:
    with pytest.raises(RecipeError) as caught:
        recipe_json.read(content if isinstance(content, bytes) else content.encode())
    return caught.value


@properties
@given(any_recipe)
def test_what_is_written_is_read_back_and_written_alike(recipe):
    again = recipe_json.read(recipe_json.written(recipe))
    assert recipe_json.written(again) == recipe_json.written(recipe)
    assert again.rules() == recipe.rules()


@properties
@given(any_recipe)
@example(WritingPreference(length_symmetry=False, buckets=20))
def test_what_a_manifest_says_is_the_recipe_and_every_parameter_of_it(recipe):
    said = recipe_json.of_manifest(recipe)
    assert {**said, "parameters": None} == {**recipe.as_dict(), "parameters": None}
    assert recipe_json.read(json.dumps(said, indent=7).encode()) == recipe


@properties
@given(any_recipe)
def test_what_manifests_said_before_they_held_rules_is_read_too(recipe):
    said = {"name": recipe.name, "version": recipe.version, "parameters": recipe.parameters()}
    assert recipe_json.read(json.dumps(said).encode()) == recipe


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\r\n"])
def test_a_file_made_by_hand_is_read_whatever_its_spacing(start):
    found = recipe_json.read(start + BY_HAND.encode())
    assert found == WritingPreference.from_parameters(
        {"rules": "gap,identical_text", "min_gap": "3/2", "seed": "caf\u00e9"}
    )


@pytest.mark.parametrize("recipe", [WritingPreference(), LitBench(), Weval(pairs="all")])
def test_a_file_is_for_people_to_open(recipe):
    content = recipe_json.written(recipe)
    assert content == json.dumps(recipe.as_dict(), indent=2, ensure_ascii=False).encode() + b"\n"
    assert len(content) < recipe_json.MOST / 10


NEWLINE = "\n"
WHOLE = recipe_json.written(WritingPreference()).decode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1 is not valid JSON (Expecting value)"),
        (WHOLE[:-3], f"line {WHOLE.count(NEWLINE) - 1} is not valid JSON (Expecting ',' delimiter)"),
        (WHOLE + "{}", f"line {WHOLE.count(NEWLINE) + 1} is not valid JSON (Extra data)"),
        (WHOLE.encode("utf-16"), "the file is not UTF-8; save it as UTF-8"),
        (b"\xff", "the file is not UTF-8"),
        ("[" * 30_000, "the value is nested too deep; the most is 32 levels"),
        ("[" * 40 + "]" * 40, "the value is nested too deep"),
        (WHOLE + " " * recipe_json.MOST, "the file is larger than a recipe can be (65536 bytes)"),
        ("NaN", "NaN and Infinity are no numbers in JSON; write a finite number"),
        ("null", "a recipe is a JSON object with name, version and rules"),
        (
            WHOLE.replace('"min_gap": "1"', '"min_gap": NaN'),
            "rules: NaN and Infinity are no numbers in JSON; write a finite number",
        ),
        (WHOLE.replace('"min_gap": "1"', '"min_gap": 1e999'), "rules: NaN and Infinity are no numbers"),
        (
            WHOLE.replace('"min_gap": "1"', '"min_gap": null'),
            "rules[4].parameters.min_gap: min_gap cannot be",
        ),
        (WHOLE.replace('"min_gap": "1"', f'"min_gap": {"9" * 5000}'), "rules: an integer of 5000 digits"),
        (
            WHOLE.replace('"min_gap": "1"', '"min_gap": "1", "min_gap": "2"'),
            "rules: the key 'min_gap' occurs twice; keep one",
        ),
        (WHOLE.replace('"name"', '"version"', 1), "version: the key 'version' occurs twice; keep one"),
        (WHOLE.replace("plumb-1", "a\\ud800b"), "settings: half of a surrogate pair (U+D800)"),
        (WHOLE.replace("plumb-1", "a\\u0000b"), "settings: a NUL stands at character 2"),
        (
            json.dumps({"format": 1, "recipe": {}}),
            "this is the manifest of a release; give what stands there",
        ),
        (json.dumps({"k" * 50_000: 1, "name": "weval"}), "there is no part 'kkk"),
        (json.dumps({"name": "k" * 50_000}), "name: there is no recipe 'kkk"),
    ],
)
def test_what_is_no_recipe_is_refused_with_its_place(content, said):
    found = str(refusal(content))
    assert found.startswith(said)
    assert len(found) < 400

"""What a rubric lacks in which language, and the keys of its criteria."""

from dataclasses import replace

import pytest

from annotation.domain import rubrics
from annotation.domain.rubrics import CriterionContent, Gap, LevelContent, RubricContent

pytestmark = pytest.mark.files


def level(value, *languages):
    name, description = (dict.fromkeys(languages, f"{part} {value}") for part in ("name", "description"))
    return LevelContent(value, name, description, {})


def content(*languages, criteria=()):
    return RubricContent(tuple(level(value, *languages) for value in rubrics.VALUES), tuple(criteria), {})


def test_a_rubric_in_one_language_lacks_nothing_where_none_is_required():
    assert rubrics.gaps(content("zh"), ()) == []
    assert rubrics.gaps(content("en"), ()) == []


def test_what_is_required_has_to_be_written():
    assert {gap.language for gap in rubrics.gaps(content("en"), ("en", "zh"))} == {"zh"}
    assert len(rubrics.gaps(content("en"), ("zh",))) == 8


def test_nothing_at_all_lacks_everything_in_one_language():
    assert len(rubrics.gaps(content(), ())) == 8


def test_what_was_begun_in_a_language_has_to_be_finished_in_it():
    begun = content("en")
    three = replace(begun.levels[0], comparison={"zh": "好比"})
    missing = rubrics.gaps(replace(begun, levels=(three, *begun.levels[1:])), ())
    assert Gap("zh", "name", value=3) in missing
    assert Gap("zh", "description", value=0) in missing
    nameless = CriterionContent("fiction", "plot", {"en": "Plot"}, {"en": "Is there one?", "zh": "有吗？"})
    assert rubrics.gaps(content("en", criteria=[nameless]), ()) == [
        Gap("zh", "name", genre="fiction", key="plot")
    ]


def test_a_text_that_is_empty_is_the_same_as_one_that_is_not_there():
    one = content("en")
    other = replace(one, guideline={"en": "", "zh": ""})
    assert rubrics.same(one, other)
    assert not rubrics.same(one, replace(one, guideline={"en": "Read."}))


def test_the_order_of_criteria_counts_within_a_genre():
    a, b, c = (
        CriterionContent(genre, key, {"en": key}, {"en": "?"})
        for genre, key in (("", "a"), ("", "b"), ("x", "c"))
    )
    assert rubrics.same(content("en", criteria=[a, b, c]), content("en", criteria=[c, a, b]))
    assert not rubrics.same(content("en", criteria=[a, b, c]), content("en", criteria=[b, a, c]))


@pytest.mark.parametrize(
    ("name", "taken", "key"),
    [
        ("Showing, not telling", [], "showing-not-telling"),
        ("Voice", ["voice"], "voice-2"),
        ("Voice", ["voice", "voice-2"], "voice-3"),
        ("Élan vital", [], "elan-vital"),
        ("切题", [], "criterion-1"),
        ("", ["criterion-1"], "criterion-2"),
        ("n" * 100, [], "n" * 60),
        ("n" * 100, ["n" * 60], "n" * 56 + "-2"),
    ],
)
def test_a_key_is_made_from_the_english_name(name, taken, key):
    assert rubrics.criterion_key(name, taken) == key
    assert rubrics.is_key(key)


@pytest.mark.parametrize(
    ("tags", "required"),
    [
        (["en", "zh"], ("en", "zh")),
        (["zh-Hant"], ("zh",)),
        (["fr"], ()),
        ([], ()),
        (["ZH-cn", "en-GB"], ("en", "zh")),
    ],
)
def test_the_languages_of_the_material_say_which_are_required(tags, required):
    assert rubrics.required_languages(tags) == required


def test_a_reader_gets_the_other_language_where_theirs_is_missing():
    assert rubrics.in_language({"en": "a", "zh": ""}, "zh") == ("en", "a")
    assert rubrics.in_language({"zh": "b"}, "en") == ("zh", "b")
    assert rubrics.in_language({}, "en") == ("", "")

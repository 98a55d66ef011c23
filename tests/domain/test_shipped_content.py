"""What ships: complete in both languages, written as the rules ask, and a demo that shows every reason."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest
import regex

from annotation.domain import shipped, text
from annotation.domain.material import ResponseRow
from annotation.domain.scoring import SCALE, current
from annotation.domain.shipped import Criterion, Slot, Wording
from curation.domain.pairing import Curation, curate
from curation.domain.recipes import WritingPreference

pytestmark = pytest.mark.files

GENRES = ("functional", "promotional", "nonfiction", "fiction", "funny", "poetry", "script", "roleplay")
ON_BY_DEFAULT = ("identical_text", "insufficient_overlap", "no_gap", "direction", "gap", "length_symmetry")
MODELS = {"aspen-7b", "basalt-large", "cedar-mini", "delta-chat", "ember-2", "fjord-xl"}
REAL_MODELS = re.compile(
    r"gpt|claude|gemini|gemma|llama|qwen|deepseek|doubao|mistral|grok|kimi|openai|anthropic|豆包|文心|通义|混元",
    re.IGNORECASE,
)
HAN_THEN_ASCII = regex.compile(r"\p{Han}[,.;:?!()]|[,;:?!()]\p{Han}")
SLUG = re.compile(r"[a-z]+(-[a-z]+)*")


def by_prompt() -> dict[str, list[ResponseRow]]:
    found: dict[str, list[ResponseRow]] = defaultdict(list)
    for row in shipped.demo_responses():
        found[row.prompt_id].append(row)
    return found


def length(row: ResponseRow) -> int:
    return text.length(row.text, text.unit_for("auto", row.language, row.prompt, row.text))


def wordings(value: object) -> Iterator[Wording]:
    """Every object with exactly an en and a zh text, at any depth of a shipped file."""
    if isinstance(value, dict):
        if {"en", "zh"} <= set(value) and isinstance(value["en"], str):
            yield Wording(value["en"], value["zh"])
        for part in value.values():
            yield from wordings(part)
    elif isinstance(value, list):
        for part in value:
            yield from wordings(part)


@cache
def curated() -> Curation:
    recipe = WritingPreference.from_parameters(shipped.demo().recipe)
    return curate(shipped.demo_responses(), current(shipped.demo_scores()), recipe)


# --- taxonomies and rubric -------------------------------------------------------------------------------


def test_the_writing_preference_taxonomy_has_8_macro_categories_and_51_types() -> None:
    taxonomy = shipped.taxonomy("writing-preference")
    assert tuple(genre.key for genre in taxonomy.genres) == GENRES
    assert sum(len(genre.types) for genre in taxonomy.genres) == 51
    assert taxonomy.requirement_kinds == ()


def test_fiction_has_the_types_that_the_paper_names() -> None:
    fiction = next(g for g in shipped.taxonomy("writing-preference").genres if g.key == "fiction")
    assert {
        "Fantasy/Magic",
        "Science Fiction",
        "Suspense/Mystery",
        "Historical Story",
        "Fairy Tale/Fable",
        "Slice of Life",
        "Emotional/Romance",
        "Wuxia",
        "Xianxia",
        "Xuanhuan",
    } <= {kind.name.en for kind in fiction.types}


def test_the_weval_taxonomy_has_5_categories_and_4_kinds_of_requirement() -> None:
    taxonomy = shipped.taxonomy("weval")
    assert len(taxonomy.genres) == 5
    assert [kind.key for kind in taxonomy.requirement_kinds] == ["content", "style", "format", "length"]


@pytest.mark.parametrize("name", ["writing-preference", "weval"])
def test_keys_are_short_slugs_and_unique_in_their_taxonomy(name: str) -> None:
    taxonomy = shipped.taxonomy(name)
    kinds = [kind.key for genre in taxonomy.genres for kind in genre.types]
    keys = [genre.key for genre in taxonomy.genres] + kinds
    assert len(set(keys)) == len(keys)
    assert all(SLUG.fullmatch(key) and len(key) <= 30 for key in keys)


def test_an_unknown_taxonomy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'litbench'; use writing-preference or weval"):
        shipped.taxonomy("litbench")


def test_the_rubric_has_the_four_levels_in_order() -> None:
    assert tuple(level.value for level in shipped.rubric().levels) == SCALE
    assert all(level.comparison.en.startswith("Like ") for level in shipped.rubric().levels)


def test_the_rubric_has_four_universal_criteria_and_three_or_four_for_every_genre() -> None:
    rubric = shipped.rubric()
    assert [one.key for one in rubric.universal] == ["adherence", "structure", "content", "language"]
    assert tuple(rubric.genres) == GENRES
    assert all(len(criteria) in (3, 4) for criteria in rubric.genres.values())


def test_every_criterion_asks_a_question_in_both_languages() -> None:
    rubric = shipped.rubric()
    criteria: list[Criterion] = [*rubric.universal]
    for key, of_genre in rubric.genres.items():
        assert len({one.key for one in of_genre}) == len(of_genre), key
        criteria += of_genre
    for one in criteria:
        assert SLUG.fullmatch(one.key)
        assert one.question.en.endswith("?"), one.key
        assert "？" in one.question.zh, one.key


@pytest.mark.parametrize("name", ["taxonomies.json", "rubric.json", "demo/project.json"])
def test_shipped_wordings_are_english_in_english_and_chinese_in_chinese(name: str) -> None:
    found = list(wordings(json.loads((shipped.FOLDER / name).read_text(encoding="utf-8"))))
    assert found
    for wording in found:
        assert not regex.search(r"\p{Han}", wording.en), wording
        assert regex.search(r"\p{Han}", wording.zh), wording
        assert not HAN_THEN_ASCII.search(wording.zh), wording


def test_a_wording_is_given_in_the_language_asked_for() -> None:
    wording = Wording(en="Poem", zh="诗歌")
    assert [wording.in_language(code) for code in ("zh", "zh-hans", "en", "de", "")] == [
        "诗歌",
        "诗歌",
        "Poem",
        "Poem",
        "Poem",
    ]


def test_a_wording_without_a_language_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks a language"):
        Wording(en="Poem", zh=" ")


# --- the demo's texts ------------------------------------------------------------------------------------


def test_the_demo_has_prompts_of_all_genres_and_at_least_6_in_each_language() -> None:
    first = [rows[0] for rows in by_prompt().values()]
    assert {row.genre for row in first} == set(GENRES)
    languages = Counter(row.language for row in first)
    assert set(languages) == {"en", "zh"}
    assert min(languages.values()) >= 6


def test_every_prompt_has_6_responses_and_reads_like_an_assignment() -> None:
    for prompt_id, rows in by_prompt().items():
        assert len(rows) == 6, prompt_id
        sentences = len(re.findall(r"[.?!](?:\s|$)|[。？！；]", rows[0].prompt))
        assert 2 <= sentences <= 5, prompt_id


def test_responses_are_of_120_to_300_words_or_160_to_450_characters() -> None:
    bounds = {"en": (120, 300), "zh": (160, 450)}
    for row in shipped.demo_responses():
        low, high = bounds[row.language]
        assert low <= length(row) <= high, row.id


def test_ids_are_unique_and_say_nothing() -> None:
    rows = shipped.demo_responses()
    assert len({row.id for row in rows}) == len(rows) == 84
    assert all(re.fullmatch(r"r-[a-z2-9]{4}", row.id) for row in rows)


def test_the_order_of_the_rows_tells_neither_quality_nor_model() -> None:
    quality = shipped.demo_quality()
    orders = [[row.id for row in rows] for rows in by_prompt().values()]
    assert all(order == sorted(order) for order in orders)
    best = Counter(max(range(6), key=lambda place: quality[order[place]]) for order in orders)
    first_model = Counter(rows[0].model for rows in by_prompt().values())
    assert max(best.values()) < 7
    assert max(first_model.values()) < 7


def test_sources_are_invented_and_never_named_in_a_text() -> None:
    rows = shipped.demo_responses()
    assert {row.model for row in rows} == MODELS
    for row in rows:
        assert not REAL_MODELS.search(f"{row.model} {row.prompt} {row.text}"), row.id
        assert not any(model in row.text.lower() for model in MODELS), row.id
        assert set(row.parameters) == {"temperature", "sample"}


def test_exactly_one_couple_has_the_same_text() -> None:
    same = [
        (one, other)
        for rows in by_prompt().values()
        for one, other in combinations(rows, 2)
        if text.same_text_key(one.text) == text.same_text_key(other.text)
    ]
    assert len(same) == 1
    ((one, other),) = same
    assert one.text != other.text  # they differ in white space


def test_english_texts_hold_no_chinese_and_chinese_texts_are_chinese() -> None:
    for row in shipped.demo_responses():
        share = len(regex.findall(r"\p{Han}", row.text)) / len(row.text)
        assert share == 0 if row.language == "en" else share > 0.5, row.id


def test_after_han_punctuation_is_full_width() -> None:
    for row in shipped.demo_responses():
        if row.language == "zh":
            assert not HAN_THEN_ASCII.search(row.text + row.prompt), row.id


def test_the_best_texts_use_no_em_dash_in_english() -> None:
    quality = shipped.demo_quality()
    assert not [
        r.id for r in shipped.demo_responses() if r.language == "en" and quality[r.id] > 2 and "—" in r.text
    ]


def test_the_house_poem_keeps_its_forbidden_words_out_where_it_is_good() -> None:
    quality = shipped.demo_quality()
    forbidden = re.compile(r"\b(home|memory|goodbye|heart)\b", re.IGNORECASE)
    rows = by_prompt()["p-en-house"]
    assert not [row.id for row in rows if quality[row.id] > 1.5 and forbidden.search(row.text)]
    assert [row.id for row in rows if quality[row.id] < 1 and forbidden.search(row.text)]
    for row in rows:
        assert len([line for line in row.text.splitlines() if line.strip()]) >= 20, row.id


# --- quality and length ----------------------------------------------------------------------------------


def test_every_response_has_a_quality_and_every_prompt_spans_the_scale() -> None:
    quality = shipped.demo_quality()
    assert set(quality) == {row.id for row in shipped.demo_responses()}
    assert all(0 <= value <= 3 for value in quality.values())
    for prompt_id, rows in by_prompt().items():
        values = [quality[row.id] for row in rows]
        assert min(values) < 0.5, prompt_id
        assert max(values) > 2.5, prompt_id


def test_length_does_not_follow_quality() -> None:
    quality = shipped.demo_quality()
    signs: Counter[bool] = Counter()
    for rows in by_prompt().values():
        for one, other in combinations(rows, 2):
            better, worse = sorted((one, other), key=lambda row: -quality[row.id])
            if quality[better.id] - quality[worse.id] >= 1 and length(better) != length(worse):
                signs[length(better) > length(worse)] += 1
    assert min(signs.values()) / signs.total() > 1 / 3


def test_two_responses_of_the_same_text_have_the_same_quality() -> None:
    quality = shipped.demo_quality()
    found: dict[str, set[float]] = defaultdict(set)
    for row in shipped.demo_responses():
        found[text.same_text_key(row.text)].add(quality[row.id])
    assert all(len(values) == 1 for values in found.values())


# --- the demo's scores -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", shipped.LANGUAGES)
def test_every_level_has_at_least_ten_different_justifications(language: str) -> None:
    phrases = shipped.demo_phrases(language)
    assert tuple(phrases) == SCALE
    for found in phrases.values():
        assert len(set(found)) == len(found) >= 10


def test_justifications_are_in_the_language_of_the_response() -> None:
    languages = {row.id: row.language for row in shipped.demo_responses()}
    for score in shipped.demo_scores():
        is_chinese = regex.search(r"\p{Han}", score.justification) is not None
        assert is_chinese == (languages[score.response_id] == "zh")


def test_three_annotators_differ_in_severity_and_noise() -> None:
    annotators = shipped.demo().annotators
    assert [one.name for one in annotators] == ["annotator1", "annotator2", "annotator3"]
    assert len({one.severity for one in annotators}) == len({one.noise for one in annotators}) == 3


def test_open_slots_are_left_for_a_person_and_all_others_are_scored() -> None:
    slots = shipped.demo().open_slots
    prompts = {row.id: row.prompt_id for row in shipped.demo_responses()}
    opened = Counter(slot.annotator for slot in slots)
    assert 8 <= opened["annotator3"] <= 12
    assert len({prompts[slot.response_id] for slot in slots}) <= 2
    scored = {Slot(score.response_id, score.annotator) for score in shipped.demo_scores()}
    assert scored.isdisjoint(slots)
    assert len(scored) + len(set(slots)) == 84 * 3


def test_exactly_one_response_has_a_single_score() -> None:
    counts = Counter(score.response_id for score in shipped.demo_scores())
    assert sorted(counts.values())[:2] == [1, 2]


# --- what the demo's recipe makes of it ------------------------------------------------------------------


def test_the_demo_releases_at_least_15_pairs_over_all_genres_and_both_languages() -> None:
    rows = {row.id: row for row in shipped.demo_responses()}
    pairs = curated().pairs
    assert 25 <= len(pairs) <= 60
    assert {rows[pair.chosen].genre for pair in pairs} == set(GENRES)
    assert {rows[pair.chosen].language for pair in pairs} == {"en", "zh"}


@pytest.mark.parametrize("reason", ON_BY_DEFAULT)
def test_the_demo_rejects_at_least_one_pair_for_each_reason_that_is_on_by_default(reason: str) -> None:
    assert curated().funnel.rejected[reason] >= 1


def test_no_other_reason_occurs_in_the_demo_and_the_funnel_adds_up() -> None:
    funnel = curated().funnel
    assert {reason for reason, count in funnel.rejected.items() if count} == set(ON_BY_DEFAULT)
    assert funnel.candidates == 14 * 15 == funnel.accepted + sum(funnel.rejected.values())


def test_the_released_pairs_are_length_symmetric() -> None:
    signs = Counter(
        (pair.length_chosen > pair.length_rejected) - (pair.length_chosen < pair.length_rejected)
        for pair in curated().pairs
    )
    assert signs[1] == signs[-1] > 0


def test_some_released_pairs_were_judged_by_two() -> None:
    assert any("k2" in pair.flags for pair in curated().pairs)


def test_chosen_is_the_side_that_was_written_to_be_better() -> None:
    quality = shipped.demo_quality()
    pairs = curated().pairs
    agreeing = sum(quality[pair.chosen] > quality[pair.rejected] for pair in pairs)
    assert agreeing / len(pairs) > 0.95

"""The public data sets of writing: WritingPreferenceBench, LitBench, WritingPrompts and WEval."""

from collections import Counter

import pytest

from annotation.domain import layouts
from annotation.domain.field_map import FieldMap, Source
from annotation.domain.layouts import rating_columns
from annotation.domain.records import InputError
from tests.domain.layout_samples import (
    WPB,
    columns,
    flat,
    histogram,
    needs_wpb,
    of,
    reasons,
    sample,
    suggestion,
    taken,
)

pytestmark = pytest.mark.files

ZH = ("en", "zh")
STORY = "Once upon a time there was a story."


# --- WritingPreferenceBench ----------------------------------------------------------------------------------


def raw(**more: object) -> dict[str, object]:
    metadata = {"finish_reason": "stop", "error": None, "completion_tokens": 3, "word_len": 2, "latency": 1.5}
    return {
        "question_id": "q1",
        "__internal_tags__": ["诗歌"],
        "prompt": "写一首诗。",
        "predict0": "春眠不觉晓。",
        "response_metadata_list": [[metadata]],
        "score": 0,
        "validation_scores": [0],
        **more,
    }


def test_raw_responses_take_their_model_from_the_name_of_the_file():
    records = of(raw(), source="gpt-4.1-mini.json")
    layout, field_map = suggestion(records, languages=ZH, key="wpb_responses")
    (response,) = taken(layout, field_map, records)[0]
    assert (response.id, response.prompt_id, response.model) == ("q1|gpt-4.1-mini", "q1", "gpt-4.1-mini")
    assert (response.prompt, response.text) == ("写一首诗。", "春眠不觉晓。")
    assert (response.genre, response.language) == ("诗歌", "zh")
    assert response.parameters == {"completion_tokens": 3, "word_len": 2, "finish_reason": "stop"}


def test_the_score_beside_a_raw_response_is_nobodys():
    records = of(raw())
    layout, field_map = suggestion(records, key="wpb_responses")
    assert rating_columns(flat(layout, records)) == ()
    assert {"score", "annotator"}.isdisjoint(field_map.fields)


def test_several_predictions_are_several_samples():
    other = {"finish_reason": "length"}
    records = of(
        raw(predict1="床前明月光。", response_metadata_list=[[{"finish_reason": "stop"}], [other]]),
        source="m.json",
    )
    layout, field_map = suggestion(records, languages=ZH)
    responses = taken(layout, field_map, records)[0]
    assert [(one.id, one.parameters["finish_reason"]) for one in responses] == [
        ("q1|m|0", "stop"),
        ("q1|m|1", "length"),
    ]


def test_scores_need_but_the_name_of_the_annotator():
    records = of(
        {"original_item_index": 0, "question_id": "q1", "score": 3, "comment": "好"},
        source="gpt-4.1-mini.json",
    )
    layout, field_map = suggestion(records, key="wpb_scores")
    assert field_map.gaps() == ("annotator",)
    named = FieldMap({**field_map.fields, "annotator": Source(constant="first pass")})
    (score,) = taken(layout, named, records)[1]
    assert (score.response_id, score.annotator, score.score, score.justification) == (
        "q1|gpt-4.1-mini",
        "first pass",
        3,
        "好",
    )


def test_a_pair_is_two_responses_whose_score_nobody_suggests():
    side = {"response": "春眠不觉晓。", "score": 3, "model": "a", "completion_tokens": 5, "word_len": 2}
    pair = {
        "prompt": "写一首诗。",
        "prompt_id": "q1",
        "tag": "诗歌",
        "chosen": side,
        "rejected": {**side, "score": 1, "model": "b"},
    }
    layout, field_map = suggestion(of(pair), languages=ZH, key="wpb_pairs")
    responses, scores, refused = taken(layout, field_map, of(pair))
    assert (scores, refused) == ([], [])
    assert [(one.id, one.genre, one.parameters) for one in responses] == [
        ("q1|a", "诗歌", {"completion_tokens": 5, "word_len": 2}),
        ("q1|b", "诗歌", {"completion_tokens": 5, "word_len": 2}),
    ]
    assert rating_columns(flat(layout, of(pair))) == ("score",)


@needs_wpb
@pytest.mark.parametrize(
    ("model", "reasons_to_stop"),
    [
        ("doubao-1.5-pro", {"stop": 204}),
        ("gemini-2.0-flash", {"stop": 203, "length": 1}),
        ("gpt-4.1-mini", {"stop": 204}),
        ("huggingface-model", {"stop": 192, "length": 12}),
        ("o4-mini-high", {"stop": 204}),
        ("qwen-plus", {"stop": 202, "api_error": 2}),
    ],
)
def test_the_raw_responses_of_a_model_are_all_taken(model, reasons_to_stop):
    records = sample(WPB / "responses_raw" / f"{model}.json")
    layout, field_map = suggestion(records, languages=ZH, key="wpb_responses")
    responses, scores, refused = taken(layout, field_map, records)
    assert (len(responses), scores, refused, field_map.gaps()) == (204, [], [], ())
    assert Counter(one.parameters["finish_reason"] for one in responses) == reasons_to_stop
    failed = [one for one in responses if one.parameters["finish_reason"] != "stop"]
    assert {one.parameters["error"] for one in failed} <= {"[response_error]"}
    assert len({one.genre for one in responses}) == 51
    assert {one.text for one in responses} == {row.values["predict0"] for row in records}


@needs_wpb
def test_the_scores_of_all_models_have_the_known_histogram():
    found: Counter[int] = Counter()
    for path in sorted((WPB / "scores").glob("*.json")):
        records = sample(path)
        layout, field_map = suggestion(records, key="wpb_scores")
        named = FieldMap({**field_map.fields, "annotator": Source(constant="first pass")})
        _, scores, refused = taken(layout, named, records)
        assert refused == []
        assert {one.response_id.split("|")[1] for one in scores} == {path.stem}
        found += histogram(scores)
    assert found == {0: 166, 1: 1291, 2: 1653, 3: 969}


# --- LitBench and WritingPrompts -----------------------------------------------------------------------------


def test_a_pair_of_litbench_keeps_votes_and_times():
    pair = {
        "prompt": "[WP] A dragon.",
        "chosen_story": STORY,
        "chosen_upvotes": 20,
        "chosen_timestamp": "2020-01-02T03:04:05",
        "rejected_story": "Another.",
        "rejected_upvotes": 12,
        "rejected_timestamp": 1577934245,
    }
    again = {**pair, "rejected_story": "A third."}
    layout, field_map = suggestion(of(pair, again), languages=("en",), key="litbench")
    responses, scores, refused = taken(layout, field_map, of(pair, again))
    assert (scores, refused, field_map.gaps()) == ([], [], ())
    assert [(one.text, one.parameters) for one in responses] == [
        (STORY, {"upvotes": 20, "posted_at": "2020-01-02T03:04:05+00:00"}),
        ("Another.", {"upvotes": 12, "posted_at": "2020-01-02T03:04:05+00:00"}),
        ("A third.", {"upvotes": 12, "posted_at": "2020-01-02T03:04:05+00:00"}),
    ]
    assert len({one.prompt_id for one in responses}) == 1


def test_ids_without_texts_are_refused_with_the_reason():
    records = of({"chosen_comment_id": "a", "rejected_comment_id": "b"}, source="test.jsonl")
    layout = layouts.recognise(records, name="")
    assert layout.key == "litbench_ids"
    with pytest.raises(InputError) as caught:
        list(layout.flatten(records))
    assert caught.value.source == "test.jsonl"
    assert "only the ids" in caught.value.reason
    assert layout.notes == (caught.value.reason,)


def test_the_comments_of_a_post_are_its_responses():
    post = {
        "post_title": "[WP] A dragon.",
        "post_text": "",
        "post_scores": 50,
        "comment_texts": [STORY, "[deleted]", "Another."],
        "comment_scores": [20, 5, -2],
        "comment_times": [1577934245, 1577934246, 1577934247],
    }
    layout, field_map = suggestion(of(post), languages=("en",), key="writing_prompts")
    responses, scores, refused = taken(layout, field_map, of(post))
    assert (scores, refused) == ([], [])
    assert [(one.prompt, one.text, one.parameters["upvotes"]) for one in responses] == [
        ("[WP] A dragon.", STORY, 20),
        ("[WP] A dragon.", "Another.", -2),
    ]
    assert reasons(layout, of(post)) == ["the story was deleted where it was published"]


# --- WEval -------------------------------------------------------------------------------------------------


def weval(prompt: str, kept: list[object], text: str = STORY) -> dict[str, object]:
    return {
        "prompt": prompt,
        "constraint": ["short", "sad", "in verse"],
        "chosen": text,
        "instruction_id_list": kept,
    }


def test_requirements_are_kept_by_their_places():
    records = of(weval("Write.", ["in verse", "short"]), weval("Write.", []))
    layout, field_map = suggestion(records, languages=("en",), key="weval")
    responses, scores, refused = taken(layout, field_map, records)
    assert (scores, refused, field_map.gaps()) == ([], [], ())
    assert [(one.requirements, one.kept_requirements, one.parameters) for one in responses] == [
        (("short", "sad", "in verse"), (1, 3), {"kept_count": 2, "sample": "1"}),
        (("short", "sad", "in verse"), (), {"kept_count": 0, "sample": "2"}),
    ]


@pytest.mark.parametrize("kept", [[0, 2], ["short", "long"], ["short", "short"], [None]])
def test_requirements_that_cannot_be_matched_are_only_counted(kept):
    records = of(weval("Write.", kept))
    layout, field_map = suggestion(records, languages=("en",))
    (response,) = taken(layout, field_map, records)[0]
    assert (response.kept_requirements, response.parameters["kept_count"]) == ((), len(kept))


def test_five_lines_in_a_row_with_one_prompt_are_a_group():
    lines = [weval("A", []) for _ in range(6)] + [weval("B", [])] + [weval("A", []) for _ in range(2)]
    layout, field_map = suggestion(of(*lines), languages=("en",))
    responses = taken(layout, field_map, of(*lines))[0]
    groups = [one.prompt_id for one in responses]
    assert groups[:5] == [groups[0]] * 5
    assert groups[5] == f"{groups[0]}-2"
    assert groups[7:] == [f"{groups[0]}-3"] * 2
    assert len({one.id for one in responses}) == 9
    assert [one.parameters["sample"] for one in responses] == list("123451112")


def test_the_names_of_columns_are_what_each_layout_says():
    _, field_map = suggestion(of(weval("Write.", [])), languages=("en",))
    assert columns(field_map) == {
        "prompt_id": "prompt_id",
        "prompt": "prompt",
        "text": "text",
        "sample": "sample",
        "requirements": "requirements",
        "kept_requirements": "kept_requirements",
        "parameters": "kept_count",
        "language": "en",
    }

"""What Label Studio and Argilla export."""

import pytest

from annotation.domain import layouts
from annotation.domain.field_map import FieldMap, Source
from tests.domain.layout_samples import (
    SAMPLES,
    by_item,
    cells,
    columns,
    experts_said,
    flat,
    histogram,
    needs_experts,
    needs_samples,
    of,
    reasons,
    sample,
    suggestion,
    taken,
)

pytestmark = pytest.mark.files

STORY = "Once upon a time there was a story."
SCORES = {1: 13, 0: 10, 2: 1}


def named(scores: dict[tuple[str, str], int], prefix: str = "Expert") -> dict[tuple[str, str], int]:
    """The scores with the annotators named as the experts are."""
    return {(item, f"Expert{who.removeprefix(prefix)}"): score for (item, who), score in scores.items()}


# --- Label Studio ------------------------------------------------------------------------------------------


def annotation(by: object, *results: tuple[str, dict[str, object]], **more: object) -> dict[str, object]:
    result = [{"from_name": name, "to_name": "text", "value": value} for name, value in results]
    return {"id": 5, "completed_by": by, "result": result, "created_at": "2024-04-01T10:00:00Z", **more}


def task(*annotations: dict[str, object], **data: object) -> dict[str, object]:
    machine = {"result": [{"from_name": "score", "value": {"rating": 3}}]}
    return {
        "id": 1,
        "data": {"text": STORY, **data},
        "annotations": list(annotations),
        "predictions": [machine],
    }


def test_a_task_becomes_a_row_for_each_annotation():
    records = of(
        task(
            annotation(7, ("score", {"rating": 0}), ("why", {"text": ["Flat.", "Dull."]})),
            annotation({"id": 8, "email": "b@example.org"}, ("score", {"choices": ["2"]})),
            annotation(
                {"email": "c@example.org"}, ("score", {"number": 2.0}), ("side", {"selected": "left"})
            ),
        )
    )
    rows = flat(layouts.recognise(records, name=""), records)
    assert [(row.values["annotator"], row.values["score"]) for row in rows] == [
        (7, 0),
        (8, "2"),
        ("c@example.org", 2.0),
    ]
    assert rows[0].values["why"] == "Flat.\nDull."
    assert rows[2].values["side"] == "left"
    assert {row.values["text"] for row in rows} == {STORY}
    assert {row.values["at"] for row in rows} == {"2024-04-01T10:00:00Z"}
    assert {row.line for row in rows} == {1}


def test_cancelled_gold_and_missing_annotations_are_skipped_with_the_reason():
    good = annotation(1, ("score", {"rating": 1}))
    records = of(task(good, {**good, "was_cancelled": True}, {**good, "ground_truth": True}), task())
    layout = layouts.by_key("label_studio")
    assert len(flat(layout, records)) == 1
    assert reasons(layout, records) == [
        "the annotation was cancelled",
        "the annotation is a gold answer and no score of an annotator",
        "nobody has annotated this task",
    ]


def test_predictions_never_become_scores():
    records = of(task(annotation(1, ("why", {"text": "Flat."}))))
    (row,) = flat(layouts.by_key("label_studio"), records)
    assert "score" not in row.values


def test_an_answer_goes_before_a_column_of_the_data_with_its_name():
    unanswered = task(annotation(1, ("why", {"text": "Flat."})), score=3, annotator="a machine")
    answered = task(annotation(2, ("score", {"rating": 1})), score=3)
    rows = flat(layouts.by_key("label_studio"), of(unanswered, answered))
    assert [row.values.get("score") for row in rows] == [None, 1]
    assert [row.values["data.score"] for row in rows] == [3, 3]
    assert rows[0].values["annotator"] == 1


def test_several_choices_are_no_score():
    records = of(task(annotation(1, ("score", {"choices": ["1", "2"]})), item_id="i", title="A title"))
    layout, field_map = suggestion(records, key="label_studio")
    field_map = FieldMap({**field_map.fields, "score": Source(("score",))})
    assert [error.column for error in taken(layout, field_map, records)[2]] == ["score"]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ('[{"rating":0}]', "0"),
        ('[{"number":2.0}]', "2.0"),
        ('{"choices":["1","2"]}', "['1', '2']"),
        ("2", "2"),
        ("[{broken", "[{broken"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_a_rating_in_a_cell_is_unpacked(value, answer):
    records = cells("annotation_id|annotator|lead_time|score", f"1|7|60.1|{value}")
    layout = layouts.recognise(records, name="")
    assert layout.key == "label_studio_min"
    assert str(flat(layout, records)[0].values["score"]) == answer


@needs_samples
@needs_experts
@pytest.mark.parametrize(
    ("name", "key", "skipped"),
    [
        ("label_studio.full.json", "label_studio", 1),
        ("label_studio.min.json", "label_studio_min", 0),
        ("label_studio.csv", "label_studio_min", 0),
    ],
)
def test_all_exports_of_label_studio_say_the_same(name, key, skipped):
    records = sample(SAMPLES / name)
    layout, field_map = suggestion(records, key=key)
    assert columns(field_map) == {
        "annotator": "annotator",
        "at": "at" if key == "label_studio" else "created_at",
        "score": "creativity",
        "text": "text",
        "prompt": "title",
        "response_id": "item_id",
        "justification": "comment",
    }
    assert layouts.rating_columns(flat(layout, records)) == ("creativity", "style")
    responses, scores, refused = taken(layout, field_map, records)
    assert (len(responses), refused, len(reasons(layout, records))) == (8, [], skipped)
    assert named(by_item(scores), "") == experts_said()
    assert histogram(scores) == SCORES
    styles = FieldMap({**field_map.fields, "score": Source(("style",))})
    assert named(by_item(taken(layout, styles, records)[1]), "") == experts_said("1_attractive_style")


# --- Argilla -----------------------------------------------------------------------------------------------


def test_flat_lists_become_a_row_for_each_user_who_submitted():
    records = of(
        {
            "id": "r",
            "text": STORY,
            "_server_id": "x",
            "score.responses": [0, 3, 2, 1],
            "score.responses.users": ["a", "b", "c", "d"],
            "score.responses.status": ["submitted", "draft", "discarded", "submitted"],
            "why.responses": ["Dull."],
            "why.responses.users": ["d"],
            "why.responses.status": ["submitted"],
            "score.suggestion": 3,
            "score.suggestion.agent": "gpt",
        },
        {"id": "s", "text": STORY, "score.responses": None, "score.responses.users": None},
    )
    layout = layouts.recognise(records, name="")
    assert layout.key == "argilla_flat"
    assert [row.values for row in flat(layout, records)] == [
        {"id": "r", "text": STORY, "annotator": "a", "score": 0},
        {"id": "r", "text": STORY, "annotator": "d", "score": 1, "why": "Dull."},
    ]
    assert reasons(layout, records) == [
        "the answer is a draft that was not submitted",
        "the annotator discarded the record",
        "nobody has answered this record",
    ]


def test_nested_responses_are_taken_and_suggestions_are_not():
    records = of(
        {
            "id": "r",
            "fields": {"text": STORY, "id": "inner"},
            "metadata": {"model": "m", "text": "other"},
            "suggestions": {"score": {"value": 3, "agent": "gpt"}},
            "responses": {
                "score": [{"value": 0, "user_id": "a"}, {"value": 1, "user_id": "b", "status": "draft"}],
                "text": [{"value": "Better.", "user_id": "a"}],
            },
        },
        {"id": "s", "fields": {}, "metadata": {}, "suggestions": {}, "responses": {}},
    )
    layout = layouts.recognise(records, name="")
    assert layout.key == "argilla"
    assert [row.values for row in flat(layout, records)] == [
        {
            "id": "r",
            "metadata.id": "inner",
            "text": STORY,
            "model": "m",
            "metadata.text": "other",
            "score": 0,
            "text.responses": "Better.",
            "annotator": "a",
        }
    ]
    assert any("does not tell drafts" in note for note in layout.notes)


@needs_samples
@needs_experts
@pytest.mark.parametrize(
    ("name", "key"), [("argilla.records.json", "argilla"), ("argilla.flat.json", "argilla_flat")]
)
def test_both_exports_of_argilla_say_the_same(name, key):
    records = sample(SAMPLES / name)
    layout, field_map = suggestion(records, key=key)
    assert columns(field_map) == {
        "annotator": "annotator",
        "score": "creativity",
        "text": "response",
        "prompt": "prompt",
        "model": "model",
        "response_id": "id",
        "justification": "comment",
    }
    responses, scores, refused = taken(layout, field_map, records)
    assert (len(responses), refused) == (8, [])
    experts = {
        "38090242-2c0b-56a9-adf8-d02ac2ac2184": "Expert1",
        "dd0683d3-e9aa-5ef8-af6b-00d07bfbabb5": "Expert2",
        "1e7a9d09-2679-595b-a74a-46125e553993": "Expert3",
    }
    assert {(item, experts[who]): score for (item, who), score in by_item(scores).items()} == experts_said()
    assert [one.justification for one in scores if one.justification] == [
        "This is all becoming very repetitive."
    ]

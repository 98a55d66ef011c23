"""What doccano, Potato and Mechanical Turk export."""

import pytest

from annotation.domain import layouts
from annotation.domain.field_map import FieldMap, Source
from annotation.domain.layouts.mturk import unwrapped
from tests.domain.layout_samples import (
    SAMPLES,
    by_item,
    cells,
    columns,
    experts_said,
    flat,
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


def named(scores: dict[tuple[str, str], int], prefix: str = "Expert") -> dict[tuple[str, str], int]:
    """The scores with the annotators named as the experts are."""
    return {(item, f"Expert{who.removeprefix(prefix)}"): score for (item, who), score in scores.items()}


# --- doccano -----------------------------------------------------------------------------------------------


def test_the_name_of_a_file_of_doccano_is_the_annotator():
    lines = {
        "id": 1,
        "text": STORY,
        "label": ["2"],
        "Comments": ["Flat.", "Dull."],
        "item_id": "i",
        "prompt": "Write.",
    }
    records = of(lines, {**lines, "id": 2, "label": []}, source="export/expert1.jsonl")
    layout, field_map = suggestion(records, key="doccano")
    (score,) = taken(layout, field_map, records)[1]
    assert (score.annotator, score.score, score.justification) == ("expert1", 2, "Flat.\nDull.")
    assert reasons(layout, records) == ["nobody has annotated this text"]


def test_the_common_file_of_all_members_does_not_say_who():
    _, field_map = suggestion(of({"id": 1, "text": STORY, "label": ["2"]}, source="all.jsonl"), key="doccano")
    assert "annotator" not in field_map.fields
    assert "annotator" in field_map.gaps()


def test_two_labels_in_a_cell_of_doccano_are_no_score():
    records = cells(
        "id|text|label|Comments", f"1|{STORY}|2|", f"2|{STORY}|1#2|", f"3|{STORY}||", source="ann.csv"
    )
    layout, field_map = suggestion(records, key="doccano_csv")
    field_map = FieldMap({name: source for name, source in field_map.fields.items() if name != "text"})
    _, scores, refused = taken(layout, field_map, records)
    assert [(one.annotator, one.score) for one in scores] == [("ann", 2)]
    assert [(error.line, error.column) for error in refused] == [(3, "label")]
    assert reasons(layout, records) == ["nobody has annotated this text"]


def test_spans_and_numbers_are_no_labels_of_doccano():
    assert layouts.recognise(of({"id": 1, "text": STORY, "label": [[0, 4, "x"]]}), name="").key == "generic"
    assert layouts.recognise(of({"id": 1, "text": STORY, "label": 2}), name="").key == "generic"


@needs_samples
@needs_experts
def test_the_files_of_three_members_of_doccano_hold_their_scores():
    found = {}
    for path in sorted((SAMPLES / "doccano_individual").iterdir()):
        records = sample(path)
        layout, field_map = suggestion(records, key="doccano")
        assert field_map.gaps() == ("prompt_id",)
        whole = FieldMap({**field_map.fields, "prompt_id": Source(("item_id",))})
        responses, scores, refused = taken(layout, whole, records)
        assert (len(responses), refused) == (8, [])
        found |= by_item(scores)
    assert named(found, "expert") == experts_said()


# --- Potato ------------------------------------------------------------------------------------------------


def test_the_options_of_a_question_become_one_column():
    records = cells(
        "instance_id|user_id|score.scale_1|score.scale_2|mood.sad|mood.glad|why.text_box|resolved.1|resolved.2|resolved",
        "i|a||2|true||Flat.|1|2|2",
        "i|b|1|2||true||||",
        "i|c|||true|true||||",
    )
    layout = layouts.recognise(records, name="")
    assert layout.key == "potato"
    rows = [row.values for row in flat(layout, records)]
    assert [row["score"] for row in rows] == ["2", "1#2", ""]
    assert [row["mood"] for row in rows] == ["sad", "glad", "sad#glad"]
    assert [row["why"] for row in rows] == ["Flat.", "", ""]
    assert [row["resolved"] for row in rows] == ["2", "", ""]


def test_two_answers_to_one_question_are_refused():
    records = cells("instance_id|user_id|score.1|score.2", "i|a|1|", "i|b|1|2")
    layout, field_map = suggestion(records, key="potato")
    _, scores, refused = taken(layout, FieldMap({**field_map.fields, "score": Source(("score",))}), records)
    assert by_item(scores) == {("i", "a"): 1}
    assert [(error.line, error.column) for error in refused] == [(3, "score")]


def test_lines_of_potato_hold_the_options_within():
    records = of(
        {
            "instance_id": "i",
            "user_id": "a",
            "labels": {"score": {"2": "true"}, "why": "Flat."},
            "spans": {},
            "links": {},
        },
        {
            "instance_id": "i",
            "user_id": "b",
            "labels": {"score": {"labels": {"0": "0"}}},
            "annotator_origin": {"kind": "human"},
        },
        {
            "instance_id": "i",
            "user_id": "c",
            "labels": {"score": {"3": "3"}},
            "annotator_origin": {"kind": "llm"},
        },
    )
    layout = layouts.recognise(records, name="")
    assert [row.values for row in flat(layout, records)] == [
        {"instance_id": "i", "user_id": "a", "score": "2", "why": "Flat."},
        {"instance_id": "i", "user_id": "b", "score": "0"},
    ]
    assert reasons(layout, records) == ["a program annotated this, not a person"]


def test_an_option_called_no_is_an_answer():
    records = cells("instance_id|user_id|ok.yes|ok.no", "i|a||no", "i|b|yes|", "i|c|false|")
    assert [row.values["ok"] for row in flat(layouts.by_key("potato"), records)] == ["no", "yes", ""]


STATES = [
    {"i": {"score": {"2": "true"}, "why": {"text_box": "Flat.", "free_response": "Really."}}, "j": {}},
    {
        "i": {
            "score": {"labels": {"2": "2"}},
            "why": {"labels": {"text_box": "Flat.", "free_response": "Really."}},
        },
        "j": {},
    },
    {
        "i": [
            [{"schema": "score", "name": "2"}, True],
            [{"schema": "why", "name": "text_box"}, "Flat."],
            [{"schema": "why", "name": "free_response"}, "Really."],
        ],
        "j": [],
    },
]


@pytest.mark.parametrize("state", STATES)
def test_the_state_of_a_user_has_a_row_for_each_instance(state):
    records = of({"user_id": "ann", "instance_id_ordering": ["i"], "instance_id_to_label_to_value": state})
    layout = layouts.recognise(records, name="user_state.json")
    assert layout.key == "potato_state"
    (row,) = flat(layout, records)
    assert row.values == {
        "instance_id": "i",
        "user_id": "ann",
        "score": "2",
        "why": "Flat.",
        "why.free_response": "Really.",
    }
    assert reasons(layout, records) == ["nothing is annotated of j"]


def test_the_state_of_a_program_is_no_state_of_a_person():
    values = {
        "user_id": "gpt",
        "origin": {"kind": "llm"},
        "instance_id_to_label_to_value": {"i": {"s": {"1": "1"}}},
    }
    layout = layouts.by_key("potato_state")
    assert flat(layout, of(values)) == []
    assert reasons(layout, of(values)) == ["a program annotated this, not a person"]


@needs_samples
@needs_experts
def test_the_export_of_potato_holds_the_scores():
    records = sample(SAMPLES / "potato.annotations.csv")
    layout, field_map = suggestion(records, key="potato")
    assert columns(field_map) == {"response_id": "instance_id", "annotator": "user_id", "score": "creativity"}
    assert by_item(taken(layout, field_map, records)[1]) == experts_said()
    assert layouts.rating_columns(flat(layout, records)) == ("creativity", "style")


# --- Mechanical Turk -----------------------------------------------------------------------------------------

TURK = "HITId|Title|MaxAssignments|AssignmentId|WorkerId|AssignmentStatus|AcceptTime|SubmitTime|WorkTimeInSeconds"
TIMES = "Mon Apr 01 08:33:24 PDT 2024|Mon Apr 01 08:38:13 PDT 2024|289"


def test_rejected_assignments_are_skipped():
    records = cells(
        f"{TURK}|Input.item_id|Answer.score",
        f"h|Rate it|3|a1|w1|Approved|{TIMES}|i|2",
        f"h|Rate it|3|a2|w2|Rejected|{TIMES}|i|0",
        f"h|Rate it|3|a3|w3|Submitted|{TIMES}|i|1",
    )
    layout, field_map = suggestion(records, key="mturk")
    _, scores, refused = taken(layout, field_map, records)
    assert refused == []
    assert by_item(scores) == {("i", "w1"): 2, ("i", "w3"): 1}
    assert [one.at.isoformat() for one in scores if one.at][:1] == ["2024-04-01T15:38:13+00:00"]
    assert reasons(layout, records) == ["the assignment was rejected"]


def test_what_describes_the_task_is_neither_prompt_nor_score():
    records = cells(f"{TURK}|Input.item_id", f"h|Rate it|3|a1|w1|Approved|{TIMES}|i")
    _, field_map = suggestion(records, key="mturk")
    assert {"score", "prompt"}.isdisjoint(field_map.fields)


def test_boxes_of_mechanical_turk_become_one_answer():
    records = cells(
        f"{TURK}|Answer.score.0|Answer.score.1|Answer.why",
        f"h|Rate it|3|a1|w1|Approved|{TIMES}|false|true|Flat.",
        f"h|Rate it|3|a2|w2|Approved|{TIMES}|true|false|",
    )
    rows = flat(layouts.by_key("mturk"), records)
    assert [(row.values["Answer.score"], row.values["Answer.why"]) for row in rows] == [
        ("1", "Flat."),
        ("0", ""),
    ]


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("<p>One.</p>\n<p>Two &amp; three.</p>", "One.\n\nTwo & three."),
        ("<P>One.<BR/>Two.</P>", "One.\nTwo."),
        ("One.<br>Two.<br />\nThree.", "One.\nTwo.\nThree."),
        ("<p>One.", "<p>One."),
        ("<p>One.</p> and <p>two.</p>", "<p>One.</p> and <p>two.</p>"),
        ("<p>One <b>two</b>.</p>", "<p>One <b>two</b>.</p>"),
        ('<p onclick="x">One.</p>', '<p onclick="x">One.</p>'),
        ("1 < 2 &amp; 3", "1 < 2 &amp; 3"),
        ("A <br> b < c", "A <br> b < c"),
    ],
)
def test_only_text_that_is_nothing_but_paragraphs_is_unwrapped(shown, text):
    assert unwrapped(shown) == text


@needs_samples
@needs_experts
def test_the_results_of_mechanical_turk_hold_the_scores_and_the_texts():
    records = sample(SAMPLES / "mturk_batch_results.csv")
    layout, field_map = suggestion(records, key="mturk")
    assert columns(field_map) == {
        "annotator": "WorkerId",
        "at": "at",
        "score": "Answer.creativity",
        "text": "Input.text",
        "prompt": "Input.title",
        "response_id": "Input.item_id",
        "justification": "Answer.comment",
    }
    responses, scores, refused = taken(layout, field_map, records)
    assert refused == []
    assert named(by_item(scores), "WORKER") == experts_said()
    originals = {
        row.values["item_id"]: row.values["text"] for row in sample(SAMPLES / "label_studio.min.json")
    }
    assert {one.id: one.text for one in responses} == originals

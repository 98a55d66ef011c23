"""Recognising a layout, and what no layout does to a row."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain import layouts
from annotation.domain.field_map import FieldMap, apply
from annotation.domain.layouts import LAYOUTS, Layout, Skipped, rating_columns
from annotation.domain.records import InputError, Record
from tests.domain.layout_samples import of

pytestmark = pytest.mark.files


# --- layouts -----------------------------------------------------------------------------------------------


def test_layouts_are_found_by_their_key():
    assert len({layout.key for layout in LAYOUTS}) == len(LAYOUTS)
    assert all(layouts.by_key(layout.key) is layout for layout in LAYOUTS)
    with pytest.raises(InputError):
        layouts.by_key("lable_studio")


def test_what_nobody_knows_is_rows_and_columns():
    assert layouts.recognise([], name="label_studio.json").key == "generic"
    assert layouts.recognise(of({"a": 1}), name="mturk.csv").key == "generic"


def test_objects_become_dotted_columns_and_lists_stay():
    layout = layouts.by_key("generic")
    (row,) = layout.flatten(of({"a": {"b": {"c": 1}, "d": [{"e": 2}]}, "a.d": 3}))
    assert isinstance(row, Record)
    assert row.values == {"a.b.c": 1, "a.d": [{"e": 2}], "a.d'": 3}


def test_a_row_keeps_its_place():
    (record,) = of({"a": {"b": 1}}, source="s.json", unit="item")
    (row,) = layouts.by_key("generic").flatten([record])
    assert (row.line, row.source, row.unit) == (1, "s.json", "item")


# --- any record ----------------------------------------------------------------------------------------------

KEYS = (
    "id", "annotations", "data", "result", "from_name", "value", "completed_by", "annotation_id", "annotator",
    "lead_time", "fields", "responses", "metadata", "q.responses", "q.responses.users", "q.responses.status",
    "text", "label", "Comments", "instance_id", "user_id", "s.1", "s.2", "labels",
    "instance_id_to_label_to_value", "HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.t",
    "Answer.q.1", "custom_id", "response", "error", "result", "body", "choices", "message", "content", "model_a",
    "model_b", "winner", "conversation_a", "conversation_b", "role", "from", "model_1", "model_2", "g1_winner",
    "g2_winner", "question_id", "score", "judgment", "model_id", "turns", "predict0", "response_metadata_list",
    "__internal_tags__", "original_item_index", "comment", "chosen", "rejected", "prompt", "chosen_story",
    "rejected_story", "post_title", "comment_texts", "constraint", "instruction_id_list", "instruction", "input",
    "output", "response1", "response2", "annotator1", "messages", "conversations", "response_a", "response_b",
)  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.floats(0, 3)
    | st.sampled_from(["", "2", "true", "[{", "从"])
)
nested = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
LENIENT = [layout for layout in LAYOUTS if layout.key != "litbench_ids"]


def place_of_refusal(field_map: FieldMap, row: Record) -> int | None:
    """Where a row is refused; its own place where it is not."""
    try:
        apply(field_map, row)
    except InputError as error:
        return error.line
    return row.line


@settings(deadline=None)
@given(layout=st.sampled_from(LENIENT), data=st.data())
def test_no_row_keeps_the_rows_after_it_from_being_read(layout: Layout, data: st.DataObject):
    shapes = st.dictionaries(st.sampled_from(KEYS), nested, max_size=12)
    values = data.draw(st.lists(shapes, min_size=1, max_size=3))
    # Each record may be anything; the last is one that every layout can make something of or nothing.
    records = of(*values, {})
    rows = list(layout.flatten(records))
    assert all(isinstance(row, Record | Skipped) for row in rows)
    flat = [row for row in rows if isinstance(row, Record)]
    field_map = layout.suggest(flat, names=["f.jsonl"], languages=("en",))
    assert FieldMap.from_dict(field_map.as_dict()) == field_map
    assert layouts.recognise(records, name="f.jsonl") in LAYOUTS
    assert set(rating_columns(flat)) <= {name for row in flat for name in row.values}
    assert [place_of_refusal(field_map, row) for row in flat] == [row.line for row in flat]

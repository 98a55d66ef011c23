"""A saved mapping is taken strictly: every slip is refused with its place."""

import pytest

from annotation.domain.field_map import FieldMap, Source
from annotation.domain.records import InputError

pytestmark = pytest.mark.files

GOOD = {
    "fields": {"text": {"columns": ["t"]}, "language": {"constant": "zh"}, "model": {"file_name": True}},
    "scores": {"好": 3},
    "only": ["lang", "zh"],
}


def test_what_is_left_out_is_as_if_nothing_were_said():
    assert FieldMap.from_dict({}) == FieldMap()
    assert FieldMap.from_dict(GOOD) == FieldMap(
        {"text": Source(("t",)), "language": Source(constant="zh"), "model": Source(file_name=True)},
        scores={"好": 3},
        only=("lang", "zh"),
    )


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ([], ""),
        ({"field": {}}, ""),
        ({"fields": []}, "fields"),
        ({"fields": {"txet": {"columns": ["t"]}}}, "fields"),
        ({"fields": {"text": "t"}}, "fields.text"),
        ({"fields": {"text": {}}}, "fields.text"),
        ({"fields": {"text": {"columns": []}}}, "fields.text"),
        ({"fields": {"text": {"columns": ["t"], "constant": "c"}}}, "fields.text"),
        ({"fields": {"text": {"columns": ["t"], "file_name": True}}}, "fields.text"),
        ({"fields": {"text": {"column": ["t"]}}}, "fields.text"),
        ({"fields": {"text": {"columns": "t"}}}, "fields.text.columns"),
        ({"fields": {"text": {"columns": [1]}}}, "fields.text.columns"),
        ({"fields": {"text": {"columns": ["t", "t"]}}}, "fields.text.columns"),
        ({"fields": {"text": {"columns": ["t\x00"]}}}, "fields.text.columns"),
        ({"fields": {"text": {"columns": ["\ud83d"]}}}, "fields.text.columns"),
        ({"fields": {"text": {"constant": 1}}}, "fields.text.constant"),
        ({"fields": {"text": {"file_name": 1}}}, "fields.text.file_name"),
        ({"fields": {"text": {"columns": ["t"], "part": -1}}}, "fields.text.part"),
        ({"fields": {"text": {"columns": ["t"], "part": True}}}, "fields.text.part"),
        ({"raters": "Ann"}, "raters"),
        ({"raters": ["Ann"], "fields": {"score": {"columns": ["s"]}}}, "fields.score"),
        ({"raters": ["Ann"], "fields": {"annotator": {"constant": "a"}}}, "fields.annotator"),
        ({"scores": []}, "scores"),
        ({"scores": {"good": 4}}, "scores.good"),
        ({"scores": {"good": "3"}}, "scores.good"),
        ({"scores": {"good": True}}, "scores.good"),
        ({"scores": {"good": 3, "good ": 2}}, "scores"),
        ({"only": "lang"}, "only"),
        ({"only": ["lang"]}, "only"),
        ({"only": ["lang", 1]}, "only"),
        ({"unknown_genres": "skip"}, "unknown_genres"),
    ],
)
def test_a_slip_is_refused_with_its_place(given, place):
    with pytest.raises(InputError) as caught:
        FieldMap.from_dict(given)
    assert caught.value.column == place

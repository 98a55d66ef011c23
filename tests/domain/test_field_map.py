"""Mapping the columns of a file: what a row becomes, and what is refused."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.field_map import (
    NAMES,
    FieldMap,
    Mapped,
    Source,
    apply,
    as_key,
)
from annotation.domain.made_ids import prompt_id_of, response_id_of
from annotation.domain.material import ResponseRow, response_row
from annotation.domain.records import InputError, Record
from annotation.domain.scoring import ScoreRow, score_row

pytestmark = pytest.mark.files


def row(cells: bool = False, source: str = "f.jsonl", **values: object) -> Record:
    return Record(7, values, source, cells=cells)


def mapping(**fields: str | Source | tuple[str, ...]) -> FieldMap:
    """Fields from columns, named in short."""
    made = {}
    for name, source in fields.items():
        columns = (source,) if isinstance(source, str) else source
        made[name] = columns if isinstance(columns, Source) else Source(columns)
    return FieldMap(made)


def response(field_map: FieldMap, record: Record) -> ResponseRow:
    mapped = apply(field_map, record)
    assert mapped.response is not None
    return response_row(mapped.response)


def scores(field_map: FieldMap, record: Record) -> list[ScoreRow]:
    return [score_row(score) for score in apply(field_map, record).scores]


def everything(field_map: FieldMap, record: Record) -> tuple[list[ResponseRow], list[ScoreRow]]:
    mapped = apply(field_map, record)
    responses = [response_row(mapped.response)] if mapped.response else []
    return responses, [score_row(score) for score in mapped.scores]


def refusal(field_map: FieldMap, record: Record) -> InputError:
    with pytest.raises(InputError) as caught:
        everything(field_map, record)
    return caught.value


TEXTS = mapping(response_id="id", prompt_id="p", text="t")
LONG = mapping(response_id="id", annotator="who", score="s")
WIDE = FieldMap({"response_id": Source(("id",))}, raters=("Ann", "Ben", "Cyd"))


# --- responses ---------------------------------------------------------------------------------------------


def test_a_row_becomes_a_response_under_its_own_names():
    found = response(TEXTS, row(id="r1", p="p1", t="Once.", mood="ignored"))
    assert found == ResponseRow("r1", "p1", "Once.", line=7)
    assert found.line == 7


def test_every_fact_of_a_response_can_be_mapped():
    field_map = mapping(
        response_id="id",
        prompt_id="p",
        text="t",
        prompt="asked",
        language=Source(constant="en"),
        genre="g",
        model=Source(file_name=True),
        sample="n",
        length="len",
        finish_reason="why",
        error="err",
        upvotes="ups",
        posted_at="when",
        parameters=("temperature", "top_p"),
        requirements="req",
        kept_requirements="kept",
    )
    values = {
        "id": 1, "p": "p1", "t": "Once.", "asked": "Write.", "g": "poetry", "n": 2, "len": 9, "why": "length",
        "err": {"code": 5}, "ups": -3, "when": "2024-05-01T10:00:00+02:00", "temperature": 0.7, "top_p": None,
        "req": ["short", "sad"], "kept": [2],
    }  # fmt: skip
    assert response(field_map, row(source="in/gpt-4.1-mini.json", **values)) == ResponseRow(
        id="1",
        prompt_id="p1",
        text="Once.",
        prompt="Write.",
        language="en",
        genre="poetry",
        model="gpt-4.1-mini",
        length=9,
        parameters={
            "temperature": 0.7,
            "sample": "2",
            "finish_reason": "length",
            "error": '{"code": 5}',
            "upvotes": -3,
            "posted_at": "2024-05-01T08:00:00+00:00",
        },
        requirements=("short", "sad"),
        kept_requirements=(2,),
    )


def test_a_csv_says_the_same_with_cells():
    field_map = replace(
        TEXTS, fields={**TEXTS.fields, "parameters": Source(("a", "b")), "length": Source(("n",))}
    )
    found = response(field_map, row(cells=True, id="1", p="p", t="Once.", a="0.7", b="", n="3"))
    assert found == ResponseRow("1", "p", "Once.", length=3, parameters={"a": "0.7"})


def test_an_object_of_parameters_is_taken_whole_also_from_a_cell():
    field_map = replace(TEXTS, fields={**TEXTS.fields, "parameters": Source(("x",))})
    for cells, value in ((False, {"n": 1}), (False, '{"n": 1}'), (True, '{"n": 1}')):
        found = response(field_map, row(cells=cells, id="1", p="p", t="Once.", x=value))
        assert found.parameters == {"n": 1}


def test_a_list_of_requirements_may_stand_in_a_cell_of_a_sheet():
    field_map = replace(TEXTS, fields={**TEXTS.fields, "requirements": Source(("x",))})
    found = response(field_map, row(id="1", p="p", t="Once.", x='["short", "sad"]'))
    assert found.requirements == ("short", "sad")


def test_without_a_text_there_is_no_response():
    assert apply(LONG, row(id="r", who="a", s=2)).response is None


@pytest.mark.parametrize("text", [None, "", "   ", True, 5, ["a"]])
def test_what_is_no_text_is_refused_and_never_becomes_one(text):
    error = refusal(TEXTS, row(id="r", p="p", t=text))
    assert (error.line, error.column, error.source) == (7, "t", "f.jsonl")


def test_an_empty_text_is_taken_where_an_error_says_why():
    field_map = replace(TEXTS, fields={**TEXTS.fields, "error": Source(("e",))})
    found = response(field_map, row(id="r", p="p", t=None, e="timed out"))
    assert (found.text, found.parameters) == ("", {"error": "timed out"})
    assert refusal(field_map, row(id="r", p="p", t=None, e=None)).column == "t"


@pytest.mark.parametrize(("given", "name"), [(7, "7"), (7.0, "7"), ("07", "07")])
def test_a_number_may_be_a_name(given, name):
    assert response(TEXTS, row(id=given, p="p", t="Once.")).id == name


@pytest.mark.parametrize("given", [True, 7.5, ["a"], " a", "a\nb", "x" * 201])
def test_what_cannot_be_a_name_is_refused_with_the_column_of_the_file(given):
    assert refusal(TEXTS, row(id=given, p="p", t="Once.")).column == "id"


# --- ids that are made ---------------------------------------------------------------------------------------


def test_an_id_is_made_of_the_prompt_and_the_model():
    field_map = mapping(prompt_id="p", model="m", text="t")
    assert response(field_map, row(p="p1", m="gpt", t="Once.")).id == "p1|gpt"


def test_the_sample_tells_the_responses_of_one_model_apart():
    field_map = mapping(prompt_id="p", model="m", sample="n", text="t")
    assert response(field_map, row(p="p1", m="gpt", n=0, t="Once.")).id == "p1|gpt|0"


def test_scores_of_a_prompt_and_a_model_meet_the_responses_of_both():
    said = scores(
        mapping(prompt_id="题目编号", model="模型", annotator="who", score="s"),
        row(题目编号=3, 模型="gpt", who="a", s=1),
    )
    written = response(mapping(prompt_id="p", model="m", text="t"), row(p="3", m="gpt", t="从前。"))
    assert said[0].response_id == written.id == "3|gpt"


def test_a_prompt_without_an_id_is_known_by_its_text_in_any_unicode_form():
    field_map = mapping(prompt="asked", model="m", text="t")
    composed, decomposed = (
        response(field_map, row(asked=one, m="a", t="Once.")) for one in ("Él", "E\u0301l")
    )
    assert composed.prompt_id == decomposed.prompt_id == prompt_id_of("Él") == "p-3986cc3f45c0"
    assert composed.id == f"{composed.prompt_id}|a"


def test_without_a_model_the_text_tells_responses_apart():
    field_map = mapping(prompt_id="p", text="t")
    one, other = (response(field_map, row(p="p1", t=text)).id for text in ("Once.", "Twice."))
    assert one == response_id_of("p1", text="Once.") != other
    assert one.startswith("p1|t-")


def test_an_id_is_never_made_where_nothing_says_which_prompt():
    error = refusal(mapping(text="t", response_id="id"), row(t="Once.", id="r"))
    assert error.column == "prompt_id"
    assert "choose a column for the prompt or its id" in error.reason


def test_an_id_is_never_made_where_nothing_says_which_response():
    error = refusal(mapping(prompt_id="p", annotator="who", score="s"), row(p="p", who="a", s=1))
    assert error.column == "response_id"


def test_an_empty_id_is_not_made_up():
    assert refusal(TEXTS, row(id="", p="p", t="Once.")).column == "id"
    assert refusal(TEXTS, row(id="r", p=None, t="Once.")).column == "p"


def test_columns_are_joined_and_pieces_taken():
    joined = mapping(response_id=("title", "writer"), annotator="who", score="s")
    assert scores(joined, row(title="A", writer=2.0, who="a", s=1))[0].response_id == "A|2"
    pieces = mapping(
        prompt_id=Source(("id",), part=1), model=Source(("id",), part=2), annotator="who", score="s"
    )
    assert scores(pieces, row(id="p7|gpt|0", who="a", s=1))[0].response_id == "p7|gpt"


def test_an_id_of_several_columns_needs_all_of_them():
    joined = mapping(response_id=("title", "writer"), annotator="who", score="s")
    error = refusal(joined, row(title="A", writer=None, who="a", s=1))
    assert error.column == "writer"


def test_a_piece_that_is_not_there_is_missing():
    field_map = mapping(response_id=Source(("id",), part=3), prompt_id="id", text="t")
    assert refusal(field_map, row(id="p|m", t="Once.")).reason.startswith("the value is missing")


@pytest.mark.parametrize(
    ("name", "stem"),
    [("gpt-4.1.json", "gpt-4.1"), ("a/b\\expert1.jsonl", "expert1"), ("doubao-1.5-pro", "doubao-1.5-pro")],
)
def test_the_name_of_a_file_serves_without_its_ending_and_folder(name, stem):
    field_map = mapping(prompt_id="p", model=Source(file_name=True), text="t")
    assert response(field_map, row(source=name, p="p", t="Once.")).model == stem


# --- scores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "score"), [(2, 2), (2.0, 2), ("2", 2), ("2.0", 2), ("0", 0), (3, 3)])
@pytest.mark.parametrize("cells", [True, False])
def test_a_score_is_a_number_or_its_text(value, score, cells):
    assert scores(LONG, row(cells=cells, id="r", who="a", s=value)) == [ScoreRow("r", "a", score)]


@pytest.mark.parametrize(
    "value", [4, -1, 1.5, "", "two", True, False, None, "1.5", " 2", "+2", "２", "nan", [2], {"rating": 2}]
)
@pytest.mark.parametrize("cells", [True, False])
def test_any_other_score_is_refused_with_place_and_remedy(value, cells):
    error = refusal(LONG, row(cells=cells, id="r", who="a", s=value))
    assert (error.line, error.column) == (7, "s")
    assert "give a value for it in the mapping" in error.reason


@pytest.mark.parametrize(
    ("value", "key"), [("good ", "good"), (5, "5"), (True, "true"), ("", ""), (None, "")]
)
def test_a_value_may_be_given_its_place_on_the_scale(value, key):
    field_map = replace(LONG, scores={key: 3})
    assert scores(field_map, row(id="r", who="a", s=value))[0].score == 3


def test_the_given_value_goes_before_the_number_itself():
    turned = replace(LONG, scores={"0": 3, "3": 0})
    assert scores(turned, row(id="r", who="a", s="3"))[0].score == 0


def test_a_row_that_says_neither_who_nor_what_has_no_score():
    field_map = replace(LONG, fields={**LONG.fields, **TEXTS.fields})
    mapped = apply(field_map, row(id="r", p="p", t="Once.", who=None, s=None))
    assert mapped.response is not None
    assert mapped.scores == ()


def test_a_score_without_an_annotator_is_refused():
    assert refusal(LONG, row(id="r", who="", s=2)).column == "who"


def test_time_and_justification_come_along():
    field_map = replace(
        LONG, fields={**LONG.fields, "at": Source(("when",)), "justification": Source(("why",))}
    )
    found = scores(field_map, row(id="r", who="a", s=1, when="2024/04/01 7:36:15 PM GMT+2", why="Flat."))[0]
    assert found.at is not None
    assert (found.at.isoformat(), found.justification) == ("2024-04-01T17:36:15+00:00", "Flat.")
    assert refusal(field_map, row(id="r", who="a", s=1, when="01/04/2024")).column == "when"


def test_a_wide_row_has_a_score_for_each_cell_that_is_filled_in():
    found = scores(WIDE, row(cells=True, id="r", Ann="2", Ben="", Cyd="0"))
    assert found == [ScoreRow("r", "Ann", 2), ScoreRow("r", "Cyd", 0)]


def test_an_error_in_a_wide_row_names_the_column_of_the_rater():
    error = refusal(WIDE, row(cells=True, id="r", Ann="2", Ben="7", Cyd=""))
    assert (error.line, error.column) == (7, "Ben")


def test_a_row_can_hold_a_response_and_its_scores():
    field_map = FieldMap(TEXTS.fields, raters=("Ann", "Ben"))
    mapped = apply(field_map, row(id="r", p="p", t="Once.", Ann=1, Ben=2))
    assert mapped.response is not None
    assert [score.values["score"] for score in mapped.scores] == [1, 2]


def test_only_rows_with_the_given_value_are_taken():
    field_map = replace(LONG, only=("lang", "en "))
    assert scores(field_map, row(id="r", who="a", s=2, lang=" en"))
    left = apply(field_map, row(id="r", who="a", s="no score at all", lang="zh"))
    assert left == Mapped(None, (), left_out=True)


# --- what must be mapped -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field_map", "missing"),
    [
        (FieldMap(), ("text", "score")),
        (mapping(prompt_id="p"), ("text", "score")),
        (mapping(text="t"), ("response_id", "prompt_id")),
        (mapping(text="t", prompt="p"), ()),
        (mapping(text="t", response_id="r"), ("prompt_id",)),
        (mapping(score="s", response_id="r"), ("annotator",)),
        (mapping(score="s", prompt_id="p", annotator="a"), ("response_id",)),
        (mapping(score="s", prompt_id="p", model="m", annotator="a"), ()),
        (WIDE, ()),
    ],
)
def test_it_says_which_fields_are_missing(field_map, missing):
    assert field_map.gaps() == missing


# --- any map and any value -----------------------------------------------------------------------------------

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
several = st.lists(words, min_size=1, max_size=3, unique=True).map(tuple)
sources = (
    st.builds(Source, columns=several, part=st.integers(0, 3))
    | st.builds(Source, constant=words.filter(bool))
    | st.just(Source(file_name=True))
)
levels = st.sampled_from([0, 1, 2, 3])
maps = st.builds(
    FieldMap,
    fields=st.dictionaries(st.sampled_from(NAMES), sources, max_size=5),
    scores=st.dictionaries(words.map(str.strip), levels, max_size=3),
    only=st.none() | st.tuples(words, words),
    unknown_genres=st.sampled_from(["refuse", "leave", "add"]),
) | st.builds(FieldMap, fields=st.just({"response_id": Source(("id",))}), raters=several)


@settings(deadline=None)
@given(field_map=maps)
def test_a_map_comes_back_from_its_json_as_it_was(field_map):
    assert FieldMap.from_dict(field_map.as_dict()) == field_map


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(field_map=maps, columns=st.dictionaries(words, values, max_size=6), cells=st.booleans())
def test_a_row_is_taken_or_refused_with_its_place_and_nothing_else(field_map, columns, cells):
    named = {column: columns.get(column) for one in field_map.fields.values() for column in one.columns}
    shape = {name: as_key(value) if cells else value for name, value in {**columns, **named}.items()}
    record = Record(3, shape, "f", cells=cells)
    try:
        responses, judged = everything(field_map, record)
    except InputError:
        assert refusal(field_map, record).line == 3
        return
    assert all(one.score in (0, 1, 2, 3) and one.line == 3 for one in judged)
    assert not {one.text for one in responses} & {"None", "True", "False"}

"""Suggesting what the columns of a file mean, by their names and by what stands in them."""

import pytest

from annotation.domain.field_map import FieldMap, Source
from annotation.domain.layouts import rating_columns
from annotation.domain.records import Record
from tests.domain.layout_samples import (
    EXPERTS,
    SAMPLES,
    WPB,
    by_item,
    cells,
    columns,
    experts_said,
    histogram,
    needs_experts,
    needs_samples,
    needs_wpb,
    of,
    sample,
    suggestion,
    taken,
)

pytestmark = pytest.mark.files

LONG = "It was a dark and stormy night, and nobody had any idea how it would end. " * 4


def suggested(*records: Record, languages: tuple[str, ...] = ("en", "es")) -> FieldMap:
    return suggestion(records, languages=languages, key="generic")[1]


# --- suggestions by name -------------------------------------------------------------------------------------


def test_names_in_english_are_understood():
    field_map = suggested(
        *of(
            {
                "Prompt ID": "p",
                "Prompt": "Write.",
                "Response": "Once.",
                "Model": "m",
                "Rater": "a",
                "Rating": 2,
            }
        )
    )
    assert columns(field_map) == {
        "prompt_id": "Prompt ID",
        "prompt": "Prompt",
        "text": "Response",
        "model": "Model",
        "annotator": "Rater",
        "score": "Rating",
    }


def test_names_in_chinese_are_understood():
    field_map = suggested(
        *cells(
            "题目编号|题目|模型|回答|评分|评语|评分员|体裁|语言",
            "1|写一首诗。|文心|春眠不觉晓|3|好|甲|诗歌|zh",
            "1|写一首诗。|通义|床前明月光|2||甲|诗歌|zh",
        )
    )
    assert columns(field_map) == {
        "prompt_id": "题目编号",
        "prompt": "题目",
        "model": "模型",
        "text": "回答",
        "score": "评分",
        "justification": "评语",
        "annotator": "评分员",
        "genre": "体裁",
        "language": "语言",
    }


def test_names_in_spanish_are_understood():
    field_map = suggested(
        *cells("título|texto|evaluador|puntuación|comentario", "A|Érase una vez.|Ana|2|Bien.")
    )
    assert columns(field_map) == {
        "prompt": "título",
        "text": "texto",
        "annotator": "evaluador",
        "score": "puntuación",
        "justification": "comentario",
    }


def test_the_names_of_the_commands_are_understood():
    field_map = suggested(
        *of({"id": "r", "prompt_id": "p", "text": "Once.", "length": 1, "parameters": {}, "genre": "g"})
    )
    assert columns(field_map) == {
        "response_id": "id", "prompt_id": "prompt_id", "text": "text", "length": "length", "genre": "genre",
    }  # fmt: skip
    field_map = suggested(*cells("response_id|annotator|score|at|justification", "r|a|2|2024-01-01|Flat."))
    assert columns(field_map) == {
        name: name for name in ("response_id", "annotator", "score", "at", "justification")
    }


def test_a_length_that_nobody_defined_is_not_taken():
    field_map = suggested(
        *of({"prompt": "Write.", "response": "Once.", "model": "m", "length": 1, "word_len": 1})
    )
    assert "length" not in field_map.fields


def test_a_time_is_only_taken_where_it_can_be_read():
    rows = "r|a|2|{}", "r|b|2|2024/04/01 7:36:15 PM GMT+2"
    sure = suggested(*cells("item|rater|score|timestamp", rows[0].format("2024-04-01"), rows[1]))
    unsure = suggested(*cells("item|rater|score|timestamp", rows[0].format("01/04/2024"), rows[1]))
    assert ("at" in sure.fields, "at" in unsure.fields) == (True, False)


# --- suggestions by content ----------------------------------------------------------------------------------


def test_the_longest_text_is_the_response():
    field_map = suggested(
        *of({"who wrote": "x", "the piece": LONG, "remarks": "short", "prompt": LONG + LONG})
    )
    assert columns(field_map)["text"] == "the piece"


def test_short_texts_and_comments_are_no_responses():
    field_map = suggested(
        *of({"item": "a", "rater": "b", "score": 1, "opinion": "Rather good.", "my comment": LONG})
    )
    assert "text" not in field_map.fields


def test_a_column_of_0_to_3_is_the_score_where_somebody_gave_it():
    assert columns(suggested(*cells("item|rater|beauty", "a|x|0", "b|x|3")))["score"] == "beauty"


def test_several_ratings_are_shown_and_the_first_is_suggested():
    rows = cells("item|rater|creativity|style", "a|x|0|1", "b|x|3|2")
    assert rating_columns(rows) == ("creativity", "style")
    assert columns(suggested(*rows))["score"] == "creativity"


def test_a_score_by_name_goes_before_a_rating_by_content():
    assert columns(suggested(*cells("item|rater|style|score", "a|x|0|1", "b|x|3|2")))["score"] == "score"


def test_a_scale_of_words_is_suggested_so_that_it_can_be_mapped():
    rows = cells("item|rater|score", "a|x|good", "b|x|poor")
    assert columns(suggested(*rows))["score"] == "score"
    assert rating_columns(rows) == ()


@pytest.mark.parametrize(
    "names",
    [
        ("annotator1", "annotator2", "annotator3"),
        ("Expert1", "Expert2"),
        ("rater_ann", "rater_bo"),
        ("评分员1", "评分员2"),
    ],
)
def test_a_column_per_rater_makes_a_wide_file(names):
    rows = of(*({"item": item, **dict.fromkeys(names, score)} for item, score in (("a", 0), ("b", "3"))))
    field_map = suggested(*rows)
    assert field_map.raters == names
    assert columns(field_map) == {"response_id": "item"}
    assert field_map.gaps() == ()


def test_a_comment_on_a_wide_row_is_nobodys():
    field_map = suggested(*cells("item|Expert1|Expert2|comment|at", "a|1|2|Odd.|2024-04-01"))
    assert columns(field_map) == {"response_id": "item", "at": "at"}
    assert FieldMap.from_dict(field_map.as_dict()) == field_map


def test_a_cell_of_a_rater_may_be_empty():
    field_map = suggested(*cells("item|Expert1|Expert2|Expert3", "a|1||2", "b||0|"))
    assert field_map.raters == ("Expert1", "Expert2", "Expert3")


def test_ids_and_comments_of_a_rater_are_no_scores():
    rows = cells("item|rater_id|rater_group|score", "a|1|0|2", "b|2|1|3")
    field_map = suggested(*rows)
    assert field_map.raters == ()
    assert columns(field_map) == {"response_id": "item", "annotator": "rater_id", "score": "score"}


def test_the_id_of_what_was_scored_repeats_across_raters():
    field_map = suggested(*cells("no|essay|rater|score", "1|e1|a|0", "2|e1|b|1", "3|e2|a|2", "4|e2|b|3"))
    assert columns(field_map)["response_id"] == "essay"


def test_a_number_of_the_row_is_no_id_of_a_response():
    field_map = suggested(*cells("序号|题目编号|模型|得分", "1|p1|m|0", "2|p1|n|1"))
    assert columns(field_map) == {"prompt_id": "题目编号", "model": "模型", "score": "得分"}


# --- what is never suggested -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "prediction", "predicted_score", "score_model", "model_score", "gpt4_score", "llm_rating", "auto_score",
        "judge", "g1_winner", "score.suggestion", "reward", "ai_score", "machine_score", "模型评分", "机器分数",
        "预测", "PredictedScore", "rm_score",
    ],
)  # fmt: skip
def test_what_a_program_said_is_never_a_score(name):
    rows = of(*({"item": item, "rater": "a", name: score} for item, score in (("a", 0), ("b", 3))))
    assert rating_columns(rows) == ()
    assert "score" not in suggested(*rows).fields


@pytest.mark.parametrize(
    "name",
    ["id", "turn", "sample", "rank_1", "num_turns", "length", "seed", "annotator", "upvotes", "编号", "轮次"],
)
def test_what_counts_or_names_something_is_no_score(name):
    rows = of(*({name: score, "text": LONG} for score in (0, 3)))
    assert rating_columns(rows) == ()
    assert "score" not in suggested(*rows).fields


def test_a_column_that_never_varies_is_no_score_unless_it_is_called_so():
    rows = of(*({"edition": 1, "rating": 1} for _ in range(20)))
    assert rating_columns(rows) == ("rating",)


@pytest.mark.parametrize("value", [True, 1.5, -1, 4, "two", None, [1]])
def test_a_rating_column_holds_nothing_but_ratings(value):
    assert rating_columns(of({"beauty": 0}, {"beauty": 3}, {"beauty": value})) == (
        ("beauty",) if value is None else ()
    )


def test_small_numbers_beside_a_text_are_no_scores_where_nobody_gave_them():
    assert "score" not in suggested(*of({"text": LONG, "chapters": 1}, {"text": LONG, "chapters": 3})).fields


# --- language ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "languages", "language"),
    [
        ("从前有一座山，山里有一座庙。", (), "zh"),
        ("从前有一座山，山里有一座庙。", ("en",), "zh"),
        ("从前有一座山，山里有一座庙。", ("en", "zh-Hans"), "zh-Hans"),
        ("むかしむかし、あるところに、おじいさんがいました。", ("ja",), "ja"),
        ("むかしむかし、あるところに、おじいさんがいました。", ("ja", "zh"), None),
        (LONG, ("en",), "en"),
        (LONG, ("en", "zh"), None),
        (LONG, (), None),
    ],
)
def test_the_language_is_suggested_where_it_is_plain(text, languages, language):
    field_map = suggested(*of({"prompt": "1", "text": text, "model": "m"}), languages=languages)
    assert field_map.fields.get("language") == (Source(constant=language) if language else None)


def test_a_column_for_the_language_is_better():
    field_map = suggested(*of({"text": LONG, "lang": "es"}), languages=("en",))
    assert columns(field_map)["language"] == "lang"


# --- real files --------------------------------------------------------------------------------------------


@needs_samples
@needs_experts
@pytest.mark.parametrize(
    ("name", "encoding", "delimiter"),
    [("wide_scores.utf8bom.csv", "utf-8-sig", ","), ("wide_scores.semicolon.csv", "cp1252", ";")],
)
def test_wide_scores_import_as_they_are(name, encoding, delimiter):
    records = sample(SAMPLES / name, encoding=encoding, delimiter=delimiter)
    layout, field_map = suggestion(records, key="generic")
    _, scores, refused = taken(layout, field_map, records)
    assert field_map.raters == ("Expert1", "Expert2", "Expert3")
    assert refused == []
    assert by_item(scores) == experts_said()


@needs_samples
@pytest.mark.parametrize(
    ("name", "encoding", "delimiter"),
    [("zh_scores.gb18030.csv", "gb18030", ","), ("zh_scores.utf16.tsv", "utf-16", "\t")],
)
def test_scores_with_chinese_columns_need_but_an_annotator(name, encoding, delimiter):
    records = sample(SAMPLES / name, encoding=encoding, delimiter=delimiter)
    layout, field_map = suggestion(records, key="generic")
    assert field_map.gaps() == ("annotator",)
    named = FieldMap({**field_map.fields, "annotator": Source(constant="first pass")})
    _, scores, refused = taken(layout, named, records)
    assert (len(scores), refused) == (12, [])
    assert scores[0].response_id == "65fca3a9-6621-4162-a477-33083c83b1f4|claude-4-opus-nothinking"
    assert [one.score for one in scores[:4]] == [2, 3, 1, 1]


@needs_experts
def test_the_assessment_of_experts_is_found_with_all_its_ratings():
    records = sample(EXPERTS)
    layout, field_map = suggestion(records, key="generic")
    assert columns(field_map) == {
        "annotator": "username",
        "score": "1_attractive_title",
        "prompt_id": "title_id",
        "model": "synopsis_writer",
        "at": "timestamp",
    }
    assert len(rating_columns(records[:50])) == 12
    better = FieldMap(
        {
            **field_map.fields,
            "score": Source(("4_creativity_synopsis",)),
            "prompt_id": Source(("experiment", "title_id")),
        }
    )
    _, scores, refused = taken(layout, better, records)
    assert refused == []
    assert histogram(scores) == {0: 143, 1: 249, 2: 229, 3: 99}
    assert len({one.response_id for one in scores}) == 240
    assert all(one.at for one in scores)


@needs_experts
def test_texts_with_a_title_and_a_writer_are_found():
    records = sample(EXPERTS.with_name("gpt4_texts.jsonl"))
    layout, field_map = suggestion(records, languages=("en",), key="generic")
    responses, _, refused = taken(layout, field_map, records)
    assert (len(responses), refused, field_map.gaps()) == (120, [], ())
    assert len({one.prompt_id for one in responses}) == 60


@needs_wpb
def test_a_subset_with_prompts_texts_and_scores_is_found():
    records = sample(WPB / "subset_22prompts_19models.jsonl")
    _, field_map = suggestion(records, key="generic")
    assert columns(field_map) == {
        "score": "score",
        "text": "response",
        "prompt": "prompt",
        "genre": "tag",
        "language": "zh",
        "finish_reason": "finish_reason",
        "error": "error",
        "prompt_id": "prompt_id",
        "model": "model",
        "justification": "comment",
    }
    assert field_map.gaps() == ("annotator",)
    assert rating_columns(records[:50]) == ("score", "score_second_pass")

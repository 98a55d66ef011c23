"""What a generative judge is asked: both orders, the frame, and nothing that says which response was chosen."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from curation.domain.evaluation.verdicts import verdict
from curation.domain.release.judge_prompts import COLUMNS, judge_rows, question


def pair(number=1, **changes):
    facts = {
        "id": f"p{number}:b:a",
        "prompt_id": f"p{number}",
        "chosen": "b",
        "rejected": "a",
        "prompt": "Write about a harbour.",
        "chosen_text": "The good one.",
        "rejected_text": "The bad one.",
        "language": "en",
    }
    return SimpleNamespace(**{**facts, **changes})


def test_each_pair_is_asked_in_both_orders():
    one, other = judge_rows([pair()], {"en": "Clear prose.", "zh": "文字清楚。"})
    assert tuple(one) == COLUMNS
    assert (one["first"], one["second"]) == (other["second"], other["first"])
    assert {one["id"], other["id"]} == {"p1:a:b#1", "p1:a:b#2"}
    for row in (one, other):
        text = row["input"]
        a = "The good one." if row["first"] == "b" else "The bad one."
        assert text.index("Response A") < text.index(a) < text.index("Response B")
        assert "Clear prose." in text
        assert text.endswith("Verdict: A\nVerdict: B\nVerdict: tie\n")


def test_the_chosen_response_stands_first_in_half_of_the_first_rows():
    rows = [row for row in judge_rows(pair(n) for n in range(2_000)) if row["id"].endswith("#1")]
    assert 900 < sum(row["first"] == "b" for row in rows) < 1_100


def test_nothing_in_a_row_says_which_was_chosen():
    """Of the pair with the sides exchanged the two rows are the same two."""
    turned = pair(
        id="p1:a:b", chosen="a", rejected="b", chosen_text="The bad one.", rejected_text="The good one."
    )
    mine, theirs = ({row["input"] for row in judge_rows([each])} for each in (pair(), turned))
    assert mine == theirs
    assert {row["pair_id"] for row in judge_rows([pair(), turned])} == {"p1:a:b"}


def test_chinese_pairs_are_asked_in_chinese():
    rubrics = {"en": "Clear prose.", "zh": "文字清楚。"}
    assert "文字清楚。" in next(judge_rows([pair(language="zh-Hans")], rubrics))["input"]
    assert "Clear prose." in next(judge_rows([pair(language="de")], rubrics))["input"]
    text = next(judge_rows([pair(language="zh-Hans")]))["input"]
    assert "回答A：" in text
    assert text.endswith("结论：A\n结论：B\n结论：平局\n")
    assert "（无）" in text


@given(st.text(), st.text(), st.text(), st.text())
def test_no_text_can_pass_for_the_frame(prompt, a, b, rubric):
    text = question(prompt, a, b, language="en", rubric=rubric)
    mark = text.split("with the mark ", 1)[1].split(";", 1)[0]
    assert text.count(f"=== {mark} ===") == 8
    assert not any(mark in part for part in (prompt, a, b, rubric))


def test_a_text_that_knows_an_earlier_frame_does_not_know_its_own():
    inner = question("P", "a", "b", language="en")
    outer = question("P", inner, "b", language="en")
    mark = outer.split("with the mark ", 1)[1].split(";", 1)[0]
    assert mark not in inner


def test_the_question_itself_is_no_verdict():
    """A judge that only repeats what it was asked has decided nothing."""
    for language in ("en", "zh"):
        assert verdict(question("P", "a text", "another", language=language)) is None

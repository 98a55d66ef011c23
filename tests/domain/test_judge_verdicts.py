"""What a generative judge's free answer decides, and what decides nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain.evaluation.verdicts import verdict

A = [
    "Verdict: A",
    "verdict: a",
    "VERDICT: A.",
    "**Verdict: A**",
    "**Verdict:** A",
    "Verdict: **A**",
    "Verdict - A",
    "Verdict: [A]",
    "Verdict: (A)",
    'Verdict: "A"',
    "Verdict: Response A",
    "Final verdict: A",
    "My final verdict is A.",
    "Answer: A",
    "The answer is A",
    "Final answer: A",
    "Final Answer: Assistant A",
    "Choice: A",
    "Winner: A",
    "Winner: Response A",
    "The winner is Response A.",
    "Better response: A",
    "Decision: option A",
    "Judgment: A",
    "Judgement: A",
    "Preference: model_a",
    "Conclusion: A",
    "[[A]]",
    "I weighed both carefully. My verdict: [[A]]",
    "[[ a ]]",
    "A",
    "a",
    "(A)",
    "A.",
    "**A**",
    "`A`",
    "Response A",
    "Response A.",
    "Assistant A",
    "Model A",
    "model_a",
    '{"winner": "A"}',
    '{"choice": "a", "reason": "It is alive."}',
    '```json\n{"verdict": "Response A"}\n```',
    'Here is my answer: {"answer": "A"}',
    "Response A is better.",
    "Response A is clearly better than the other.",
    "Overall, Response A is the better one.",
    "I prefer Response A.",
    "I would choose A.",
    "The better response is A",
    "Response A wins.",
    "B has fine images, but its end is told, not shown.\nVerdict: A",
    "Verdict: B would be my first thought, yet the end decides.\n\nVerdict: A",
    "<think>Perhaps B. Verdict: B</think>\nVerdict: A",
    "<thinking>[[B]]</thinking>[[A]]",
    "### Verdict: A",
    "I weighed both. **Verdict: A**",
    "B has fine images. Yet its end is told, not shown. Final verdict: A.",
    "两者都不错。结论：A。",
    "> Verdict: A",
    "Ｖｅｒｄｉｃｔ：Ａ",
    "结论：A",
    "结论: A",
    "结论：Ａ",
    "**结论：A**",
    "答案：A",
    "最终答案：A",
    "最终结论：回答A",
    "我的选择是A",
    "判断：回答A更好",
    "胜者：A",
    "回答A",
    "回答A更好",
    "总体来看，回答A更好。",
    "回答A明显更优。",
    "我更喜欢回答A。",
    "回答B的比喻新鲜，但结尾仓促。\n结论：A",
    "<think>也许选B</think>结论：A",
    '{"winner": "回答A"}',
]
TIE = [
    "Verdict: tie",
    "Verdict: Tie.",
    "**Verdict: tie**",
    "Verdict: a tie",
    "Verdict: draw",
    "Verdict: neither",
    "Verdict: equal",
    "Final verdict: It's a tie",
    "Answer: tie",
    "[[C]]",
    "[[Tie]]",
    "tie",
    "Tie",
    "It's a tie.",
    "It is a draw.",
    "Both have their merits, so it is a tie.",
    '{"winner": "tie"}',
    "结论：平局",
    "结论：平手",
    "答案：两者一样好",
    "平局",
    "两者不分上下",
    "两个回答难分高下，结论：\n结论：平局",
]
NOTHING = [
    "",
    " ",
    "\n\n",
    "I cannot judge this.",
    "I'm sorry, but I can't help with that.",
    "As an AI, I have no preference between texts.",
    "Both responses are interesting.",
    "Response A is vivid. Response B is precise.",
    "A and B",
    "A or B",
    "A/B",
    "A, B",
    "Verdict: A or B",
    "Verdict: A/B",
    "Verdict: A, B or tie",
    "Verdict: [A or B]",
    "Verdict:",
    "I weighed both. Verdict: A or B.",
    "Verdict: C or D",
    "Verdict: D",
    "Verdict: AB",
    "Verdict: Apple",
    "Verdict: A\nVerdict: B\nVerdict: tie",
    "Verdict: A\nVerdict: B",
    "End with one of:\nVerdict: A\nVerdict: B\nVerdict: tie",
    "[[A]] or [[B]]",
    "Answer with [[A]], [[B]] or [[C]].",
    "Response A is better. Response B is better.",
    "Response A is not better.",
    "Response A isn't better.",
    "If Response A is better, say so.",
    "It is hard to say whether Response A is better.",
    "Response A would be better with a shorter end.",
    "Neither Response A is better nor Response B.",
    "I prefer neither.",
    "A story about a boat.",
    "a boat is better",
    "The grade is A+",
    "B-",
    "Plan B",
    "{}",
    '{"winner": "A or B"}',
    '{"winner": null}',
    '{"winner": 1}',
    '{"winner": "A", "verdict": "B"}',
    '{"score_a": 3, "score_b": 2}',
    '{"winner": "A"',
    "<think>Verdict: A</think>",
    "<think>Verdict: A",
    "I will now compare A with B in detail.",
    "回答A和回答B都不错。",
    "回答A更好。回答B更好。",
    "回答A不更好。",
    "如果回答A更好，请说明。",
    "无法判断回答A更好还是回答B更好。",
    "结论：A或B",
    "结论：",
    "结论：A\n结论：B\n结论：平局",
    "我无法评判。",
    "选A还是选B？",
    "A" * 300,
    "[[",
    "]] A [[",
    "{" * 50,
]
SWAPPED = str.maketrans({"A": "B", "B": "A", "a": "b", "b": "a", "Ａ": "Ｂ", "Ｂ": "Ａ"})


@pytest.mark.parametrize("answer", A)
def test_an_answer_for_a_is_a(answer):
    assert verdict(answer) == "A"


@pytest.mark.parametrize("answer", TIE)
def test_an_answer_that_calls_it_a_tie_is_a_tie(answer):
    assert verdict(answer) == "tie"


@pytest.mark.parametrize("answer", NOTHING)
def test_what_is_not_plain_is_no_verdict(answer):
    assert verdict(answer) is None


@pytest.mark.parametrize("letter", ["B", "b"])
@pytest.mark.parametrize(
    "form",
    [
        "Verdict: {}",
        "[[{}]]",
        "({})",
        "Response {} is better.",
        "结论：{}",
        '{{"winner": "{}"}}',
        "I prefer Response {}.",
    ],
)
def test_with_the_sides_exchanged_the_verdict_is_the_other(form, letter):
    assert verdict(form.format(letter)) == "B"


@given(st.sampled_from(A), st.sampled_from(["", " ", "\n", "\n\n  "]), st.sampled_from(["", " ", "\n\n"]))
def test_space_around_an_answer_changes_nothing(answer, before, after):
    assert verdict(before + answer + after) == "A"


@given(
    st.sampled_from(["A", "B", "tie"]),
    st.text(st.characters(categories=["Ll", "Zs"], exclude_characters="ab")),
)
def test_reasons_before_a_last_line_change_nothing(side, reasons):
    assert verdict(f"{reasons}\nVerdict: {side}") == side


@given(st.text(max_size=300))
def test_no_text_is_an_error(answer):
    assert verdict(answer) in ("A", "B", "tie", None)


@given(st.text(st.characters(categories=["Nd", "Po", "Zs"])))
def test_without_a_letter_there_is_no_verdict(answer):
    assert verdict(answer) is None


@pytest.mark.parametrize(
    "piece",
    [
        "[[",
        "A",
        "Verdict: ",
        "<think>",
        "{",
        '{"winner": ',
        "response ",
        "回答",
        "\n",
        "is is ",
        "A is better. ",
        "(",
        "*",
    ],
)
def test_a_megabyte_of_anything_is_read_in_no_time(piece):
    began = time.process_time()
    verdict(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 20  # of a machine under load; a pattern that explodes takes hours

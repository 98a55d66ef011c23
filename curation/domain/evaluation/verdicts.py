"""What a generative judge decided, read from its free answer. It never guesses: what is not plain is None.

In this order:

1. What stands in <think>...</think>, and an opening <think> without an end with all after it, is no answer.
2. A JSON object (the last one, in a code fence or not) decides, of which `winner`, `verdict`, `choice`, `answer`,
   `preference` or `better` says A, B or tie.
3. The last line with `[[A]]`, `[[B]]` or `[[C]]` (a tie), as MT-bench asks for them, decides, if all in it agree.
4. The last line that ends with a verdict decides: `Verdict: A`, `Answer: B`, `**Final answer:** tie`, `结论：A`. A line
   that names several options has none, and several that follow each other are none: they echo the question.
5. An answer of one option alone decides: `A`, `(B)`, `Response A.`, `回答B`, `平局`.
6. Sentences such as "Response A is better" or 回答A更好 decide, where no other says another thing. One that denies or
   doubts says nothing.
"""

import json
import re
import unicodedata
from typing import Literal

Verdict = Literal["A", "B", "tie"]

LONGEST = 1_000_000  # characters; of more the end is read
THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
MARKUP = re.compile(r"[*`~#>]+|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")
KEYS = (
    "winner",
    "verdict",
    "choice",
    "answer",
    "preference",
    "better",
    "better_response",
    "final_verdict",
    "decision",
)
OBJECT = re.compile(r"\{[^{}]{1,2000}\}", re.DOTALL)
DOUBLE = re.compile(r"\[\[\s*([abc]|tie)\s*\]\]", re.IGNORECASE)
WHAT = r"(?:(?:response|assistant|answer|option|model|text|story|candidate|essay|poem|version|output)[\s_-]*)"
END = r"[\s.!?。！？…\])\"'”」】]*$"
BEGIN = r"^[\s(\[\"'“「【]*"
SIDE = rf"{WHAT}?[\[(\"'“「]*(?<![A-Za-z0-9])([ab])(?![A-Za-z0-9])[\])\"'”」]*"
TIE_WORDS = (
    r"(?:(?:it(?:'s| is) )?(?:a )?(?:tie|draw)|tied|equal|equally good|neither|both(?: are)? (?:equal|equally good)"
    r"|no (?:clear )?preference)"
)
LABEL = (
    r"(?:(?:my |the |so,? )?(?:final |overall )?"
    r"(?:verdict|answer|choice|decision|judge?ment|winner|preference|conclusion|better response|preferred response"
    r"|better one)(?: is)?)"
)
SAYS_SO = r"(?:is (?:the )?(?:better|winner|best)(?: one| response)?)?"
VERDICT = re.compile(
    rf"^\W*{LABEL}\s*(?:[:=\-–—]|is)?\s*(?:{SIDE}|({TIE_WORDS}))\s*{SAYS_SO}{END}",
    re.IGNORECASE,
)
HAN_WHAT = r"(?:回答|回复|答案|文本|文章|选项|响应|作品|版本|故事|模型|助手)"
HAN_TIE = (
    r"(?:(?:两者|二者|两个回答|两篇)?(?:是|为)?"
    r"(?:平局|平手|打平|一样好?|相当|持平|同样好|不分上下|难分高下|无法区分|都一样))"
)
HAN_LABEL = (
    r"(?:(?:我的)?(?:最终|最后|综合)?(?:的)?"
    r"(?:结论|答案|判断|选择|裁决|判定|评判|结果|胜者|获胜者|优胜者)(?:是|为)?)"
)
HAN_SIDE = rf"{HAN_WHAT}?\s*[\[(\"'“「【]*([ab])[\])\"'”」】]*"
HAN_VERDICT = re.compile(
    rf"^\W*{HAN_LABEL}\s*[:：]?\s*(?:{HAN_SIDE}(?:更好|较好|更优|胜出|获胜)?|({HAN_TIE}))\W*$", re.IGNORECASE
)
ALONE = re.compile(rf"{BEGIN}(?:{SIDE}|({TIE_WORDS})){END}", re.IGNORECASE)
HAN_ALONE = re.compile(rf"{BEGIN}(?:{HAN_SIDE}(?:更好|较好|更优|胜出)?|({HAN_TIE})){END}", re.IGNORECASE)
BEST = r"(?:better|best)(?: one| response)?"
BETTER = rf"(?:stronger|superior|preferable|the winner|the {BEST}|{BEST})"
HOW = r"(?:clearly |slightly |marginally |much |overall |the )*"
LETTER = r"[\[(\"']*([ab])\b[\])\"']*"
SAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{WHAT}{LETTER} (?:is|was) {HOW}{BETTER}",
        rf"\b{WHAT}{LETTER} wins\b",
        rf"\bI (?:would )?(?:prefer|choose|pick|select|favou?r|go with) {WHAT}?{LETTER}",
        rf"\b{BETTER} (?:response|answer|one|text|story) is {WHAT}?{LETTER}",
        rf"{HAN_WHAT}\s*([ab])\s*(?:明显|略微|稍微|整体|总体)?(?:上)?"
        r"(?:更好|较好|更优|胜出|获胜|更胜一筹|更佳|优于)",
        rf"(?:选择|倾向于?|偏好|更喜欢)\s*{HAN_WHAT}?\s*([ab])",
    )
)
TIES = re.compile(
    r"\b(?:it is|it's|this is|I call it|we have) a (?:tie|draw)\b|\bthe two (?:responses|texts) are equally good\b"
    r"|(?:两者|两个回答|二者)(?:是|为)?(?:平局|不分上下|难分高下|一样好)",
    re.IGNORECASE,
)
DENIES = re.compile(
    r"\b(?:not|n't|never|neither|cannot|unless|if|whether|would be|could be|either)\b|不|无法|如果|是否|或者",
    re.IGNORECASE,
)
BEFORE = re.compile(r"[.!?。！？；]\s*")
SENTENCE = re.compile(r"[.!?。！？；;\n]+")


def verdict(answer: str) -> Verdict | None:
    """A, B or tie; None where it does not say, refuses, or contradicts itself."""
    text = unicodedata.normalize("NFKC", answer[-LONGEST:])
    text = THOUGHT.sub("\n", text)
    found = _of_json(text)
    if found is not None:
        return found
    lines = [line for raw in text.splitlines() if (line := MARKUP.sub("", raw).strip())]
    for read in (_of_brackets, _of_label):
        is_said, found = read(lines)
        if is_said:
            return found
    if len(lines) == 1 and (found := _one(ALONE, lines[0]) or _one(HAN_ALONE, lines[0])):
        return found
    return _of_sentences(lines)


def _of_json(text: str) -> Verdict | None:
    for found in reversed(OBJECT.findall(text)):
        try:
            value = json.loads(found)
        except ValueError:
            continue
        said = {name.lower(): each for name, each in value.items()}
        told = {_named(said[key]) for key in KEYS if key in said}
        return told.pop() if len(told) == 1 else None
    return None


def _named(value: object) -> Verdict | None:
    if not isinstance(value, str):
        return None
    text = unicodedata.normalize("NFKC", value).strip()
    return _one(ALONE, text) or _one(HAN_ALONE, text)


def _of_brackets(lines: list[str]) -> tuple[bool, Verdict | None]:
    for line in reversed(lines):
        said = {each.lower() for each in DOUBLE.findall(line)}
        if said:
            return True, _side(said.pop()) if len(said) == 1 else None
    return False, None


def _of_label(lines: list[str]) -> tuple[bool, Verdict | None]:
    """The last verdict. Where the lines just before it are other verdicts, it is an echo of the question."""
    at = [number for number, line in enumerate(lines) if _labelled(line)]
    if not at:
        return False, None
    last = at[-1]
    found = _labelled(lines[last])
    around = {_labelled(lines[number]) for number in at if last - number <= 2}
    if len(around) > 1 and last - 1 in at:
        return True, None
    return True, found


def _labelled(line: str) -> Verdict | None:
    """What its last sentence says."""
    last = BEFORE.split(line.rstrip(" .!?。！？"))[-1]
    return _one(VERDICT, last) or _one(HAN_VERDICT, last)


def _of_sentences(lines: list[str]) -> Verdict | None:
    told: set[Verdict] = set()
    for sentence in SENTENCE.split("\n".join(lines)):
        if DENIES.search(sentence):
            continue
        told |= {_side(side) for pattern in SAYS for side in pattern.findall(sentence)}
        if TIES.search(sentence):
            told.add("tie")
    return told.pop() if len(told) == 1 else None


def _one(pattern: re.Pattern[str], line: str) -> Verdict | None:
    if len(line) > 200:
        return None
    match = pattern.match(line)
    if match is None:
        return None
    side, _tie = match.groups()
    return _side(side) if side else "tie"


def _side(letter: str) -> Verdict:
    sides: dict[str, Verdict] = {"a": "A", "b": "B"}
    return sides.get(letter.lower(), "tie")

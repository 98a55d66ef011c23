"""What a model is asked for when it is to propose requirements, and what is read out of its answer.

Models answer in many shapes, whatever they are asked for: JSON bare, fenced or amid prose, one object a line, lists
with numbers or bullets, under headings or with the kind before or behind each. All of them are read; what is no list
is refused with a sentence.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import regex

from annotation.domain.sentences import say
from annotation.domain.text import same_text_key

KINDS = ("content", "style", "format", "length")
MOST = 50
LONGEST = 2_000  # characters of one requirement
LONGEST_ANSWER = 40_000  # characters that are read
DEFAULT_COUNT = 5

ENGLISH = """\
Propose {count} requirements for the writing prompt below. Each is one thing that a text written to the prompt can \
satisfy or fail, and that a reader can tell without asking its author.

- Atomic: one demand in one sentence, which names no other requirement.
- Specific: say what is to be done and how much of it, not that it should be good.
- Not in conflict: one text can satisfy all of them and the prompt at once.
- New: none repeats what the prompt demands already.

Use these kinds, each at least once where the number allows it:
- content: what must occur or must not
- style: voice, tone, point of view, devices
- format: how the text is laid out
- length: how long the text or its parts are, in numbers

Answer with a JSON list alone, in the language of the prompt, and with the kinds in English:
[{{"kind": "content", "text": "..."}}]

The prompt:
{prompt}"""
CHINESE = """\
请为下面的写作题目提出 {count} 条要求。每一条都是照题目写出的文章能够做到或做不到的一件事，读者不问作者也能判断。

- 单一：一句话只提一项要求，不牵涉其他要求。
- 具体：写明要做什么、做到什么程度，不要只说“写得好”。
- 不冲突：同一篇文章能同时满足全部要求和题目本身。
- 不重复：题目已经要求的，不再提出。

只用以下四类，数量允许时每类至少一条：
- content：必须出现或不得出现的内容
- style：语气、笔调、视角、修辞
- format：文章的版式与结构
- length：全文或各部分的篇幅，用数字表示

只回答一个 JSON 列表，要求用题目的语言书写，类别用英文：
[{{"kind": "content", "text": "……"}}]

题目：
{prompt}"""


class UnreadableError(ValueError):
    """An answer in which no requirement was found; the message says why, and can be said in other languages."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Proposal:
    """`kind` is one of KINDS, or "" where the answer names none of them."""

    kind: str
    text: str


def asked(prompt: str, language: str, *, count: int = DEFAULT_COUNT) -> str:
    """What the model reads: in Chinese for a prompt in Chinese, in English for any other."""
    is_chinese = language.lower().replace("_", "-").split("-")[0] == "zh"
    return (CHINESE if is_chinese else ENGLISH).format(count=count, prompt=prompt.strip())


def parsed(answer: str) -> tuple[Proposal, ...]:
    """The requirements of an answer in their order, each once. UnreadableError where there are none, or too many."""
    said = THINKING.sub("", answer[:LONGEST_ANSWER]).strip()
    if not said:
        raise UnreadableError(
            "empty", say("The model gave no text. Ask again, or write requirements by hand.")
        )
    found = _folded(_of_json(said) or _of_table(said) or _of_lines(said))
    if not found:
        raise UnreadableError(
            "no_list",
            say("No list of requirements was found in the answer. Copy what is of use, or ask again."),
        )
    if len(found) > MOST:
        raise UnreadableError(
            "too_many",
            say(
                "The answer has {found} requirements; a prompt has {most} at most. Copy what is of use, or ask again.",
                found=len(found),
                most=MOST,
            ),
        )
    return found


def _folded(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Without empty ones and repetitions."""
    found: dict[str, Proposal] = {}
    for proposal in proposals:
        text = proposal.text.strip().strip("*").strip()[:LONGEST]
        if same_text_key(text):
            found.setdefault(same_text_key(text), Proposal(proposal.kind, text))
    return tuple(found.values())


# --- Kinds ---------------------------------------------------------------------------------------

NAMES: Mapping[str, str] = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(
        ("contents", "plot", "theme", "topic", "subject", "内容", "主题", "情节", "题材"), "content"
    ),
    **dict.fromkeys(
        ("tone", "voice", "stylistic", "语气", "风格", "文风", "语言", "笔调", "语言风格"), "style"
    ),
    **dict.fromkeys(
        ("structure", "layout", "formatting", "structural", "格式", "结构", "形式", "版式"), "format"
    ),
    **dict.fromkeys(("word count", "size", "篇幅", "长度", "字数", "字数要求"), "length"),
}
SUFFIX = regex.compile(r"(?:[ _-]*(?:requirements?|constraints?))|(?:方面|类)?(?:的?要求|类)?$", regex.I)


def kind_of(name: str) -> str:
    """One of KINDS; "" where the name stands for none."""
    plain = name.strip(" \t*_`#:：-–—.。[]【】()（）\"'").lower()
    return NAMES.get(plain) or NAMES.get(SUFFIX.sub("", plain).strip(), "")


# --- JSON ----------------------------------------------------------------------------------------

THINKING = regex.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", regex.S | regex.I)
TRAILING_COMMA = regex.compile(r",(?=\s*[\]}])")
KIND_KEYS = ("kind", "type", "category", "dimension", "label", "类别", "类型", "种类", "维度")
TEXT_KEYS = (
    *("text", "requirement", "constraint", "content", "description", "statement", "value"),
    *("要求", "内容", "描述", "约束", "正文"),
)
MOST_DEPTH = 4
MOST_STARTS = 500  # brackets at which a value is sought


def _of_json(said: str) -> list[Proposal]:
    """Of all JSON values in it; of one that is cut off, of its whole objects."""
    plain = TRAILING_COMMA.sub("", said)
    decoder = json.JSONDecoder(strict=False)
    found: list[Proposal] = []
    at = 0
    for _attempt in range(MOST_STARTS):
        start = regex.search(r"[\[{]", plain, pos=at)
        if start is None:
            break
        try:
            value, at = decoder.raw_decode(plain, start.start())
        except (ValueError, RecursionError):
            at = start.end()
            continue
        found += _of_value(value)
    return found


def _of_value(value: object, kind: str = "", depth: int = 0) -> Iterator[Proposal]:
    if depth > MOST_DEPTH:
        return
    if isinstance(value, str) and depth:
        yield _labelled(value, kind)
    elif isinstance(value, list):
        for each in value:
            yield from _of_value(each, kind, depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(value, kind, depth)


def _of_object(value: dict[str, object], kind: str, depth: int) -> Iterator[Proposal]:
    """One requirement with its kind, or a list of them under a name, which may be a kind."""
    plain = {name.strip().lower(): each for name, each in value.items()}
    named = next((str(plain[key]) for key in KIND_KEYS if isinstance(plain.get(key), str)), "")
    text = next((plain[key] for key in TEXT_KEYS if isinstance(plain.get(key), str)), None)
    is_by_kind = not named and sum(bool(kind_of(key)) for key in plain) > 1
    if isinstance(text, str) and not is_by_kind:
        yield _labelled(text, kind_of(named) or kind)
        return
    for name, each in plain.items():
        if isinstance(each, (list, dict)) or (isinstance(each, str) and kind_of(name)):
            yield from _of_value(each, kind_of(name) or kind, depth + 1)


# --- Lines ---------------------------------------------------------------------------------------

FENCE = regex.compile(r"\s*(?:```|~~~)")
NUMERAL = "一二三四五六七八九十"
ITEM = regex.compile(
    rf"\s*(?:[-*+•·‣◦●○▪–—]\s+|[•·●○▪]|\(?\d{{1,3}}\s*[.)、：:．）]\s*|[（(](?:\d{{1,3}}|[{NUMERAL}]{{1,3}})[)）]\s*"
    rf"|[{NUMERAL}]{{1,3}}[、.．]\s*|[①-⑳]\s*|(?:requirement|要求)\s*[\d{NUMERAL}]{{1,3}}\s*[.:：、)]\s*)(?=\S)",
    regex.I,
)
HEADING = regex.compile(r"\s*(?:#{1,6}\s*(?P<mark>.+?)|(?P<name>[^\n]{1,40}?)\s*[:：])\s*$")
BEFORE = regex.compile(
    r"[*_`]{0,3}(?:[\[【(（](?P<in>[^\]】)）\n]{1,30})[\]】)）]\s*[*_`]{0,3}\s*[:：-]?"
    r"|(?P<plain>[^:：\n—–|]{1,30}?)[*_`]{0,3}\s*(?:[:：|]|\s[-–—]\s)[*_`]{0,3})\s*(?P<text>\S.*)",
    regex.S,
)
BEHIND = regex.compile(r"(?P<text>.*\S)\s*[\[【(（](?P<in>[^\]】)）\n]{1,30})[\]】)）]\s*[.。]?\s*", regex.S)


def _labelled(said: str, kind: str) -> Proposal:
    """A requirement without the kind that stands before or behind it; other words before a colon belong to it."""
    text = said.strip()
    for form in (BEFORE, BEHIND):
        found = form.fullmatch(text)
        named = found and kind_of(found.groupdict().get("in") or found.groupdict().get("plain") or "")
        if found and named:
            return Proposal(kind or named, found["text"])
    return Proposal(kind, text)


def _of_lines(said: str) -> list[Proposal]:
    """Items of lists, each with what follows it indented; lines with a kind before them where there is no list."""
    found: list[Proposal] = []
    kind, is_open = "", False
    lines = [line for line in said.splitlines() if not FENCE.match(line)]
    has_items = any(_item(line) for line in lines)
    for line in lines:
        item = _item(line)
        heading = _heading(item or line)
        if heading:
            kind, is_open = heading, False
        elif item:
            found.append(_labelled(item, kind))
            is_open = True
        elif is_open and line[:1].isspace() and line.strip():
            found[-1] = Proposal(found[-1].kind, f"{found[-1].text} {line.strip()}")
        elif line.strip() and not has_items and (each := _labelled(line, "")).kind:
            found.append(each)
    return found


def _item(line: str) -> str:
    """What an item of a list says; "" where the line is none."""
    found = ITEM.match(line)
    return line[found.end() :].strip() if found else ""


def _heading(line: str) -> str:
    """The kind that what follows is of; "" where the line is no such heading."""
    found = HEADING.fullmatch(line) or regex.fullmatch(r"\s*(?P<mark>[*_]{2}[^*_\n]{1,40}[*_]{2})\s*", line)
    return kind_of(found.groupdict().get("mark") or found.groupdict().get("name") or "") if found else ""


def _of_table(said: str) -> list[Proposal]:
    """Rows of a Markdown table with a column of kinds; the longest other cell is the requirement."""
    found = []
    for line in said.splitlines():
        if not (line.strip().startswith("|") and line.strip().endswith("|")):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        kinds = [cell for cell in cells if kind_of(cell)]
        others = [cell for cell in cells if not kind_of(cell)]
        if kinds and others and len(max(others, key=len)) > 0:
            found.append(Proposal(kind_of(kinds[0]), max(others, key=len)))
    return found

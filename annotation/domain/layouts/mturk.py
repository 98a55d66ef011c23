"""Mechanical Turk: the CSV of a batch, with what was shown (Input.*) and what was answered (Answer.*).

A question with one box per option stands in columns Answer.question.option, true or false.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import as_key
from annotation.domain.layouts.columns import rating_columns
from annotation.domain.layouts.layout import (
    PARAGRAPH,
    Known,
    Layout,
    Skipped,
    chosen,
    column,
    every,
    row,
    skipped,
)
from annotation.domain.moments import as_iso
from annotation.domain.records import Record
from annotation.domain.sentences import say

ABOUT = (
    "HITId",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "WorkTimeInSeconds",
)
INPUT, ANSWER = "Input.", "Answer."

BREAK = re.compile(r"<br ?/?>\n?", re.IGNORECASE)
PARAGRAPHS = re.compile(r"\s*(?:<p>[^<>]*</p>\s*)+", re.IGNORECASE)
ONE = re.compile(r"<p>([^<>]*)</p>", re.IGNORECASE)


def _assignments(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        if as_key(record.values.get("AssignmentStatus")).lower() == "rejected":
            yield skipped(record, say("the assignment was rejected"))
            continue
        times = (as_iso(record.values.get(name)) for name in ("SubmitTime", "AcceptTime"))
        values: dict[str, object] = {name: record.values.get(name) for name in ABOUT}
        values["at"] = next((time for time in times if time), "")
        for name, value in record.values.items():
            if name.startswith(INPUT):
                values[name] = unwrapped(value) if isinstance(value, str) else value
        yield row(record, {**values, **_answers(record)})


def _answers(record: Record) -> dict[str, object]:
    """The answers, those with a box per option as one column."""
    answers: dict[str, object] = {}
    boxes: dict[str, dict[str, object]] = {}
    for name, value in record.values.items():
        if not name.startswith(ANSWER):
            continue
        question, dot, option = name.removeprefix(ANSWER).partition(".")
        if dot and as_key(value).lower() in ("true", "false"):
            boxes.setdefault(f"{ANSWER}{question}", {})[option] = value
        else:
            answers[name] = value
    return {**answers, **{name: chosen(options) for name, options in boxes.items()}}


def unwrapped(text: str) -> str:
    """The paragraphs of a text that is nothing but <p> and <br>; any other text as it is."""
    broken = BREAK.sub("\n", text)
    if PARAGRAPHS.fullmatch(broken):
        return PARAGRAPH.join(html.unescape(one) for one in ONE.findall(broken))
    if broken != text and "<" not in broken and ">" not in broken:
        return html.unescape(broken)
    return text


def _known(flat: Sequence[Record], names: Sequence[str]) -> Known:
    ratings = [name for name in rating_columns(flat) if name.startswith(ANSWER)]
    known: Known = {"annotator": column("WorkerId"), "at": column("at")}
    return {**known, "score": column(ratings[0])} if ratings else known


def _fits(samples: Sequence[Record]) -> bool:
    return every(samples, "HITId", "AssignmentId", "WorkerId", "AssignmentStatus")


MTURK = Layout(
    key="mturk",
    name=say("Mechanical Turk, results of a batch"),
    fits=_fits,
    unfold=_assignments,
    known=_known,
    notes=(
        say("Rejected assignments are left out"),
        say("Texts that are nothing but HTML paragraphs are taken without the tags"),
    ),
)

"""Votes on pairs of responses to one prompt, as files bring them.

A vote is an act like a score (`scoring.ScoreRow`), on a pair in place of a response: the ids of the pair, sorted, with
NUL between them. Its `score` says which is better: 0 none, 1 the first of these, 2 the other. So the same rules put
several acts in order. `swapped` keeps that the other one was shown first; it makes no other vote.
"""

from datetime import datetime
from typing import Literal

from annotation.domain.records import InputError, Record
from annotation.domain.scoring import ScoreRow
from annotation.domain.sentences import Said, say
from annotation.domain.strict_json import shown

Preferred = Literal["a", "b", "tie"]
JOIN = "\0"  # stands in no id
PREFERENCES: dict[str, Preferred] = {"first": "a", "second": "b", "tie": "tie"}


def vote_row(record: Record) -> ScoreRow:
    """The vote of a row with first, second, annotator and preferred; InputError where it is none."""
    first, second = record.identifier("first"), record.identifier("second")
    if first == second:
        reason = say("'{id}' stands on both sides; only two responses can be compared", id=first)
        raise record.error("second", reason)
    preferred = record.values.get("preferred")
    if not isinstance(preferred, str) or preferred not in PREFERENCES:
        given = shown(record.values.get("given"))
        raise record.error("preferred", say("{value} does not say which response is better", value=given))
    return vote(
        first,
        second,
        annotator=record.identifier("annotator"),
        preferred=PREFERENCES[preferred],
        at=record.instant("at"),
        justification=record.text("justification", required=False),
        line=record.line,
    )


def vote(
    first: str,
    second: str,
    *,
    annotator: str,
    preferred: str,
    at: datetime | None = None,
    justification: str = "",
    line: int = 0,
) -> ScoreRow:
    """A vote on two responses in the order in which they were shown."""
    swapped = second < first
    better = {"tie": 0, "a": 2 if swapped else 1, "b": 1 if swapped else 2}[preferred]
    return ScoreRow(
        JOIN.join(sorted((first, second))), annotator, better, at, justification, line=line, swapped=swapped
    )


def pair_of(row: ScoreRow) -> tuple[str, str]:
    """The two responses in the order in which they were shown."""
    one, other = row.response_id.split(JOIN)
    return (other, one) if row.swapped else (one, other)


def preferred_of(row: ScoreRow) -> Preferred:
    """Which of `pair_of` is better."""
    if not row.score:
        return "tie"
    return "a" if (row.score == 1) != row.swapped else "b"


def told(error: InputError) -> Said:
    """What `scoring.additions` refuses of scores, said of votes."""
    values = dict(error.reason.values) if isinstance(error.reason, Said) else {}
    first, second = str(values.get("response", JOIN)).split(JOIN)
    about = {"annotator": values.get("annotator", ""), "first": first, "second": second}
    if error.column == "at":
        return say(
            "'{annotator}' has a later vote on '{first}' and '{second}' stored already; "
            "an earlier one cannot be put before it, so leave this row out",
            **about,
        )
    if error.column == "justification":
        return say(
            "'{annotator}' justifies the vote on '{first}' and '{second}' in several ways, and the times do not say "
            "which is later; keep one or give each its time (at)",
            **about,
        )
    if "line" in values:
        return say(
            "'{annotator}' votes otherwise on '{first}' and '{second}' on line {line}, and the times do not say which "
            "is later; keep one",
            **about,
            line=values["line"],
        )
    return say(
        "'{annotator}' votes otherwise on '{first}' and '{second}' as stored, and the times do not say which is later; "
        "leave this row out",
        **about,
    )

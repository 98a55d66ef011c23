"""Loops, walls of signs, and long passages that stand twice; not refrains, dividers and tables."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from annotation.domain.sentences import say
from annotation.domain.triage.findings import Case, Finding, place, quote

GRAM = 16  # characters that must agree before two places count as copies

LOOP = 200  # characters that run in a loop, at least
LOOP_TIMES = 4  # how often the unit stands there, at least
SHORT_LOOP = 60  # characters of a loop that is nearly the whole text
SHORT_LOOP_TIMES = 8
FEWEST_AGAIN = SHORT_LOOP - SHORT_LOOP // SHORT_LOOP_TIMES - GRAM
SHORT_LOOP_SHARE = 80  # percent of the text
RULED = 1_000  # characters of a loop of signs that people draw lines with

WALL = 300  # signs in a row that are neither letters nor digits
LINES = 12  # lines, from which their repetition is judged
DISTINCT_LINES = 35  # percent; a pantoum, which says each line twice, has 50
SHARE_GRAM = 8
SHARE_FROM = 300  # characters, from which the share of new sequences is judged
DISTINCT_GRAMS = 35  # percent
COMPRESSED = 40  # percent of its bytes; prose needs 40 to 60
PASSAGE = 400  # characters of a passage that stands twice; fewer are a refrain
PASSAGE_DENSE = 240  # the same in a script in which a character is a syllable or a word

VISIBLE = regex.compile(r"[^\s\-_=─━—–|:.·…*+~#<>/\\]")
# The look-behind lets each run be tried once.
SIGNS = regex.compile(rf"(?<![^\p{{L}}\p{{N}}])[^\p{{L}}\p{{N}}]{{{WALL},}}")
RULE = regex.compile(r"[\s\-_=─━—–|:.·…*+~#]{4,}")
WORDY = regex.compile(r"\p{L}")
DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


@dataclass(frozen=True, slots=True)
class Copy:
    """text[start:end] is what stands `distance` characters before it."""

    start: int
    end: int
    distance: int


def repetition(case: Case) -> Finding | None:
    text = case.text
    # Fewer sequences than that occur again even in the shortest loop, so most texts need no closer look.
    copies = list(_copies(text)) if _again(text, GRAM) >= FEWEST_AGAIN else []
    return _loop(text, copies) or _wall(text) or _lines(text) or _share(text) or _passage(text, copies)


def _again(text: str, size: int) -> int:
    """How many sequences of this size have stood before."""
    total = max(0, len(text) - size + 1)
    return total - len({text[at : at + size] for at in range(total)})


def _copies(text: str) -> Iterator[Copy]:
    """Stretches of more than GRAM characters that repeat what stands at one distance before them, in order."""
    latest: dict[str, int] = {}
    start = distance = 0
    current: Copy | None = None
    for at in range(len(text) - GRAM + 2):
        # One step past the last sequence closes the last stretch.
        gram = text[at : at + GRAM]
        back = at - latest.get(gram, at) if len(gram) == GRAM else 0
        latest[gram] = at
        if back == distance:
            continue
        if distance:
            piece = Copy(start, at + GRAM - 1, distance)
            # A run breaks where one of its sequences stands nearer as well; its pieces touch.
            if current and current.distance == distance and start <= current.end:
                current = Copy(current.start, piece.end, distance)
            else:
                if current:
                    yield current
                current = piece
        start, distance = at, back
    if current:
        yield current


def _loop(text: str, copies: list[Copy]) -> Finding | None:
    for copy in copies:
        begin = copy.start - copy.distance
        length = copy.end - begin
        times = length // copy.distance
        if times < LOOP_TIMES or not _is_loop(text, text[begin : begin + copy.distance], length, times):
            continue
        return Finding(
            "repetition",
            say(
                "a loop of {length} characters, {times} times the same, from character {place} on: {evidence}",
                length=length,
                times=times,
                place=place(begin),
                evidence=quote(text, begin, copy.end),
            ),
        )
    return None


def _is_loop(text: str, unit: str, length: int, times: int) -> bool:
    if not unit.strip():
        return False
    if not VISIBLE.search(unit):
        return length >= RULED and 2 * length >= len(text)
    if length >= LOOP:
        return True
    whole = 100 * length >= SHORT_LOOP_SHARE * len(text.strip())
    return whole and length >= SHORT_LOOP and times >= SHORT_LOOP_TIMES


def _wall(text: str) -> Finding | None:
    for match in SIGNS.finditer(text):
        start, end = match.span()
        if len(VISIBLE.findall(text, start, end)) < WALL:
            continue
        return Finding(
            "repetition",
            say(
                "a wall of {length} signs without a letter, from character {place} on: {evidence}",
                length=end - start,
                place=place(start),
                evidence=quote(text, start, end),
            ),
        )
    return None


def _lines(text: str) -> Finding | None:
    lines = [line.strip() for line in text.splitlines() if WORDY.search(line)]
    distinct = len(set(lines))
    if len(lines) < LINES or 100 * distinct >= DISTINCT_LINES * len(lines):
        return None
    common = max(sorted(set(lines)), key=lines.count) if distinct <= LINES else lines[-1]
    return Finding(
        "repetition",
        say(
            "only {distinct} of {lines} lines differ; one of them stands first at character {place}: {evidence}",
            distinct=distinct,
            lines=len(lines),
            place=place(text.find(common)),
            evidence=quote(common, 0, len(common)),
        ),
    )


def _share(text: str) -> Finding | None:
    """The share of character sequences that are new, after dividers and tables are shortened."""
    if not _compresses(text):
        return None
    body = RULE.sub(" ", text)
    total = len(body) - SHARE_GRAM + 1
    again = _again(body, SHARE_GRAM)
    if total < SHARE_FROM or 100 * (total - again) >= DISTINCT_GRAMS * total:
        return None
    return Finding(
        "repetition",
        say(
            "only {percent} percent of its sequences of {size} characters are new; it ends: {evidence}",
            percent=100 * (total - again) // total,
            size=SHARE_GRAM,
            evidence=quote(text, max(0, len(text) - 60), len(text)),
        ),
    )


def _compresses(text: str) -> bool:
    """Whether zlib finds so much said again that counting is worth its while."""
    written = text.encode("utf-8", "surrogatepass")
    return 100 * len(zlib.compress(written, 1)) < COMPRESSED * len(written)


def _passage(text: str, copies: list[Copy]) -> Finding | None:
    for copy in copies:
        passage = text[copy.start : copy.end]
        dense = 2 * len(DENSE.findall(passage)) > len(passage)
        if len(VISIBLE.findall(passage)) < (PASSAGE_DENSE if dense else PASSAGE):
            continue
        return Finding(
            "repetition",
            say(
                "a passage of {length} characters at character {place} stands there a second time: {evidence}",
                length=len(passage),
                place=place(copy.start),
                evidence=quote(text, copy.start, copy.end),
            ),
        )
    return None

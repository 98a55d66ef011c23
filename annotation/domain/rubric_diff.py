"""What differs between two versions of a rubric, word by word, in each language.

Texts are compared by lines first, then by words where lines differ: Myers, E. W. (1986), An O(ND) difference
algorithm and its variations, Algorithmica 1, 251-266. It is given up beyond MAX_STEPS differences, so that any
two texts are compared in bounded time; the rest then counts as replaced as a whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import regex

from annotation.domain.rubrics import LANGUAGES, CriterionContent, LevelContent, RubricContent, Texts

MAX_STEPS = 600
SHORT = 2  # characters

# A Chinese character, a word, a line end or any other character; each with the blanks behind it, which do not
# count when two are compared.
TOKEN = regex.compile(
    r"\p{Han}[^\S\n]*|(?:(?!\p{Han})[\p{L}\p{M}\p{N}'’])+[^\S\n]*|\n|[^\S\n]+|[^\s\p{L}\p{M}\p{N}][^\S\n]*"
)
LINE = regex.compile(r"[^\n]*\n|[^\n]+")

Kind = Literal["equal", "inserted", "deleted"]
State = Literal["changed", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A level (`value`) or a criterion (`genre`, `key`) that differs. `name` is the newer one, else the older.

    `parts` are its texts: name, description and comparison of a level, name and question of a criterion. A text
    that is the same in both versions is one equal piece; one that is empty in both is ().
    """

    state: State
    name: str
    parts: tuple[tuple[Piece, ...], ...]
    value: int | None = None
    genre: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class LanguageDifferences:
    """`reordered` holds genres whose criteria stand in another order; `guideline` is () where it is the same."""

    language: str
    levels: tuple[Difference, ...]
    criteria: tuple[Difference, ...]
    reordered: tuple[str, ...]
    guideline: tuple[Piece, ...]

    @property
    def any(self) -> bool:
        return bool(self.levels or self.criteria or self.reordered or self.guideline)


def differences(older: RubricContent, newer: RubricContent) -> tuple[LanguageDifferences, ...]:
    return tuple(_in(language, older, newer) for language in LANGUAGES)


def _in(language: str, older: RubricContent, newer: RubricContent) -> LanguageDifferences:
    old_text, new_text = (content.guideline.get(language, "") for content in (older, newer))
    return LanguageDifferences(
        language=language,
        levels=tuple(_levels(language, older, newer)),
        criteria=tuple(_criteria(language, older, newer)),
        reordered=tuple(_reordered(older, newer)),
        guideline=pieces(old_text, new_text) if old_text != new_text else (),
    )


def _levels(language: str, older: RubricContent, newer: RubricContent) -> Iterator[Difference]:
    before = {level.value: _texts_of_level(level, language) for level in older.levels}
    after = {level.value: _texts_of_level(level, language) for level in newer.levels}
    for value in sorted({*before, *after}, reverse=True):
        found = _difference(before.get(value, ()), after.get(value, ()), value=value)
        if found:
            yield found


def _criteria(language: str, older: RubricContent, newer: RubricContent) -> Iterator[Difference]:
    """Those of the newer version in its order, then those that are gone."""
    before, after = (
        {
            (criterion.genre, criterion.key): _texts_of_criterion(criterion, language)
            for criterion in content.criteria
        }
        for content in (older, newer)
    )
    for genre, key in {**after, **before}:
        identity = (genre, key)
        found = _difference(before.get(identity, ()), after.get(identity, ()), genre=genre, key=key)
        if found:
            yield found


def _texts_of_level(level: LevelContent, language: str) -> tuple[str, ...]:
    return _texts(language, level.name, level.description, level.comparison)


def _texts_of_criterion(criterion: CriterionContent, language: str) -> tuple[str, ...]:
    return _texts(language, criterion.name, criterion.question)


def _texts(language: str, *parts: Texts) -> tuple[str, ...]:
    """() where nothing is written in this language."""
    found = tuple(texts.get(language, "") for texts in parts)
    return found if any(found) else ()


def _difference(
    before: tuple[str, ...],
    after: tuple[str, ...],
    *,
    value: int | None = None,
    genre: str = "",
    key: str = "",
) -> Difference | None:
    if before == after:
        return None
    nothing = ("",) * max(len(before), len(after))
    old, new = before or nothing, after or nothing
    state: State = "changed" if before and after else "added" if after else "removed"
    parts = tuple(pieces(one, other) for one, other in zip(old, new, strict=True))
    return Difference(state, new[0] or old[0], parts, value, genre, key)


def _reordered(older: RubricContent, newer: RubricContent) -> Iterator[str]:
    """Genres in which the criteria that stand in both versions do so in another order."""
    before, after = (
        [(criterion.genre, criterion.key) for criterion in content.criteria] for content in (older, newer)
    )
    for genre in dict.fromkeys(genre for genre, _ in after):
        kept = [one for one in before if one[0] == genre and one in after]
        if kept != [one for one in after if one[0] == genre and one in before]:
            yield genre


# --- Two texts -----------------------------------------------------------------------------------


def pieces(older: str, newer: str) -> tuple[Piece, ...]:
    """The newer text with what is new and what is gone marked in it; neighbours are of different kinds.

    The equal and inserted pieces together are the newer text.
    """
    if older == newer:
        return (Piece("equal", newer),) if newer else ()
    found = [
        piece
        for kind, old, new in _runs(LINE.findall(older), LINE.findall(newer))
        for piece in ([(kind, "".join(new))] if kind == "equal" else _words("".join(old), "".join(new)))
    ]
    if all(kind == "equal" for kind, text in found if text):  # blanks alone differ
        found = [("deleted", older), ("inserted", newer)]
    return _merged(found)


def _words(older: str, newer: str) -> Iterator[tuple[Kind, str]]:
    """Differences between two blocks of lines. A character or two between changes is no place to rest the eye."""
    runs = [*_runs(TOKEN.findall(older), TOKEN.findall(newer), stripped=True)]
    gone = come = blanks = ""
    for place, (kind, old, new) in enumerate(runs):
        at_an_end = place in (0, len(runs) - 1)
        if kind == "equal" and (at_an_end or len("".join(new).strip()) > SHORT):
            yield "deleted", gone
            yield "inserted", come
            yield "equal", "".join(new)
            gone = come = ""
            # Behind what both have stand the newer text's blanks; what is gone brings its own along.
            blanks = _blanks_behind(old[-1]) if not _blanks_behind(new[-1]) else ""
        else:
            gone, come = gone + blanks + "".join(old), come + "".join(new)
            blanks = ""
    yield "deleted", gone
    yield "inserted", come


def _blanks_behind(word: str) -> str:
    return word[len(word.rstrip(" ")) :]


def _merged(found: Sequence[tuple[Kind, str]]) -> tuple[Piece, ...]:
    filled = [(kind, text) for kind, text in found if text]
    return tuple(
        Piece(kind, "".join(text for _, text in group))
        for kind, group in groupby(filled, key=lambda piece: piece[0])
    )


def _runs(
    old: Sequence[str], new: Sequence[str], *, stripped: bool = False
) -> Iterator[tuple[Literal["equal", "changed"], Sequence[str], Sequence[str]]]:
    """Alternating stretches of both: equal ones, and changed ones in which either side may be empty."""
    old_keys, new_keys = ([_key(token) if stripped else token for token in side] for side in (old, new))
    i = j = 0
    for x, y, length in [*_matches(old_keys, new_keys), (len(old), len(new), 0)]:
        if (i, j) != (x, y):
            yield "changed", old[i:x], new[j:y]
        if length:
            yield "equal", old[x : x + length], new[y : y + length]
        i, j = x + length, y + length


def _key(word: str) -> str:
    return word if word == "\n" else word.strip() or " "


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Stretches that both have, as (place in old, place in new, length), in order."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    inner = _myers(old[head : len(old) - tail], new[head : len(new) - tail])
    shifted = [(x + head, y + head, length) for x, y, length in inner]
    ends = [(0, 0, head)] if head else []
    return [*ends, *shifted, *([(len(old) - tail, len(new) - tail, tail)] if tail else [])]


def _myers(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """The matches of a shortest edit script; [] where it takes more than MAX_STEPS insertions and deletions."""
    if not old or not new:
        return []
    reached = {1: 0}  # by diagonal (x - y), the furthest x
    trace = []
    for step in range(MAX_STEPS + 1):
        trace.append(dict(reached))
        for diagonal in range(-step, step + 1, 2):
            x = _start(reached, diagonal, step)
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            reached[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return _backwards(trace, x, diagonal)
    return []


def _inserts(reached: dict[int, int], diagonal: int, step: int) -> bool:
    """Whether the furthest path comes to this diagonal by an insertion; else it does so by a deletion."""
    return diagonal == -step or (diagonal != step and reached[diagonal - 1] < reached[diagonal + 1])


def _start(reached: dict[int, int], diagonal: int, step: int) -> int:
    """The x at which the path on this diagonal begins in this step."""
    return reached[diagonal + 1] if _inserts(reached, diagonal, step) else reached[diagonal - 1] + 1


def _backwards(trace: Sequence[dict[int, int]], x: int, diagonal: int) -> list[tuple[int, int, int]]:
    """The stretches of equals along the path that ends at (x, x - diagonal)."""
    found = []
    for step in range(len(trace) - 1, -1, -1):
        start = _start(trace[step], diagonal, step)
        if x > start:
            found.append((start, start - diagonal, x - start))
        diagonal += 1 if _inserts(trace[step], diagonal, step) else -1
        x = trace[step][diagonal]
    return found[::-1]

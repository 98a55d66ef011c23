"""What is wrong with predictions, one entry for each thing that is, and how many there are of each kind.

    missing        asked for by the release, and not in the file
    extra          in the file, and not of the release; it counts nowhere
    unused         of a response that the release holds, but in none of the pairs; it counts nowhere
    duplicate      said again on a later line, in the same words; it counts once
    contradictory  said again on a later line, otherwise: neither counts, as if it were missing
    non_finite     NaN, an infinity or null in place of a number, or null in place of a ranking
    no_verdict     null in place of a choice
    wrong_texts    a ranking that is none of the texts of its prompt, or a choice between others than the pair's

Whatever leaves a pair, or a prompt, without an answer makes it wrong; nothing is taken out of what is counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

Kind = Literal[
    "missing", "extra", "unused", "duplicate", "contradictory", "non_finite", "no_verdict", "wrong_texts"
]

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_LISTED = 1000  # of each kind; the counts are of all


@dataclass(frozen=True, slots=True)
class Problem:
    """`id` is that of the response, the pair or the prompt, `first` the response shown first where it matters; `line`
    is where it stands, None of what is missing."""

    kind: Kind
    id: str
    line: int | None = None
    first: str = ""

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Problems:
    """All of a file, by kind, then by line, then by id as bytes."""

    every: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Problem]) -> "Problems":
        return cls(tuple(sorted(found, key=_place)))

    def counts(self) -> dict[str, int]:
        """By kind, zeros too."""
        counted = Counter(problem.kind for problem in self.every)
        return {kind: counted[kind] for kind in KINDS}

    def listed(self, most: int = MOST_LISTED) -> Iterator[Problem]:
        """So many of each kind at most."""
        seen: Counter[str] = Counter()
        for problem in self.every:
            seen[problem.kind] += 1
            if seen[problem.kind] <= most:
                yield problem

    def as_dict(self) -> dict[str, object]:
        listed: Sequence[dict[str, object]] = [problem.as_dict() for problem in self.listed()]
        return {"counts": self.counts(), "listed": listed, "unlisted": len(self.every) - len(listed)}


def _place(problem: Problem) -> tuple[int, int, str, str]:
    return KINDS.index(problem.kind), problem.line or 0, problem.id, problem.first

"""Who sits on which prompt's panel. The same people score every response to a prompt, so that its pairs compare.

Panels are composed so that everybody reads about as long as the others, and shares prompts with as many of the
others as can be: agreement is measured where people meet.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from math import lcm

from annotation.domain.reach import ANYTHING, Reach, covers, primary
from annotation.domain.sentences import Said, say

NOTHING: Mapping[int, Mapping[int, int]] = {}

Seats = Mapping[int, int]  # of one prompt: annotator by seat, from 1
Pair = tuple[int, int]  # of annotators, the smaller id first


@dataclass(frozen=True, slots=True)
class PromptLoad:
    """A prompt and the minutes it takes one person to read it with its responses; language is a BCP 47 tag."""

    id: int
    language: str  # "" where unknown: then anybody may read it
    minutes: Fraction
    genre: int | None = None  # its macro-category


@dataclass(frozen=True, slots=True)
class Candidate:
    """An annotator, the languages and genres in which they work, and what they have to read already."""

    id: int
    reach: Reach = field(default_factory=lambda: ANYTHING)
    minutes: Fraction = Fraction(0)

    def reads(self, language: str, genre: int | None = None) -> bool:
        return covers(self.reach, language, genre)


@dataclass(frozen=True, slots=True)
class Uncovered:
    prompt: int
    reason: Said


@dataclass(frozen=True, slots=True)
class Composition:
    """Panels of annotators by prompt, in the order of the seats; and the prompts that got none, with the reason."""

    panels: Mapping[int, tuple[int, ...]]
    uncovered: tuple[Uncovered, ...]


def compose(
    prompts: Sequence[PromptLoad],
    annotators: Sequence[Candidate],
    *,
    seats: int,
    seed: str,
    kept: Mapping[int, Seats] = NOTHING,
) -> Composition:
    """Panels of `seats` different annotators who work in the prompt's language and genre. `kept` seats stay.

    Longest prompt first, those that few can read before the others; then seats change hands until nobody holds one
    that somebody else could take who is behind by more than the prompt's minutes. Within a pool of people who read the
    same, the most loaded so ends up at most one prompt ahead of the least loaded, if they began level. What is equally
    good is decided by a hash of seed and ids, so the outcome depends on nothing else, nor on the order of the input.
    """
    kinds = {_kind(prompt) for prompt in prompts} | {(prompt.language, None) for prompt in prompts}
    readers = {each: frozenset(one.id for one in annotators if one.reads(*each)) for each in kinds}
    table = _Table(prompts, annotators, seats=seats, seed=seed, kept=kept)
    full, uncovered = {}, []
    for prompt in sorted(
        prompts, key=lambda one: (len(readers[_kind(one)]), -one.minutes, table.lot(one.id))
    ):
        able = readers[_kind(prompt)] | table.seated(prompt.id)
        missing = _missing(prompt, able, readers[prompt.language, None], seats=seats)
        if missing:
            uncovered.append(Uncovered(prompt.id, missing))
        else:
            full[prompt.id] = readers[_kind(prompt)]
            table.fill(prompt.id, readers[_kind(prompt)])
    while sum(table.even_out(prompt, pool) for prompt, pool in full.items()):
        continue  # over all prompts again, until no seat changes hands
    panels = {prompt: table.panel(prompt) for prompt in sorted(full)}
    return Composition(panels, tuple(sorted(uncovered, key=lambda one: one.prompt)))


def _kind(prompt: PromptLoad) -> tuple[str, int | None]:
    return prompt.language, prompt.genre


def meetings(panels: Iterable[Iterable[int]]) -> Counter[Pair]:
    """On how many panels each two annotators sit together."""
    together: Counter[Pair] = Counter()
    for panel in panels:
        members = sorted(panel)
        together.update((one, other) for at, one in enumerate(members) for other in members[at + 1 :])
    return together


def _missing(prompt: PromptLoad, able: frozenset[int], readers: frozenset[int], *, seats: int) -> Said | None:
    """Why the empty seats cannot be filled; None where they can. `readers` are those of the language, in any genre."""
    if len(able) >= seats:
        return None
    language = primary(prompt.language)
    if len(readers) >= seats:
        return say(
            "only {count} of the {seats} annotators needed work in this genre", count=len(able), seats=seats
        )
    if not language:
        return say("only {count} of the {seats} annotators needed take part", count=len(able), seats=seats)
    if not able:
        return say("no annotator reads {language}", language=language)
    return say(
        "only {count} of the {seats} annotators needed read {language}",
        count=len(able),
        seats=seats,
        language=language,
    )


class _Table:
    """The seats as they fill up: what each annotator has to read by now, and whom they have met how often."""

    def __init__(
        self,
        prompts: Sequence[PromptLoad],
        annotators: Sequence[Candidate],
        *,
        seats: int,
        seed: str,
        kept: Mapping[int, Seats],
    ) -> None:
        self.seats = seats
        self.seed = seed
        # In whole parts of a minute, because sums of fractions are slow.
        given = [*(prompt.minutes for prompt in prompts), *(person.minutes for person in annotators)]
        parts = lcm(*(minutes.denominator for minutes in given))
        self.minutes = {prompt.id: int(prompt.minutes * parts) for prompt in prompts}
        self.taken = Counter({person.id: int(person.minutes * parts) for person in annotators})
        self.held: dict[int, dict[int, int]] = {}
        for prompt in prompts:
            self.held[prompt.id] = {n: one for n, one in kept.get(prompt.id, {}).items() if 1 <= n <= seats}
            for annotator in self.held[prompt.id].values():
                self.taken[annotator] += self.minutes[prompt.id]
        self.kept = {prompt: frozenset(inside) for prompt, inside in self.held.items()}
        self.met = meetings(seats.values() for seats in self.held.values())
        # The longest prompt of each pool of readers: how far apart their loads may be.
        self.longest: dict[frozenset[int], int] = {}

    def lot(self, *ids: int) -> bytes:
        """Decides between equals."""
        return blake2b("\0".join((self.seed, *map(str, ids))).encode(), digest_size=8).digest()

    def seated(self, prompt: int) -> frozenset[int]:
        return frozenset(self.held[prompt].values())

    def panel(self, prompt: int) -> tuple[int, ...]:
        return tuple(self.held[prompt][seat] for seat in range(1, self.seats + 1))

    def fill(self, prompt: int, pool: frozenset[int]) -> None:
        """Give the empty seats to those who have least to read, and among the nearly equal to those who met least.

        Whoever is at most `slack` ahead of the least loaded may be chosen: that keeps all within the longest prompt
        of each other, and shrinks with the prompts, so that the last ones even out what the first left.
        """
        longest = self.longest.setdefault(pool, self.minutes[prompt])  # prompts come longest first
        slack = min(longest - self.minutes[prompt], self.minutes[prompt])
        waiting = set(pool - self.seated(prompt))
        reach = min((self.taken[one] for one in waiting), default=0) + slack
        for seat in range(1, self.seats + 1):
            if seat not in self.held[prompt]:
                chosen = self._best(prompt, waiting, reach)
                waiting.discard(chosen)
                self._seat(prompt, seat, chosen)

    def _best(self, prompt: int, waiting: set[int], reach: int) -> int:
        limit = max(reach, min(self.taken[one] for one in waiting))
        others = self.seated(prompt)
        ranks = {
            one: (sum(self.met[_pair(one, other)] for other in others), self.taken[one])
            for one in waiting
            if self.taken[one] <= limit
        }
        first = min(ranks.values())
        equal = [one for one, rank in ranks.items() if rank == first]
        return min(equal, key=lambda one: self.lot(prompt, one))

    def even_out(self, prompt: int, pool: frozenset[int]) -> bool:
        """Hand seats of this prompt to people who are far behind their holders; tells whether any was.

        The sum of the squared loads falls each time, so this comes to an end.
        """
        minutes = self.minutes[prompt]
        seats = [seat for seat in sorted(self.held[prompt]) if seat not in self.kept[prompt]]
        changed = False
        for seat in seats:
            holder = self.held[prompt][seat]
            waiting = pool - self.seated(prompt)
            least = min((self.taken[one] for one in waiting), default=self.taken[holder])
            if minutes and self.taken[holder] - least > minutes:
                self._clear(prompt, seat)
                self._seat(prompt, seat, self._best(prompt, set(waiting), least))
                changed = True
        return changed

    def _seat(self, prompt: int, seat: int, annotator: int) -> None:
        self.met.update(_pair(annotator, other) for other in self.seated(prompt))
        self.held[prompt][seat] = annotator
        self.taken[annotator] += self.minutes[prompt]

    def _clear(self, prompt: int, seat: int) -> None:
        annotator = self.held[prompt].pop(seat)
        self.met.subtract(_pair(annotator, other) for other in self.seated(prompt))
        self.taken[annotator] -= self.minutes[prompt]


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)

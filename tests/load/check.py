"""Whether every response has its scores, each once and by somebody else, and nothing acknowledged is lost."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PEOPLE = 3  # annotators of a response


@dataclass(frozen=True, slots=True)
class Verdict:
    scores: int
    over_assigned: int  # responses with more counted scores than slots
    incomplete: int  # responses with fewer, of a run that went to its end
    twice: int  # scores of one annotator for one response beyond the first
    lost: int  # acknowledged, and not stored as it was sent
    unacknowledged: int  # stored, and the answer did not arrive: allowed

    @property
    def is_sound(self) -> bool:
        return not (self.over_assigned or self.twice or self.lost)


def check(
    acknowledged: Iterable[tuple[str, int]],
    *,
    scores: Sequence[tuple[int, int, int, str, int]],
    leases: Iterable[tuple[str, int, int]],
    responses: int,
) -> Verdict:
    """`scores`: (response, annotator, value, standing, revision); `leases`: (token, response, annotator)."""
    counted = Counter(
        response for response, _annotator, _value, standing, _revision in scores if standing == "counted"
    )
    of_person = Counter((response, annotator) for response, annotator, *_rest in scores)
    held = {(response, annotator): value for response, annotator, value, *_rest in scores}
    place_of = {token: (response, annotator) for token, response, annotator in leases}
    sent = list(acknowledged)
    return Verdict(
        scores=len(scores),
        over_assigned=sum(number > PEOPLE for number in counted.values()),
        incomplete=responses - sum(number >= PEOPLE for number in counted.values()),
        twice=sum(number - 1 for number in of_person.values()),
        lost=sum(held.get(place_of.get(token)) != value for token, value in sent),
        unacknowledged=len(scores) - len({place_of.get(token) for token, _value in sent}),
    )

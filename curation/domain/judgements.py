"""Judgements as a release publishes them: one current score a row, its annotator under a pseudonym."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import overload

from annotation.domain.current_scores import AT_A_TIME, CurrentScores
from annotation.domain.scoring import CurrentScore


@dataclass(frozen=True)  # without slots, which orjson writes half as fast
class Judgement:
    """The score of one annotator for one response that counts. `annotator` is a pseudonym; `at` is a moment as
    moment() writes it. A release has these fields, in this order."""

    response_id: str
    prompt_id: str
    annotator: str
    score: int
    at: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class JudgementsOfFile(Sequence[Judgement]):
    """The scores of a file as judgements() has them, each made when it is asked for. `prompts` are those of
    scores.responses."""

    scores: CurrentScores
    prompts: Sequence[str]

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> Judgement: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Judgement]: ...
    def __getitem__(self, place: int | slice) -> Judgement | Sequence[Judgement]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        at = range(len(self))[place]
        (judgement,) = self._made(at, at + 1)
        return judgement

    def __iter__(self) -> Iterator[Judgement]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._made(start, start + AT_A_TIME)

    def _made(self, start: int, stop: int) -> Iterator[Judgement]:
        # Pseudonyms stand in the order of the names, and so the rows in theirs already.
        names = pseudonyms(self.scores.annotators)
        prompts = (self.prompts[place] for place in self.scores.of[start:stop].tolist())
        for prompt, (score, at) in zip(prompts, self.scores.made(start, stop), strict=True):
            yield Judgement(score.response_id, prompt, names[score.annotator], score.score, moment(at))


def moment(at: datetime | None) -> str:
    """ISO 8601 in UTC with a Z, such as 2026-03-01T13:30:00.000000Z; "" where it is not known. A moment without
    an offset is taken as UTC."""
    if at is None:
        return ""
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    # Without decimals a reader of JSON that guesses (Arrow) makes it a timestamp, and back another text.
    return aware.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def pseudonyms(names: Iterable[str]) -> dict[str, str]:
    """annotator-01, annotator-02, ... by name, in the order of the names' bytes; as many digits as needed.

    The names themselves never leave. Who knows all of them can tell who is who: a team for which that matters
    gives its annotators pseudonyms of its own.
    """
    ordered = sorted(set(names))
    digits = max(2, len(str(len(ordered))))
    return {name: f"annotator-{number:0{digits}}" for number, name in enumerate(ordered, start=1)}


def judgements(
    scores: Iterable[CurrentScore],
    *,
    prompts: Mapping[str, str],
    names: Mapping[str, str],
    moments: Mapping[tuple[str, str], str],
) -> list[Judgement]:
    """The scores, sorted by (response, pseudonym) as bytes.

    `prompts` gives the prompt of each response, `names` the pseudonym of each annotator, `moments` the moment of
    each (response, annotator) that has one.
    """
    found = (
        Judgement(
            response_id=score.response_id,
            prompt_id=prompts[score.response_id],
            annotator=names[score.annotator],
            score=score.score,
            at=moments.get((score.response_id, score.annotator), ""),
        )
        for score in scores
    )
    return sorted(found, key=lambda row: (row.response_id, row.annotator))

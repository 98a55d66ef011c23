"""Judgements as a release publishes them: one current score a row, its annotator under a pseudonym."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from annotation.domain.scoring import CurrentScore


@dataclass(frozen=True, slots=True)
class Judgement:
    """The score of one annotator for one response that counts. `annotator` is a pseudonym; `at` is a moment as
    moment() writes it. A release has these fields, in this order."""

    response_id: str
    prompt_id: str
    annotator: str
    score: int
    at: str = ""


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

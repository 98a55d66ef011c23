"""A response with every score of it and what was said for them, as a lead sees it."""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.text import unit_for
from annotation.models import Import, Membership, Response, Score
from annotation.queries.people import person_name
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import name_of
from annotation.queries.texts import language_tag, paragraphs


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The newest score of an annotator in a round. `counts` where it is curation data."""

    name: str
    pseudonym: str
    round: str
    purpose: str
    value: int
    earlier: tuple[int, ...]  # scores that it superseded, the oldest first
    justification: str
    at: datetime | None
    counts: bool


@dataclass(frozen=True, slots=True)
class ResponsePage:
    name: str
    prompt_name: str
    prompt: str
    paragraphs: tuple[str, ...]
    tag: str
    genre: str
    source_model: str
    is_removed: bool
    scores: tuple[ScoreLine, ...]

    @property
    def is_chinese(self) -> bool:
        return self.tag.startswith("zh")


def response_page(response: Response, *, language: str) -> ResponsePage:
    """`language` is the reader's, for the name of the genre."""
    prompt = response.prompt
    counts_characters = unit_for("auto", prompt.language, prompt.text, response.text) == "characters"
    return ResponsePage(
        name=response.external_id,
        prompt_name=prompt.external_id,
        prompt=prompt.text,
        paragraphs=paragraphs(response.text),
        tag=language_tag(prompt.language, counts_characters=counts_characters),
        genre=name_of(prompt.genre, language) if prompt.genre else "",
        source_model=response.source_model,
        is_removed=response.state == Response.State.REMOVED,
        scores=tuple(_lines(response)),
    )


def _lines(response: Response) -> list[ScoreLine]:
    """Live rounds first, then by time and pseudonym."""
    rows = (
        response.scores.exclude(source__state__in=[Import.State.UNDONE, Import.State.UNDOING])
        .select_related("annotator__user", "round")
        .order_by("round", "annotator", "revision")
    )
    histories: dict[tuple[int, int], list[Score]] = {}
    for score in rows:
        histories.setdefault((score.round_id, score.annotator_id), []).append(score)
    lines = [_line(history) for history in histories.values()]
    return sorted(lines, key=lambda line: (not line.counts, line.round, line.pseudonym))


def _line(history: list[Score]) -> ScoreLine:
    last = history[-1]
    member, work = last.annotator, last.round
    return ScoreLine(
        name=person_name(member.user),
        pseudonym=member.pseudonym,
        round=shown_name(work.name),
        purpose=work.get_purpose_display(),
        value=last.value,
        earlier=tuple(score.value for score in history[:-1]),
        justification=last.justification,
        at=last.at,
        counts=work.purpose == work.Purpose.LIVE
        and last.standing == Score.Standing.COUNTED
        and member.state != Membership.State.WITHDRAWN,
    )

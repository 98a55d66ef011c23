"""Texts with their consensus: worked examples, and an item once its trainee has locked a score of their own."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import QuerySet

from annotation.domain import mastery, text
from annotation.domain.citations import Piece, pieces
from annotation.domain.mastery import Closeness
from annotation.models import ConsensusItem, Lease, Qualification, Reflection, Response, Round, Score
from annotation.queries import courses, rubrics
from annotation.queries.people import person_name
from annotation.queries.rubrics import LevelText
from annotation.queries.texts import language_tag, paragraphs

Kind = ConsensusItem.Kind


@dataclass(frozen=True, slots=True)
class Share:
    """How many of those who agreed on the score gave `value` first."""

    value: int
    count: int
    total: int


@dataclass(frozen=True)
class AgreedText:
    """A text with all that is agreed about it."""

    genre: str
    tag: str
    prompt: str
    paragraphs: tuple[str, ...]
    consensus: int
    rationale: tuple[tuple[Piece, ...], ...]  # paragraph by paragraph
    levels: tuple[LevelText, ...]
    split: tuple[Share, ...]

    @cached_property
    def deciding(self) -> LevelText | None:
        """The description in the rubric that decides it."""
        return next((level for level in self.levels if level.value == self.consensus), None)

    @property
    def is_chinese(self) -> bool:
        return self.tag.startswith("zh")


@dataclass(frozen=True)
class Reveal:
    """What a trainee sees of an item once their own score is locked."""

    token: str
    number: int
    text: AgreedText
    own: int
    own_reason: str
    at: datetime
    closeness: Closeness
    reflection: str


def agreed_text(item: ConsensusItem, *, reader: str) -> AgreedText:
    response, prompt = item.response, item.response.prompt
    shown = paragraphs(response.text)
    lines = [line for line in item.rationale.splitlines() if line.strip()]
    counts = item.split if len(item.split) == 4 else [0, 0, 0, 0]
    return AgreedText(
        genre=rubrics.name_of(prompt.genre, reader) if prompt.genre else "",
        tag=tag_of(response),
        prompt=prompt.text,
        paragraphs=shown,
        consensus=item.value,
        rationale=tuple(pieces(line, paragraphs=len(shown)) for line in lines),
        levels=rubrics.level_texts(item.round.rubric, reader),
        split=tuple(Share(value, count, sum(counts)) for value, count in enumerate(counts) if count),
    )


def tag_of(response: Response) -> str:
    prompt = response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    return language_tag(prompt.language, counts_characters=unit == "characters")


def worked_items(held: Qualification) -> list[ConsensusItem]:
    work = courses.course_of(held)
    if work is None:
        return []
    return list(_items(work).filter(kind=Kind.WORKED, response__state=Response.State.ACTIVE))


def has_locked(lease: Lease) -> bool:
    return _own_scores(lease).exists()


def _own_scores(lease: Lease) -> QuerySet[Score]:
    return Score.objects.filter(
        round=lease.assignment.round_id, response=lease.assignment.response_id, annotator=lease.annotator_id
    )


def reveal(lease: Lease, *, reader: str) -> Reveal | None:
    """None where the text has no consensus. The lease came through access.locked_lease."""
    work = lease.assignment.round
    found = _items(work).filter(response=lease.assignment.response_id).first()
    if found is None:
        return None
    first = _own_scores(lease).order_by("revision")[0]
    earlier = work.scores.filter(annotator=lease.annotator, revision=1, pk__lte=first.pk)
    last = reflections(lease).first()
    return Reveal(
        token=lease.token,
        number=earlier.count(),
        text=agreed_text(found, reader=reader),
        own=first.value,
        own_reason=first.justification,
        at=first.at or first.recorded_at,
        closeness=mastery.closeness(first.value, found.value),
        reflection=last.text if last else "",
    )


def reflections(lease: Lease) -> QuerySet[Reflection]:
    """Of this trainee on this item, the last first."""
    return Reflection.objects.filter(
        round=lease.assignment.round_id, response=lease.assignment.response_id, annotator=lease.annotator_id
    ).order_by("-pk")


def _items(work: Round) -> QuerySet[ConsensusItem]:
    return work.consensus_items.select_related("round__rubric", "response__prompt__genre__parent")


@dataclass(frozen=True, slots=True)
class Meant:
    """What a trainee means to do differently after an item."""

    name: str
    text: str


def meant(work: Round, response: Response) -> list[Meant]:
    """The last of each trainee, for those who teach."""
    rows = Reflection.objects.filter(round=work, response=response).select_related("annotator__user")
    last = {each.annotator_id: each for each in rows.order_by("pk")}
    return [Meant(person_name(each.annotator.user), each.text) for each in last.values()]

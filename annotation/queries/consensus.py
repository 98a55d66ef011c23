"""Texts with an agreed score, as their authors see them; never for an annotator's page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from annotation.domain.reach import covers
from annotation.domain.text import unit_for
from annotation.models import Assignment, ConsensusItem, Project, Response, Round, Score
from annotation.queries.rubrics import name_of
from annotation.queries.scoring import language_tag, paragraphs

PEEK = 160  # characters of a text in a list
FOUND_A_PAGE = 20


@dataclass(frozen=True, slots=True)
class ItemLine:
    pk: int
    position: int
    kind: str
    kind_name: str
    response: str
    language: str
    genre: str
    peek: str
    value: int
    split: tuple[int, ...]
    has_rationale: bool


def item_lines(work: Round, *, language: str) -> list[ItemLine]:
    """The items of an exam or a course in their order; genres are named in the reader's `language`."""
    rows = work.consensus_items.select_related("response__prompt__genre").order_by("position")
    return [
        ItemLine(
            pk=item.pk,
            position=item.position,
            kind=item.kind,
            kind_name=item.get_kind_display(),
            response=item.response.external_id,
            language=item.response.prompt.language,
            genre=name_of(item.response.prompt.genre, language) if item.response.prompt.genre else "",
            peek=" ".join(item.response.text[:PEEK].split()),
            value=item.value,
            split=tuple(item.split),
            has_rationale=bool(item.rationale.strip()),
        )
        for item in rows
    ]


def set_aside(project: Project) -> QuerySet[Response]:
    """Texts of exams, courses and calibrations. What is agreed about them has been seen: they are not judged live."""
    preparing = [Round.Purpose.EXAM, Round.Purpose.TRAINING, Round.Purpose.CALIBRATION]
    slots = Assignment.objects.filter(round__project=project, round__purpose__in=preparing)
    items = ConsensusItem.objects.filter(round__project=project)
    return Response.objects.filter(
        Q(pk__in=items.values("response")) | Q(pk__in=slots.values("response")), project=project
    )


def is_judged_live(response: Response) -> bool:
    """Whether a live round that is under way asks about the text."""
    return (
        response.assignments.filter(
            round__purpose=Round.Purpose.LIVE, round__state__in=[Round.State.OPEN, Round.State.PAUSED]
        )
        .exclude(state=Assignment.State.VOID)
        .exists()
    )


def scores_by_response(scored: Round) -> Iterator[tuple[Response, list[Score]]]:
    """Each response of a round with the scores that count in it, one of each annotator: the last."""
    responses = Response.objects.filter(pk__in=scored.scores.values("response")).select_related("prompt")
    for response in responses.order_by("prompt__external_id", "external_id").iterator():
        last = {
            score.annotator_id: score
            for score in scored.scores.filter(response=response, standing=Score.Standing.COUNTED).order_by(
                "revision"
            )
        }
        yield response, list(last.values())


def candidates(work: Round, *, search: str, genre: int | None, page: str) -> Page:
    """Responses of the project that could become items of this round, found by words of text or prompt, or by id."""
    found = work.project.responses.filter(state=Response.State.ACTIVE).exclude(
        pk__in=work.consensus_items.values("response")
    )
    if work.language:
        spoken = work.project.prompts.values_list("language", flat=True).distinct()
        reach = {work.language: frozenset[int]()}
        found = found.filter(prompt__language__in=[each for each in spoken if covers(reach, each)])
    if genre is not None:
        found = found.filter(Q(prompt__genre=genre) | Q(prompt__genre__parent=genre))
    if search:
        found = found.filter(
            Q(external_id__icontains=search) | Q(text__icontains=search) | Q(prompt__text__icontains=search)
        )
    ordered = found.select_related("prompt__genre").order_by("prompt__external_id", "external_id")
    return Paginator(ordered, FOUND_A_PAGE).get_page(page)


@dataclass(frozen=True, slots=True)
class Readable:
    """A text as it is shown to whoever writes about it."""

    prompt: str
    paragraphs: tuple[str, ...]
    tag: str  # of its language, for the page


def readable(response: Response) -> Readable:
    prompt = response.prompt
    unit = unit_for("auto", prompt.language, prompt.text, response.text)
    return Readable(
        prompt=prompt.text,
        paragraphs=tuple(paragraphs(response.text)),
        tag=language_tag(prompt.language, counts_characters=unit == "characters"),
    )


def rounds_with_scores(project: Project) -> list[tuple[int, str]]:
    """(primary key, name) of rounds whose scores could make items: those that are locked."""
    locked = project.rounds.filter(state=Round.State.LOCKED, scores__isnull=False)
    return list(locked.distinct().order_by("pk").values_list("pk", "name"))

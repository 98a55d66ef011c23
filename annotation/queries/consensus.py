"""Texts with an agreed score, as their authors see them; never for an annotator's page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import ngettext

from annotation.domain.reach import covers
from annotation.domain.stages import WORK
from annotation.domain.text import unit_for
from annotation.models import Assignment, ConsensusItem, Membership, Project, Response, Round, Score
from annotation.queries.rubrics import name_of
from annotation.queries.texts import language_tag, paragraphs

PEEK = 160  # characters of a text in a list
FOUND_A_PAGE = 20
Purpose = Round.Purpose
State = Round.State
# Rounds whose scores may become what is agreed; never what candidates gave in an exam or trainees in a course.
TRUSTED = (Purpose.LIVE, Purpose.VALIDATION, Purpose.ADJUDICATION, Purpose.GOLD, Purpose.CALIBRATION)


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
    """Texts of exams, courses and calibrations, under whichever id. What is agreed about them has been seen: they are
    not judged live."""
    preparing = [Purpose.EXAM, Purpose.TRAINING, Purpose.CALIBRATION]
    slots = Assignment.objects.filter(round__project=project, round__purpose__in=preparing)
    items = ConsensusItem.objects.filter(round__project=project)
    texts = Response.objects.filter(
        Q(pk__in=items.values("response")) | Q(pk__in=slots.values("response")), project=project
    )
    return same_texts(project, texts)


def same_texts(project: Project, texts: QuerySet[Response]) -> QuerySet[Response]:
    """The responses of the project that read as one of these, themselves among them."""
    return Response.objects.filter(project=project, text_sha256__in=texts.values("text_sha256"))


def asked_blind(project: Project, *purposes: str) -> QuerySet[Response]:
    """Texts, under whichever id, that a round of such a purpose asks about or is going to: none is locked."""
    slots = Assignment.objects.filter(
        round__project=project,
        round__purpose__in=purposes,
        round__state__in=[State.DRAFT, State.OPEN, State.PAUSED],
    ).exclude(state=Assignment.State.VOID)
    return same_texts(project, Response.objects.filter(pk__in=slots.values("response")))


def asked_blind_elsewhere(work: Round) -> QuerySet[Response]:
    """Texts that annotators score, or are going to score, without knowing what this exam or course would agree."""
    return asked_blind(work.project, *WORK, Purpose.CALIBRATION)


def used_elsewhere(work: Round) -> QuerySet[Response]:
    """Texts of other exams, courses and calibrations that cannot be asked in this one as well.

    A course shows what is agreed, so it takes none of an exam, and an exam none that was ever shown or discussed. A
    new course takes from a retired one what nobody has scored there.
    """
    others = ConsensusItem.objects.filter(round__project=work.project_id).exclude(round=work.pk)
    if work.purpose == Purpose.EXAM:
        known = others.exclude(round__purpose=Purpose.EXAM, round__opened_at=None)
        discussed = Assignment.objects.filter(
            round__project=work.project_id, round__purpose=Purpose.CALIBRATION
        ).exclude(state=Assignment.State.VOID)
        return Response.objects.filter(
            Q(pk__in=known.values("response")) | Q(pk__in=discussed.values("response"))
        )
    scored = Score.objects.filter(round=OuterRef("round"), response=OuterRef("response"))
    taught = Q(round__state__in=[State.OPEN, State.PAUSED]) | Q(Exists(scored))
    known = others.filter(Q(round__purpose=Purpose.EXAM) | taught)
    return Response.objects.filter(pk__in=known.values("response"))


def unfit_in_words(work: Round) -> str:
    """What keeps an exam or a course from being opened for the sake of those; "" where there are none."""
    unfit = unfit_items(work)
    if not unfit:
        return ""
    message = ngettext(
        "%(count)d item has been used or scored elsewhere since it was added. Remove it first.",
        "%(count)d items have been used or scored elsewhere since they were added. Remove them first.",
        unfit,
    )
    return message % {"count": unfit}


def unfit_items(work: Round) -> int:
    """How many items have got a place elsewhere, since they were added, that keeps their round from beginning."""
    elsewhere = Q(response__in=asked_blind_elsewhere(work)) | Q(response__in=used_elsewhere(work))
    return work.consensus_items.filter(elsewhere).count()


def scores_by_response(scored: Round) -> Iterator[tuple[Response, list[Score]]]:
    """Each response of a round with the scores that count in it, one of each annotator: the last. Those of people
    who had their data withdrawn count nowhere."""
    counted = scored.scores.filter(standing=Score.Standing.COUNTED).exclude(
        annotator__state=Membership.State.WITHDRAWN
    )
    responses = Response.objects.filter(pk__in=scored.scores.values("response")).select_related("prompt")
    for response in responses.order_by("prompt__external_id", "external_id").iterator():
        last = {score.annotator_id: score for score in counted.filter(response=response).order_by("revision")}
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
    """(primary key, name) of rounds whose scores could make items: those that are locked, and not scored again."""
    locked = project.rounds.filter(state=State.LOCKED, purpose__in=TRUSTED, scores__isnull=False)
    again = project.rounds.filter(follows__isnull=False).exclude(state=State.LOCKED).values("follows")
    return list(locked.exclude(pk__in=again).distinct().order_by("pk").values_list("pk", "name"))

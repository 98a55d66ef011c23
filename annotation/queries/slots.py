"""Which slots an annotator could be given now. No count and no offset: it costs the same however far a round is."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

from django.core.cache import caches
from django.db.models import Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.lookups import IsNull

from annotation.domain.next_up import Stratum
from annotation.domain.reach import Reach, genres_within, is_barred, languages_of
from annotation.domain.stages import PREPARATORY
from annotation.models import (
    Assigning,
    Assignment,
    CategoryVote,
    Conflict,
    Lease,
    Membership,
    PanelSeat,
    Preference,
    Prompt,
    Ranking,
    Response,
    Round,
    Score,
    Skip,
)
from annotation.models.prepared import Parameter, prepared
from annotation.queries import stages

# Where the judgements of a round stand, by its kind.
JUDGEMENTS: Mapping[str, type[Model]] = {
    Round.Kind.SCORES: Score,
    Round.Kind.RANKINGS: Ranking,
    Round.Kind.CATEGORIES: CategoryVote,
    Round.Kind.PAIRS: Preference,
}
FREE = Q(state=Assignment.State.OPEN)
ANYTHING = Q(pk__isnull=False)
OWN, NOBODYS, NOBODYS_SEAT = "own", "nobody's", "nobody's on a panel"  # slots, by whose seat they are

Key = int | Parameter  # of an annotator's membership, of a round


def free(assignments: QuerySet[Assignment], *, now: datetime) -> QuerySet[Assignment]:
    """Open, or leased and expired."""
    return assignments.filter(FREE | Q(state=Assignment.State.LEASED, leased_until__lte=now))


@dataclass(frozen=True, slots=True)
class Search:
    """What a search for slots depends on, besides who searches and in which round: it shapes the statement."""

    kind: str
    purpose: str
    assigning: str
    works_in: tuple[str, ...]  # the languages that the round is for
    reach: tuple[tuple[str, frozenset[int] | None], ...]
    languages: tuple[str, ...]  # as the prompts of the project name them; () where no list is needed
    closed: tuple[Stratum, ...]  # of which no more is given out
    has_skipped: bool  # the annotator gave something back unanswered, in this round or another


def search(
    work: Round, reach: Reach, *, closed: Collection[Stratum] = (), has_skipped: bool = True
) -> Search:
    return Search(
        work.kind,
        work.purpose,
        work.assigning,
        languages_of(work.language),
        tuple(sorted(reach.items())),
        _languages(work.project_id, reach),
        tuple(closed),
        has_skipped,
    )


def closed_strata(work: Round) -> list[Stratum]:
    """Whose quota is reached: no more of them is given out."""
    rows = work.quotas.filter(reached_at__isnull=False).order_by("pk").values_list("language", "genre")
    return [Stratum(language, genre) for language, genre in rows]


def reserved_for_none_but(annotator: Key) -> Q:
    """Slots that are nobody's by a seat on a panel, and those of this annotator's own seats."""
    return Q(reserved_for=None) | Q(reserved_for=annotator)


def meant_for(annotator: Membership, work: Round) -> QuerySet[Assignment]:
    """The slots of the round that this annotator could hold some time: of their seats, or of texts they read."""
    asked = search(work, stages.reach(annotator, work))
    return _within_reach(asked, annotator.pk, work.pk).filter(reserved_for_none_but(annotator.pk))


def _within_reach(asked: Search, annotator: Key, work: Key) -> QuerySet[Assignment]:
    reach = dict(asked.reach)
    found = Assignment.objects.filter(_of_active_texts(asked.kind), round=work)
    if not reach:
        return found.none()
    if not asked.languages and not genres_within(reach, ""):
        return found
    barred = [language for language in asked.languages if is_barred(reach, language)]
    own = Q(reserved_for=annotator)
    if barred:
        own &= ~Q(prompt__language__in=barred)
    return found.filter(own | _within(reach, asked.languages))


def _of_active_texts(kind: str) -> Q:
    """Rankings leave removed texts out when they are shown; votes on a prompt look at none."""
    if kind in (Round.Kind.RANKINGS, Round.Kind.CATEGORIES):
        return Q()
    active = Q(response__state=Response.State.ACTIVE)
    return active & Q(other__state=Response.State.ACTIVE) if kind == Round.Kind.PAIRS else active


def may_have(annotator: Membership, slot: Assignment, reach: Reach | None = None) -> bool:
    """Whether the text of a slot may be with the annotator, by where they stand in its language now.

    A seat that was given by hand holds in a language in which they do not stand at all.
    """
    reach = stages.reach(annotator, slot.round) if reach is None else reach
    language = slot.prompt.language
    if slot.reserved_for_id == annotator.pk and not is_barred(reach, language):
        return bool(reach)
    return genres_within(reach, language) is not None


def _languages(project: int, reach: Reach) -> tuple[str, ...]:
    """As the prompts of the project name them. Whoever reads everything alike needs no list."""
    return () if set(reach) == {""} else tuple(sorted(_languages_in(project=project)))


@prepared
def _languages_in(*, project: Parameter) -> QuerySet:
    return Prompt.objects.filter(project=project).values_list("language", flat=True).distinct()


def _within(reach: Reach, languages: Collection[str]) -> Q:
    """Texts of the languages and genres in reach."""
    if not languages:
        genres = genres_within(reach, "")
        return Q(pk__in=[]) if genres is None else _of_genres(genres)
    within = Q(pk__in=[])
    for language in languages:
        held = genres_within(reach, language)
        if held is not None:
            within |= Q(prompt__language=language) & _of_genres(held)
    return within


def _of_genres(held: frozenset[int]) -> Q:
    if not held:
        return ANYTHING  # an empty condition would vanish from an OR
    genre = "prompt__genre"
    return Q(**{genre: None}) | Q(**{f"{genre}__in": held}) | Q(**{f"{genre}__parent__in": held})


def open_to(asked: Search, annotator: Key, work: Key) -> QuerySet[Assignment]:
    """Slots of texts that the annotator has not judged, does not hold, and may have, whether they are free or not."""
    found = _within_reach(asked, annotator, work)
    found = found.filter(_none(_held(asked, annotator, work)), _none(_judged(asked, annotator, work)))
    found = found.filter(_none(Conflict.objects.filter(annotator=annotator, prompt=OuterRef("prompt"))))
    if asked.has_skipped:
        found = found.filter(_none(_skipped(asked, annotator, work)))
    if len(asked.works_in) > 1:
        found = found.exclude(prompt__in=elsewhere(annotator, work))
    for stratum in asked.closed:
        found = found.exclude(in_stratum(stratum.language, stratum.genre))
    return found


def elsewhere(annotator: Key, work: Key) -> QuerySet[Prompt]:
    """Prompts on which the annotator worked in another round: what validates those judgements is for others."""
    handed = Lease.objects.filter(annotator=annotator).exclude(assignment__round=work)
    # An imported score was never handed out.
    scored = Score.objects.filter(annotator=annotator).exclude(round=work)
    return Prompt.objects.filter(
        Q(pk__in=handed.values("assignment__prompt")) | Q(pk__in=scored.values("response__prompt"))
    )


def seats(asked: Search) -> tuple[str, ...]:
    """Whose slots come first. In the preparation every slot is somebody's."""
    if asked.purpose in PREPARATORY:
        return (OWN,)
    return (NOBODYS,) if asked.assigning == Assigning.POOL else (OWN, NOBODYS_SEAT)


def of_seat(seat: str, annotator: Key, work: Key) -> Q:
    """Slots of the annotator's own seats, or that are nobody's; nobody sits twice on one panel."""
    if seat == OWN:
        return Q(reserved_for=annotator)
    nobodys = Q(reserved_for=None)
    if seat == NOBODYS:
        return nobodys
    sits = PanelSeat.objects.filter(round=work, prompt=OuterRef("prompt"), annotator=annotator)
    return nobodys & _none(sits)


def free_slots(annotator: Membership, work: Round, *, now: datetime) -> QuerySet[Assignment]:
    """What this annotator could be given: free, active, and not theirs already."""
    asked = search(work, stages.reach(annotator, work), closed=closed_strata(work))
    found = open_to(asked, annotator.pk, work.pk)
    return free(
        found.filter(reduce(or_, (of_seat(seat, annotator.pk, work.pk) for seat in seats(asked)))), now=now
    )


def in_stratum(language: str | Parameter, genre: Key | None) -> Q:
    """Slots of prompts of a language and a macro-category."""
    of_language = Q(prompt__language=language)
    if genre is None:
        return of_language & Q(prompt__genre=None)
    return of_language & (Q(prompt__genre=genre) | Q(prompt__genre__parent=genre))


def _same_text(kind: str) -> dict[str, OuterRef | None]:
    """What makes two slots of a round ask about the same."""
    if kind == Round.Kind.PAIRS:
        return {"response": OuterRef("response"), "other": OuterRef("other")}
    # That the rest is null is said too, for the index that holds such slots alone.
    if kind == Round.Kind.SCORES:
        return {"response": OuterRef("response"), "other": None}
    return {"prompt": OuterRef("prompt"), "response": None}


def _none(found: QuerySet) -> Q:
    """That there is no such row, and said so that PostgreSQL looks it up for each slot in turn.

    From NOT EXISTS it makes a join, or a table of all that the annotator ever judged, to find the first slot.
    """
    return Q(IsNull(one_of(found), True))


def one_of(found: QuerySet) -> Subquery:
    """The key of any such row, or null."""
    return Subquery(found.values("pk")[:1])


def _held(asked: Search, annotator: Key, work: Key) -> QuerySet[Assignment]:
    return Assignment.objects.filter(round=work, annotator=annotator, **_same_text(asked.kind))


def _judged(asked: Search, annotator: Key, work: Key) -> QuerySet:
    """A late judgement can stand while its slot is another's."""
    given = JUDGEMENTS[asked.kind].objects.filter(round=work, annotator=annotator)
    if asked.kind == Round.Kind.PAIRS:
        pair = {"assignment__response": OuterRef("response"), "assignment__other": OuterRef("other")}
        return given.filter(**pair)
    place = "response" if asked.kind == Round.Kind.SCORES else "prompt"
    return given.filter(**{place: OuterRef(place)})


def _skipped(asked: Search, annotator: Key, work: Key) -> QuerySet[Skip]:
    """What the annotator gave back: on a panel the prompt, since one person has all of it, else the text."""
    same = {"prompt": OuterRef("prompt")} if asked.assigning == Assigning.PANEL else _same_text(asked.kind)
    place = {f"lease__assignment__{name}": value for name, value in same.items()}
    return Skip.objects.filter(annotator=annotator, lease__assignment__round=work, **place)


def fillable(
    *,
    annotator: Key,
    now: datetime | Parameter,
    work: Key,
    prompt: Key,
    response: Key | None = None,
    other: Key | None = None,
) -> QuerySet[Assignment]:
    """The slots that a judgement of a text may fill: the annotator's own, and any free one.

    A slot that is reserved for another is never free to this annotator.
    """
    of_text = Assignment.objects.filter(round=work, prompt=prompt, response=response, other=other)
    own = Q(state=Assignment.State.LEASED, annotator=annotator)
    vacant = FREE | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    return of_text.filter(own | vacant & reserved_for_none_but(annotator))


def is_judged(lease: Lease) -> bool:
    """Whether the annotator has submitted a judgement under this lease."""
    slot = lease.assignment
    given = JUDGEMENTS[slot.round.kind].objects
    return given.filter(assignment=slot.pk, annotator=lease.annotator_id).exists()


def is_given_back(lease: Lease) -> bool:
    """Whether the annotator skipped it, or declared a conflict of interest about its prompt, and has it no more."""
    slot = lease.assignment
    if slot.annotator_id == lease.annotator_id:
        return False
    conflict = Conflict.objects.filter(annotator=lease.annotator_id, prompt=slot.prompt_id)
    return Skip.objects.filter(lease=lease).exists() or conflict.exists()


def size(annotator: Membership, work: Round) -> int:
    """Texts of the round that are meant for this annotator. Says nothing about how far the others are."""
    texts = meant_for(annotator, work).exclude(state=Assignment.State.VOID)
    return texts.values("prompt", "response", "other").distinct().count()


def size_lately(annotator: Membership, work: Round) -> int:
    """The same, at most a minute old: a page of work says it and nothing hangs on it."""
    if work.purpose in PREPARATORY:
        return size(annotator, work)  # a few texts, and more come in the middle of a course
    kept, key = caches["process"], f"size:{work.token}:{annotator.pk}"
    found = kept.get(key)
    if found is None:
        found = size(annotator, work)
        kept.set(key, found, timeout=60)
    return found


def has_work(annotator: Membership, work: Round, *, now: datetime) -> bool:
    """Whether a claim would give this annotator a text."""
    in_hand = work.assignments.filter(annotator=annotator, state=Assignment.State.LEASED)
    return in_hand.exists() or free_slots(annotator, work, now=now).exists()

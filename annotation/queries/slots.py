"""Which slots an annotator could be given now. No count and no offset: it costs the same however far a round is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from zoneinfo import ZoneInfo

from django.core.cache import caches
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from annotation.domain.next_up import LONGEST_BLOCK, Given, Stratum
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
    Quota,
    Ranking,
    Response,
    Round,
    Score,
    Skip,
)
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
REMEMBERED = LONGEST_BLOCK + 1  # hand-outs that decide about the next


def free(assignments: QuerySet[Assignment], *, now: datetime) -> QuerySet[Assignment]:
    """Open, or leased and expired."""
    return assignments.filter(FREE | Q(state=Assignment.State.LEASED, leased_until__lte=now))


@dataclass(frozen=True, slots=True)
class Standing:
    """How membership and round stand now, whatever was read earlier."""

    member: str
    round: str
    has_quotas: bool  # some stratum of the round is given out no more
    has_skipped: bool  # the annotator gave something back unanswered, in this round or another


def standing(annotator: Membership, work: Round) -> Standing | None:
    """None where the round belongs to another project."""
    reached = Quota.objects.filter(round=work, reached_at__isnull=False)
    row = Membership.objects.filter(pk=annotator.pk, project__rounds=work.pk)
    skipped = Skip.objects.filter(annotator=annotator)
    found = row.values_list("state", "project__rounds__state", Exists(reached), Exists(skipped)).first()
    return Standing(*found) if found else None


def reserved_for_none_but(annotator: int) -> Q:
    """Slots that are nobody's by a seat on a panel, and those of this annotator's own seats."""
    return Q(reserved_for=None) | Q(reserved_for=annotator)


def meant_for(annotator: Membership, work: Round) -> QuerySet[Assignment]:
    """The slots of the round that this annotator could hold some time: of their seats, or of texts they read."""
    meant = _within_reach(annotator, work, stages.reach(annotator, work))
    return meant.filter(reserved_for_none_but(annotator.pk))


def _within_reach(annotator: Membership, work: Round, reach: Reach) -> QuerySet[Assignment]:
    found = work.assignments.filter(_of_active_texts(work))
    if not reach:
        return found.none()
    languages = _languages(work, reach)
    if not languages and not genres_within(reach, ""):
        return found
    barred = [language for language in languages if is_barred(reach, language)]
    own = Q(reserved_for=annotator)
    if barred:
        own &= ~Q(prompt__language__in=barred)
    return found.filter(own | _within(reach, languages))


def _of_active_texts(work: Round) -> Q:
    """Rankings leave removed texts out when they are shown; votes on a prompt look at none."""
    if work.kind in (Round.Kind.RANKINGS, Round.Kind.CATEGORIES):
        return Q()
    active = Q(response__state=Response.State.ACTIVE)
    return active & Q(other__state=Response.State.ACTIVE) if work.kind == Round.Kind.PAIRS else active


def may_have(annotator: Membership, slot: Assignment, reach: Reach | None = None) -> bool:
    """Whether the text of a slot may be with the annotator, by where they stand in its language now.

    A seat that was given by hand holds in a language in which they do not stand at all.
    """
    reach = stages.reach(annotator, slot.round) if reach is None else reach
    language = slot.prompt.language
    if slot.reserved_for_id == annotator.pk and not is_barred(reach, language):
        return bool(reach)
    return genres_within(reach, language) is not None


def _languages(work: Round, reach: Reach) -> list[str]:
    """As the prompts of the project name them. Whoever reads everything alike needs no list."""
    if set(reach) == {""}:
        return []
    prompts = Prompt.objects.filter(project=work.project_id)
    return list(prompts.values_list("language", flat=True).distinct())


def _within(reach: Reach, languages: list[str]) -> Q:
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


def open_to(
    annotator: Membership, work: Round, reach: Reach, *, has_quotas: bool = True, has_skipped: bool = True
) -> QuerySet[Assignment]:
    """Slots of texts that the annotator has not judged, does not hold, and may have, whether they are free or not."""
    found = _within_reach(annotator, work, reach)
    found = found.exclude(_held_already(annotator, work)).exclude(_judged_already(annotator, work))
    found = found.exclude(Exists(Conflict.objects.filter(annotator=annotator, prompt=OuterRef("prompt"))))
    if has_skipped:
        found = found.exclude(_skipped(annotator, work))
    if len(languages_of(work.language)) > 1:
        found = found.exclude(prompt__in=elsewhere(annotator, work))
    if has_quotas:
        for quota in work.quotas.filter(reached_at__isnull=False):
            found = found.exclude(in_stratum(Stratum(quota.language, quota.genre_id)))
    return found


def elsewhere(annotator: Membership, work: Round) -> QuerySet[Prompt]:
    """Prompts on which the annotator worked in another round: what validates those judgements is for others."""
    handed = Lease.objects.filter(annotator=annotator).exclude(assignment__round=work)
    scored = Score.objects.filter(annotator=annotator).exclude(
        round=work
    )  # an imported one was never handed out
    return Prompt.objects.filter(
        Q(pk__in=handed.values("assignment__prompt")) | Q(pk__in=scored.values("response__prompt"))
    )


def seats(annotator: Membership, work: Round) -> tuple[Q, ...]:
    """Whose slots come first: the annotator's own seats, then those that are nobody's.

    Nobody sits twice on one panel. In the preparation every slot is somebody's.
    """
    own, nobodys = Q(reserved_for=annotator), Q(reserved_for=None)
    if work.purpose in PREPARATORY:
        return (own,)
    if work.assigning == Assigning.POOL:
        return (nobodys,)
    seated = PanelSeat.objects.filter(round=work, prompt=OuterRef("prompt"), annotator=annotator)
    return own, nobodys & ~Exists(seated)


def free_slots(annotator: Membership, work: Round, *, now: datetime) -> QuerySet[Assignment]:
    """What this annotator could be given: free, active, and not theirs already."""
    found = open_to(annotator, work, stages.reach(annotator, work))
    return free(found.filter(reduce(or_, seats(annotator, work))), now=now)


def in_stratum(stratum: Stratum) -> Q:
    """Slots of prompts of a language and a macro-category."""
    language = Q(prompt__language=stratum.language)
    if stratum.genre is None:
        return language & Q(prompt__genre=None)
    return language & (Q(prompt__genre=stratum.genre) | Q(prompt__genre__parent=stratum.genre))


def _same_text(work: Round) -> dict[str, OuterRef]:
    """What makes two slots of a round ask about the same."""
    if work.kind == Round.Kind.PAIRS:
        return {"response": OuterRef("response"), "other": OuterRef("other")}
    # That the rest is null is said too, for the index that holds such slots alone.
    if work.kind == Round.Kind.SCORES:
        return {"response": OuterRef("response"), "other": None}
    return {"prompt": OuterRef("prompt"), "response": None}


def _held_already(annotator: Membership, work: Round) -> Exists:
    return Exists(Assignment.objects.filter(round=work, annotator=annotator, **_same_text(work)))


def _judged_already(annotator: Membership, work: Round) -> Exists:
    """A late judgement can stand while its slot is another's."""
    given = JUDGEMENTS[work.kind].objects.filter(round=work, annotator=annotator)
    if work.kind == Round.Kind.PAIRS:
        pair = {"assignment__response": OuterRef("response"), "assignment__other": OuterRef("other")}
        return Exists(given.filter(**pair))
    place = "response" if work.kind == Round.Kind.SCORES else "prompt"
    return Exists(given.filter(**{place: OuterRef(place)}))


def _skipped(annotator: Membership, work: Round) -> Exists:
    """What the annotator gave back: on a panel the prompt, since one person has all of it, else the text."""
    same = {"prompt": OuterRef("prompt")} if work.assigning == Assigning.PANEL else _same_text(work)
    place = {f"lease__assignment__{name}": value for name, value in same.items()}
    return Exists(Skip.objects.filter(annotator=annotator, lease__assignment__round=work, **place))


def slots_for(lease: Lease, *, now: datetime) -> QuerySet[Assignment]:
    """The slots that a judgement under this lease may fill: the annotator's own of this text, and any free one.

    A slot that is reserved for another is never free to this annotator.
    """
    asked = lease.assignment
    of_text = Assignment.objects.filter(
        round=asked.round_id, prompt=asked.prompt_id, response=asked.response_id, other=asked.other_id
    )
    own = Q(state=Assignment.State.LEASED, annotator=lease.annotator_id)
    vacant = FREE | Q(state=Assignment.State.LEASED, leased_until__lte=now)
    return of_text.filter(own | vacant & reserved_for_none_but(lease.annotator_id))


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


# --- What was given so far -----------------------------------------------------------------------


def family(work: Round) -> Q:
    """Hand-outs of a round, and of what is mixed into it."""
    return Q(assignment__round=work) | Q(assignment__round__mixed_into=work)


def in_family(work: Round) -> Q:
    """Slots of a round, and of what is mixed into it."""
    return Q(round=work) | Q(round__mixed_into=work)


def history(annotator: Membership, work: Round) -> list[Given]:
    """What the annotator was given last in the round, newest first; enough to decide about the next."""
    leases = Lease.objects.filter(family(work), annotator=annotator).order_by("-pk")
    rows = leases.values_list(
        "position",
        "assignment__prompt",
        "assignment__prompt__language",
        "assignment__prompt__genre",
        "assignment__prompt__genre__parent",
    )[:REMEMBERED]
    return [
        Given(position or 0, prompt, Stratum(language, parent or genre))
        for position, prompt, language, genre, parent in rows
    ]


def given_today(annotator: Membership, work: Round, *, now: datetime) -> int:
    """Hand-outs since midnight, in the time zone of the project."""
    midnight = now.astimezone(ZoneInfo(work.project.time_zone)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    return Lease.objects.filter(family(work), annotator=annotator, leased_at__gte=midnight).count()


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

"""Rounds as a lead sees them: how far they are, whom they can ask, and what keeps a draft from being opened."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.domain.stages import WORK
from annotation.models import (
    Assigning,
    Assignment,
    Flag,
    Membership,
    Project,
    Qualification,
    Response,
    Round,
    Score,
    Stage,
)
from annotation.queries.consensus import set_aside
from annotation.queries.slots import JUDGEMENTS

NAMES_SHOWN = 5
FEWEST_RANKED, MOST_RANKED = 2, 9  # responses of a prompt that can be ranked
IMPORTED = "Imported scores"  # as the round that holds scores from files is stored
IMPORTED_PREFERENCES = "Imported preferences"  # and the one that holds votes on pairs


def shown_name(name: str) -> str:
    """The name as pages show it. People choose the names of rounds; those of what files brought are said by us."""
    if name == IMPORTED_PREFERENCES:
        return pgettext("name of a round", "Imported preferences")
    return pgettext("name of a round", "Imported scores") if name == IMPORTED else name


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round among the others of its project."""

    pk: int
    name: str  # as pages show it
    purpose: str  # as it is called
    state: str  # as it is called
    stage: str  # the Round.State itself
    rubric: int  # version
    prompts: int
    responses: int
    slots: int
    done: int
    surplus: int
    votes: int | None = (
        None  # of a round of pairs, each change of mind counted; None where responses are scored
    )

    @property
    def percent(self) -> int:
        return 100 * self.done // self.slots if self.slots else 0


def lines(project: Project) -> list[RoundLine]:
    """Every round of work, drafts last. A draft counts what it would ask, the others what they ask."""
    return sorted(
        _lines(project.rounds.filter(purpose__in=WORK)), key=lambda line: line.stage == Round.State.DRAFT
    )


def line_of(work: Round) -> RoundLine:
    return _lines(Round.objects.filter(pk=work.pk))[0]


def _lines(rounds: QuerySet[Round]) -> list[RoundLine]:
    surplus: dict[int, int] = {}
    for judgements in JUDGEMENTS.values():
        late = judgements.objects.filter(round__in=rounds.values("pk"), standing=Score.Standing.SURPLUS)
        surplus |= dict(late.values_list("round").annotate(n=Count("pk")))
    in_use = ~Q(assignments__state=Assignment.State.VOID)
    counted = (
        rounds.select_related("rubric")
        .annotate(
            slots=Count("assignments", filter=in_use),
            done=Count("assignments", filter=Q(assignments__state=Assignment.State.DONE)),
            texts=Count("assignments__response", filter=in_use, distinct=True),
            asked=Count("assignments__prompt", filter=in_use, distinct=True),
        )
        .order_by("pk")
    )
    return [_line(work, surplus.get(work.pk, 0)) for work in counted]


def _line(work: Round, surplus: int) -> RoundLine:
    is_draft = work.state == Round.State.DRAFT
    if work.kind == Round.Kind.PAIRS and not work.slots and not is_draft:
        return _line_of_imported_pairs(work)
    return RoundLine(
        pk=work.pk,
        name=shown_name(work.name),
        purpose=work.get_purpose_display(),
        state=work.get_state_display(),
        stage=work.state,
        rubric=work.rubric.version,
        prompts=work.prompts.count() if is_draft else work.asked,
        responses=responses(work).count() if is_draft or work.kind != Round.Kind.SCORES else work.texts,
        slots=work.slots,
        done=work.done,
        surplus=surplus,
    )


def _line_of_imported_pairs(work: Round) -> RoundLine:
    votes = work.preferences
    first, second = (votes.values_list(side, flat=True) for side in ("response_a", "response_b"))
    return RoundLine(
        pk=work.pk,
        name=shown_name(work.name),
        purpose=work.get_purpose_display(),
        state=work.get_state_display(),
        stage=work.state,
        rubric=work.rubric.version,
        prompts=votes.values("prompt").distinct().count(),
        responses=first.union(second).count(),
        slots=0,
        done=0,
        surplus=0,
        votes=votes.count(),
    )


def progress(project: Project) -> list[RoundLine]:
    """The rounds that have begun."""
    return [line for line in lines(project) if line.stage != Round.State.DRAFT]


def annotators(project: Project) -> QuerySet[Membership]:
    """Who can be given work now, in whichever language. Who only stands for an annotator of a file cannot."""
    members = project.memberships.select_related("user").filter(
        role=Membership.Role.ANNOTATOR, state=Membership.State.ACTIVE, user__is_active=True
    )
    from_files = ~Q(external_id="") & Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX)
    at_work = Qualification.objects.filter(project=project, stage=Stage.ACTIVE).values("annotator")
    return members.exclude(from_files).filter(pk__in=at_work).order_by("pseudonym")


def responses(work: Round) -> QuerySet[Response]:
    """The active responses of a round: those that a draft would ask about, and those that an opened one does.

    Texts of exams, courses and calibrations are not judged again.
    """
    active = Response.objects.filter(project=work.project_id, state=Response.State.ACTIVE)
    if work.state == Round.State.DRAFT and work.kind != Round.Kind.PAIRS:
        asked = active.filter(prompt__in=work.prompts.all())
        return asked.exclude(pk__in=set_aside(work.project).values("pk")) if work.purpose in WORK else asked
    slots = work.assignments.exclude(state=Assignment.State.VOID)
    if work.kind == Round.Kind.RANKINGS:
        return active.filter(prompt__in=slots.values("prompt"))
    return active.filter(Q(pk__in=slots.values("response")) | Q(pk__in=slots.values("other")))


def asked(work: Round) -> list[tuple[int, int | None]]:
    """(prompt, response) of what a draft will ask about; no response where the prompt is asked about as a whole.

    The slots of pairs are there already: they are made where the pairs are chosen.
    """
    if work.kind == Round.Kind.PAIRS:
        return []
    there = responses(work)
    if work.kind == Round.Kind.SCORES:
        return list(there.order_by("pk").values_list("prompt", "pk"))
    if work.kind == Round.Kind.CATEGORIES:
        prompts = work.prompts.exclude(pk__in=set_aside(work.project).values("prompt"))
        return [(prompt, None) for prompt in prompts.order_by("pk").values_list("pk", flat=True)]
    counted = there.values("prompt").annotate(n=Count("pk")).filter(n__gte=FEWEST_RANKED, n__lte=MOST_RANKED)
    return [(prompt, None) for prompt in counted.order_by("prompt").values_list("prompt", flat=True)]


def seats(work: Round) -> Mapping[int, Mapping[int, int]]:
    """The annotator of each seat that the panels of the round have, by prompt and seat."""
    found: dict[int, dict[int, int]] = {}
    rows = work.seats.filter(seat__lte=work.annotators_per_response)
    for prompt, seat, annotator in rows.values_list("prompt", "seat", "annotator").iterator():
        found.setdefault(prompt, {})[seat] = annotator
    return found


def seats_at_hand(work: Round) -> Mapping[int, Mapping[int, int]]:
    """The seats whose holders can be given work now."""
    present = set(annotators(work.project).values_list("pk", flat=True))
    return {
        prompt: {seat: one for seat, one in held.items() if one in present}
        for prompt, held in seats(work).items()
    }


def without_panel(work: Round) -> list[str]:
    """Ids of the prompts that have responses, but a seat that is empty or held by somebody who has left."""
    held = seats_at_hand(work)
    asked = work.prompts.filter(responses__state=Response.State.ACTIVE).distinct().order_by("external_id")
    return [
        name
        for pk, name in asked.values_list("pk", "external_id")
        if len(held.get(pk, ())) < work.annotators_per_response
    ]


def left_out(work: Round) -> list[str]:
    """Ids of the prompts of a draft that have no active response, so that nothing is asked there."""
    full = Response.objects.filter(project=work.project_id, state=Response.State.ACTIVE).values("prompt")
    empty = work.prompts.exclude(pk__in=full).order_by("external_id")
    return list(empty.values_list("external_id", flat=True))


def undecided(work: Round) -> int:
    """How many of the responses of a round have a flag that nobody has decided on."""
    flagged = Flag.objects.filter(project=work.project_id, state=Flag.State.OPEN, response__isnull=False)
    return responses(work).filter(pk__in=flagged.values("response")).count()


def in_hand(work: Round) -> int:
    """How many texts annotators hold at the moment, some perhaps for hours."""
    return work.assignments.filter(state=Assignment.State.LEASED).count()


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a draft cannot be opened, and what to do about it."""

    code: str
    message: str


def obstacles(work: Round) -> list[Obstacle]:
    found = []
    if not responses(work).exists():
        found.append(
            Obstacle(
                "no_responses",
                _(
                    "Not one of its prompts has an active response. Choose other prompts, or import responses."
                ),
            )
        )
    elif not asked(work) and work.kind == Round.Kind.RANKINGS:
        found.append(
            Obstacle(
                "nothing_to_rank",
                _("None of its prompts has between %(fewest)d and %(most)d active responses to be ranked.")
                % {"fewest": FEWEST_RANKED, "most": MOST_RANKED},
            )
        )
    if work.kind == Round.Kind.CATEGORIES and work.project.genres.filter(parent=None).count() < 2:
        found.append(
            Obstacle(
                "no_categories", _("A vote needs two macro-categories or more. Add them among the genres.")
            )
        )
    if work.kind == Round.Kind.RANKINGS and work.instruction == Round.Instruction.REQUIREMENTS:
        names = _without_requirements(work)
        found += [Obstacle("no_requirements", _no_requirements(names))] if names else []
    if work.kind == Round.Kind.PAIRS and not work.assignments.exists():
        found.append(Obstacle("no_pairs", _("No pair has been chosen for this round.")))
    if not annotators(work.project).exists():
        found.append(
            Obstacle("no_annotators", _("The project has no active annotator. Add some among the people."))
        )
    if work.assigning == Assigning.PANEL:
        names = without_panel(work)
        found += [Obstacle("panel_incomplete", _incomplete(names))] if names else []
    return found


def _without_requirements(work: Round) -> list[str]:
    bare = work.prompts.filter(requirements=None).order_by("external_id")
    return list(bare.values_list("external_id", flat=True))


def _no_requirements(names: list[str]) -> str:
    message = ngettext(
        "%(count)d prompt has no requirements to count: %(names)s. Choose other prompts or another instruction.",
        "%(count)d prompts have no requirements to count: %(names)s. Choose other prompts or another instruction.",
        len(names),
    )
    return message % {"count": len(names), "names": _some_of(names)}


def _some_of(names: list[str]) -> str:
    shown = ", ".join(names[:NAMES_SHOWN])
    if len(names) > NAMES_SHOWN:
        shown = _("%(names)s and %(more)d more") % {"names": shown, "more": len(names) - NAMES_SHOWN}
    return shown


def _incomplete(names: list[str]) -> str:
    message = ngettext(
        "The panel of %(count)d prompt is not complete: %(names)s. Compose the panels, or fill the seats by hand.",
        "The panels of %(count)d prompts are not complete: %(names)s. Compose the panels, or fill the seats by hand.",
        len(names),
    )
    return message % {"count": len(names), "names": _some_of(names)}

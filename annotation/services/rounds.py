"""A round from draft to lock. A draft holds no work and may be changed; opening makes its slots and fixes the rest.

What takes prompts or responses into a round holds the project's row first, as an import does while it begins or
ceases to count: so a round asks about the whole of an import or about nothing of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.prompt_selection import Filters, PromptFacts
from annotation.errors import DomainError, Invalid
from annotation.models import Assigning, Assignment, PanelSeat, Project, Round, Rubric, User
from annotation.queries import round_panels, round_plans, round_prompts
from annotation.queries import rounds as queries
from annotation.services import journal, seals, slots

ROWS_AT_A_TIME = 1000
FEWEST_OF_A_LIVE_ROUND = 2  # a pair needs two who agree

State = Round.State
Kind = Round.Kind
Seats = Mapping[int, int | None]  # of one prompt: membership by seat, None where it stays empty


# --- Drafts --------------------------------------------------------------------------------------


@transaction.atomic
def draft(
    project: Project,
    name: str,
    *,
    purpose: str,
    kind: str = Kind.SCORES,
    filters: Filters,
    by: User | None,
    now: datetime,
) -> Round:
    """A draft over the prompts that pass the filters; how work is given out is taken over from the project."""
    seals.hold(project)
    prompts = _some(project, filters)
    made = _make(project, name, purpose=purpose, kind=kind, assigning=project.assigning, now=now)
    _hold_prompts(made, prompts)
    _record("round.created", made, by=by, now=now, prompts=len(prompts))
    return made


@transaction.atomic
def choose(work: Round, filters: Filters, *, by: User | None, now: datetime) -> None:
    """Give the draft other prompts; seats on the panels of those that stay are kept."""
    seals.hold(work.project)
    _hold_draft(work)
    prompts = _some(work.project, filters)
    _hold_prompts(work, prompts)
    _record("round.prompts_chosen", work, by=by, now=now, prompts=len(prompts))


@transaction.atomic
def change(
    work: Round,
    *,
    name: str,
    purpose: str,
    annotators_per_response: int,
    assigning: str,
    kind: str = Kind.SCORES,
    ties_allowed: bool = False,
    instruction: str = Round.Instruction.PREFERENCE,
    by: User | None,
    now: datetime,
) -> None:
    """Change what a draft is. Seats that it no longer has are emptied."""
    if purpose == Round.Purpose.LIVE and annotators_per_response < FEWEST_OF_A_LIVE_ROUND:
        raise Invalid("too_few_annotators", _("A live round needs two annotators or more for each response."))
    _hold_draft(work)
    if (kind == Kind.PAIRS) != (work.kind == Kind.PAIRS):
        raise Invalid(
            "pairs_are_chosen", _("A round of pairs is made where its pairs are chosen, and stays one.")
        )
    columns = {
        "kind": kind,
        "ties_allowed": ties_allowed,
        "instruction": instruction,
        "name": name,
        "purpose": purpose,
        "annotators_per_response": annotators_per_response,
        "assigning": assigning,
    }
    changes = {key: [getattr(work, key), new] for key, new in columns.items() if getattr(work, key) != new}
    try:
        with transaction.atomic():
            _move(work, {State.DRAFT}, **columns)
    except IntegrityError as error:
        raise _name_taken(name) from error
    kept = annotators_per_response if assigning == Assigning.PANEL else 0
    work.seats.filter(seat__gt=kept).delete()
    if changes:
        _record("round.changed", work, by=by, now=now, **changes)


@transaction.atomic
def delete(work: Round, *, by: User | None, now: datetime) -> None:
    """Remove a draft. It holds no work, so nothing is lost but the choice of prompts and seats."""
    _hold_draft(work)
    _record("round.deleted", work, by=by, now=now, name=work.name)
    work.assignments.all().delete()  # of a draft of pairs: nobody has been given one
    Round.objects.filter(mixed_into=work, state=State.DRAFT).delete()
    Round.objects.filter(pk=work.pk).delete()


# --- Panels --------------------------------------------------------------------------------------


@transaction.atomic
def seat(work: Round, panels: Mapping[int, Seats], *, by: User | None, now: datetime) -> None:
    """Set the seats of some prompts by hand. Nobody sits twice on one panel."""
    seals.hold(work.project)
    _hold_panel_draft(work)
    _refuse_unless_seatable(work, panels)
    rows = [
        PanelSeat(round=work, prompt_id=prompt, seat=number, annotator_id=annotator)
        for prompt, seats in panels.items()
        for number, annotator in seats.items()
        if annotator is not None
    ]
    work.seats.filter(prompt__in=list(panels)).delete()
    PanelSeat.objects.bulk_create(rows)
    _record("round.seats_set", work, by=by, now=now, prompts=len(panels), seats=len(rows))


def _refuse_unless_seatable(work: Round, panels: Mapping[int, Seats]) -> None:
    """Memberships and prompts as the page had them; a page may be older than the round."""
    asked = work.prompts.filter(pk__in=list(panels)).count()
    numbers = {number for seats in panels.values() for number in seats}
    if asked != len(panels) or not numbers <= set(range(1, work.annotators_per_response + 1)):
        raise DomainError(
            "round_changed",
            _("The round was changed meanwhile. Open its panels again, and set the seats there."),
        )
    present = set(queries.annotators(work.project).values_list("pk", flat=True))
    for seats in panels.values():
        seated = [one for one in seats.values() if one is not None]
        if len(set(seated)) < len(seated):
            raise Invalid("twice_on_a_panel", _("The same annotator cannot sit twice on one panel."))
        if not present.issuperset(seated):
            raise Invalid(
                "not_an_active_annotator", _("Only active annotators of the project can hold a seat.")
            )


@transaction.atomic
def compose(work: Round, *, seed: str, keep: bool, by: User | None, now: datetime) -> int:
    """Fill the panels as the preview showed them; gives how many prompts have a whole panel by that.

    With `keep` the seats that are filled stay; without, all are given out anew. Seats of people who have left are
    free in either case.
    """
    seals.hold(work.project)
    _hold_panel_draft(work)
    prompts = round_plans.prompt_plans(queries.responses(work))
    before = queries.seats_at_hand(work) if keep else {}
    made = round_panels.composition(work, seed=seed, keep=keep, prompts=prompts)
    seats = {**before, **{prompt: dict(enumerate(panel, start=1)) for prompt, panel in made.panels.items()}}
    work.seats.all().delete()
    PanelSeat.objects.bulk_create(
        (
            PanelSeat(round=work, prompt_id=prompt, seat=number, annotator_id=annotator)
            for prompt, held in seats.items()
            for number, annotator in held.items()
        ),
        batch_size=ROWS_AT_A_TIME,
    )
    _record("round.panels_composed", work, by=by, now=now, seed=seed, kept=keep, prompts=len(made.panels))
    return len(made.panels)


# --- Transitions ---------------------------------------------------------------------------------


@transaction.atomic
def open_draft(work: Round, *, by: User | None, now: datetime) -> None:
    """Make the slots, under the newest rubric. Refused while anything stands in the way."""
    seals.hold(work.project)
    _hold_draft(work)
    for obstacle in queries.obstacles(work):
        raise DomainError(obstacle.code, obstacle.message)
    _open(work, by=by, now=now)


@transaction.atomic
def open_round(
    project: Project, name: str, *, purpose: str = Round.Purpose.LIVE, by: User | None, now: datetime
) -> Round:
    """A pool over all active responses of the project, opened at once, whether or not anybody is there to score."""
    seals.hold(project)
    opened = _make(project, name, purpose=purpose, assigning=Assigning.POOL, now=now)
    _hold_prompts(opened, round_prompts.selected(project, Filters()).prompts)
    _open(opened, by=by, now=now)
    opened.refresh_from_db()
    return opened


@transaction.atomic
def set_cap(work: Round, cap: int | None, *, by: User | None, now: datetime) -> None:
    """How much one annotator is given in a day at the most; None for as much as they ask for."""
    if work.state == State.LOCKED:
        raise DomainError("round_not_open", _reason("round_not_open") % {"name": work.name})
    if work.daily_cap != cap:
        _record("round.cap_set", work, by=by, now=now, cap=[work.daily_cap, cap])
        Round.objects.filter(pk=work.pk).update(daily_cap=cap)


@transaction.atomic
def pause(work: Round, *, by: User | None, now: datetime) -> None:
    """Stop handing out. What annotators hold may still be submitted."""
    _move(work, {State.OPEN}, state=State.PAUSED)
    _record("round.paused", work, by=by, now=now)


@transaction.atomic
def resume(work: Round, *, by: User | None, now: datetime) -> None:
    _move(work, {State.PAUSED}, state=State.OPEN)
    _record("round.resumed", work, by=by, now=now)


@transaction.atomic
def lock(work: Round, *, by: User | None, now: datetime) -> None:
    """End the work, for good. Slots that were not filled stay as they are."""
    _move(work, {State.OPEN, State.PAUSED}, state=State.LOCKED, locked_at=now)
    work.mixed_in.filter(state__in=[State.OPEN, State.PAUSED]).update(state=State.LOCKED, locked_at=now)
    _record("round.locked", work, by=by, now=now)


def _open(work: Round, *, by: User | None, now: datetime) -> None:
    rubric = _rubric(work.project)
    seats = queries.seats(work) if work.assigning == Assigning.PANEL else {}
    asked = list(queries.asked(work))
    _move(work, {State.DRAFT}, state=State.OPEN, opened_at=now, rubric=rubric)
    Assignment.objects.bulk_create(_slots(work, asked, seats), batch_size=ROWS_AT_A_TIME)
    _record("round.opened", work, by=by, now=now, rubric=rubric.version, slots=work.assignments.count())


def _slots(
    work: Round, asked: Iterable[tuple[int, int | None]], seats: Mapping[int, Mapping[int, int]]
) -> Iterator[Assignment]:
    """A slot for each seat of what is asked; in a panel nobody but the holder of the seat gets it."""
    for prompt, response in asked:
        held = seats.get(prompt, {})
        for number in range(1, work.annotators_per_response + 1):
            holder = held.get(number)
            if response is None:
                yield slots.of_prompt(work, prompt, number, reserved_for_id=holder)
            else:
                yield slots.of_response(work, response, prompt, number, reserved_for_id=holder)


# --- What all of them rest on --------------------------------------------------------------------

REFUSED = {
    frozenset({State.DRAFT}): "not_a_draft",
    frozenset({State.OPEN}): "round_not_open",
    frozenset({State.PAUSED}): "round_not_paused",
    frozenset({State.OPEN, State.PAUSED}): "round_not_open",
}


def _move(work: Round, states: set[State], **columns: object) -> None:
    """Change a round that is in one of the states. The row count tells whether somebody else was first."""
    if Round.objects.filter(pk=work.pk, state__in=states).update(**columns) != 1:
        code = REFUSED[frozenset(states)]
        raise DomainError(code, _reason(code) % {"name": queries.shown_name(work.name)})


def _reason(code: str) -> str:
    return {
        "not_a_draft": _("The round %(name)s is no draft any more, so this cannot be changed."),
        "round_not_open": _("The round %(name)s is not open."),
        "round_not_paused": _("The round %(name)s is not paused."),
    }[code]


def _hold_draft(work: Round) -> None:
    """Keep others from opening or changing the draft until this transaction ends."""
    _move(work, {State.DRAFT}, state=State.DRAFT)
    work.refresh_from_db()


def _hold_panel_draft(work: Round) -> None:
    _hold_draft(work)
    if work.assigning != Assigning.PANEL:
        raise DomainError("not_a_panel", _("This round is a pool, so it has no panels."))


def _make(
    project: Project,
    name: str,
    *,
    purpose: str,
    kind: str = Kind.SCORES,
    assigning: str,
    now: datetime,
) -> Round:
    rubric = _rubric(project)
    try:
        with transaction.atomic():
            return Round.objects.create(
                project=project,
                name=name,
                purpose=purpose,
                rubric=rubric,
                annotators_per_response=project.annotators_per_response,
                assigning=assigning,
                kind=kind,
                ties_allowed=project.ties_allowed,
                created_at=now,
            )
    except IntegrityError as error:
        raise _name_taken(name) from error


def _name_taken(name: str) -> Invalid:
    return Invalid(
        "round_exists", _("There is a round %(name)s already. Choose another name.") % {"name": name}
    )


def _rubric(project: Project) -> Rubric:
    newest = project.rubrics.order_by("-version").first()
    if newest is None:
        raise DomainError("no_rubric", _("This project has no rubric. Write one before a round is opened."))
    return newest


def _some(project: Project, filters: Filters) -> tuple[PromptFacts, ...]:
    prompts = round_prompts.selected(project, filters).prompts
    if not prompts:
        raise Invalid(
            "no_prompts", _("No prompt with an active response passes these filters. Choose others.")
        )
    return prompts


def _hold_prompts(work: Round, prompts: Iterable[PromptFacts]) -> None:
    through = Round.prompts.through
    work.prompts.clear()
    through.objects.bulk_create(
        (through(round_id=work.pk, prompt_id=prompt.id) for prompt in prompts), batch_size=ROWS_AT_A_TIME
    )
    work.seats.exclude(prompt__in=work.prompts.all()).delete()


def _record(action: str, work: Round, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=work.project, round=work.pk, **data)

"""What people decide about flags. Checks and annotators raise them; only people keep or remove a text.

Every decision is a conditional update: of two people who decide at once the second is told. What stands on a page
is decided as it stood there, so each decision names the flags that its page showed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import (
    Assignment,
    Flag,
    Project,
    Prompt,
    Response,
    Round,
    Score,
    User,
)
from annotation.queries import triage_items
from annotation.queries.triage import STANDING
from annotation.services import journal

AT_ONCE = 100  # responses that one act may decide on
UNDER_WAY = (Round.State.OPEN, Round.State.PAUSED)
DECIDED_BEFORE = {"settled_already", "not_active", "not_removed"}
State = Flag.State


def refuse_unknown(kind: str) -> None:
    if kind not in Response.RemovalKind.values:
        raise Invalid("not_a_kind", _("Choose what is wrong with the text."))


# --- Deciding on a response ----------------------------------------------------------------------


@transaction.atomic
def keep(
    response: Response, *, seen: Collection[int] | None = None, note: str = "", by: User | None, now: datetime
) -> None:
    """The flags are answered and the response stays. Flags raised since the page was made stay open.

    `seen` are the open flags that the person saw; None for whichever are open.
    """
    checks = _settle(response.flags.all(), State.KEPT, seen, by=by, now=now)
    journal.record(
        "response.kept",
        by=by,
        at=now,
        project=response.project,
        response=response.pk,
        checks=checks,
        note=note,
    )


@transaction.atomic
def remove(
    response: Response,
    *,
    kind: str,
    reason: str = "",
    seen: Collection[int] = (),
    by: User | None,
    now: datetime,
) -> None:
    """Take the response out: it is not handed out any more and forms no candidate. Its scores stay."""
    refuse_unknown(kind)
    standing = Response.objects.filter(pk=response.pk, state=Response.State.ACTIVE)
    if standing.update(**_removed(kind, reason, by, now)) != 1:
        raise DomainError("not_active", _("Somebody else has removed this response already."))
    checks = _settle_all(response.flags.all(), seen, by=by, now=now)
    journal.record(
        "response.removed",
        by=by,
        at=now,
        project=response.project,
        response=response.pk,
        kind=kind,
        reason=reason,
        checks=checks,
    )


@transaction.atomic
def restore(response: Response, *, reason: str = "", by: User | None, now: datetime) -> None:
    """Put a removed response back. Its flags stay settled, as the history of it; a frozen release stays true."""
    # Holds the project's row, so that no release is frozen between the look and the change.
    project = Project.objects.select_for_update(no_key=True).get(pk=response.project_id)
    removed = Response.objects.filter(pk=response.pk, state=Response.State.REMOVED)
    before = removed.first()
    if before is None:
        raise DomainError("not_removed", _("Somebody else has put this response back already."))
    refusal = triage_items.for_good(before, project)
    if refusal:
        raise DomainError("sealed", refusal)
    back = {"state": Response.State.ACTIVE, "removed_by": None, "removed_at": None}
    changed = removed.filter(removed_at=before.removed_at)
    if changed.update(**back, removed_kind="", removed_reason="") != 1:
        raise DomainError("not_removed", _("Somebody else has put this response back already."))
    _free_slots_again(response)
    journal.record(
        "response.restored",
        by=by,
        at=now,
        project=project,
        response=response.pk,
        kind=before.removed_kind,
        reason=reason,
    )


def decide(
    response: Response,
    decision: str,
    *,
    kind: str = "",
    reason: str = "",
    seen: Collection[int] = (),
    by: User | None,
    now: datetime,
) -> None:
    """`decision` is keep, remove or restore."""
    if decision == "keep":
        keep(response, seen=seen, note=reason, by=by, now=now)
    elif decision == "remove":
        remove(response, kind=kind, reason=reason, seen=seen, by=by, now=now)
    else:
        restore(response, reason=reason, by=by, now=now)


def _free_slots_again(response: Response) -> None:
    """Slots that were handed out and are void: those taken from their holders because of the removal.

    One that is reserved for somebody who has sent a score nevertheless stays void, for nobody could fill it.
    """
    dropped = Assignment.objects.filter(
        response=response, state=Assignment.State.VOID, leases__isnull=False, round__state__in=UNDER_WAY
    )
    scored = Score.objects.filter(
        round=OuterRef("round"), response=response, annotator=OuterRef("reserved_for")
    )
    dropped.exclude(Exists(scored)).update(state=Assignment.State.OPEN)


def _removed(kind: str, reason: str, by: User | None, now: datetime) -> dict[str, object]:
    return {
        "state": Response.State.REMOVED,
        "removed_kind": kind,
        "removed_reason": reason,
        "removed_by": by,
        "removed_at": now,
    }


# --- Deciding on a prompt ------------------------------------------------------------------------


@transaction.atomic
def keep_prompt(
    prompt: Prompt, *, seen: Collection[int] | None = None, note: str = "", by: User | None, now: datetime
) -> None:
    checks = _settle(prompt.flags.all(), State.KEPT, seen, by=by, now=now)
    journal.record(
        "prompt.kept", by=by, at=now, project=prompt.project, prompt=prompt.pk, checks=checks, note=note
    )


@transaction.atomic
def remove_responses(
    prompt: Prompt,
    *,
    kind: str,
    reason: str = "",
    seen: Collection[int] = (),
    by: User | None,
    now: datetime,
) -> int:
    """Remove every active response to a flagged prompt, in one act; returns how many these were."""
    refuse_unknown(kind)
    checks = _settle_all(prompt.flags.all(), seen, by=by, now=now)
    active = Response.objects.filter(prompt=prompt, state=Response.State.ACTIVE)
    removed = list(active.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    if not removed:
        raise DomainError("no_responses", _("No response to this prompt is left to remove."))
    active.filter(pk__in=removed).update(**_removed(kind, reason, by, now))
    _settle_all(Flag.objects.filter(response__in=removed), (), by=by, now=now)
    journal.record(
        "prompt.responses_removed",
        by=by,
        at=now,
        project=prompt.project,
        prompt=prompt.pk,
        kind=kind,
        reason=reason,
        checks=checks,
        responses=len(removed),
        removed=removed,
    )
    return len(removed)


def decide_prompt(
    prompt: Prompt,
    decision: str,
    *,
    kind: str = "",
    reason: str = "",
    seen: Collection[int] = (),
    by: User | None,
    now: datetime,
) -> None:
    """`decision` is keep or remove; what was removed is put back response by response."""
    if decision == "keep":
        keep_prompt(prompt, seen=seen, note=reason, by=by, now=now)
    elif decision == "remove":
        remove_responses(prompt, kind=kind, reason=reason, seen=seen, by=by, now=now)
    else:
        raise Invalid("not_removed", _("A prompt is never removed, so it cannot be put back."))


# --- Many at once --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ticked:
    """A response of a page, with the open flags that the page showed."""

    response: int
    seen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """Of many responses: decided now, decided by somebody else before, removed for good."""

    done: int = 0
    before: int = 0
    sealed: int = 0


@transaction.atomic
def decide_several(
    project: Project,
    ticked: Sequence[Ticked],
    decision: str,
    *,
    kind: str = "",
    reason: str = "",
    by: User | None,
    now: datetime,
) -> Tally:
    """One decision on each; without a `kind`, each is removed as its flags propose."""
    if len(ticked) > AT_ONCE:
        raise Invalid("too_many", _("At most %(most)d responses at once.") % {"most": AT_ONCE})
    standing = project.responses.filter(STANDING, pk__in=[one.response for one in ticked])
    # All rows first, in one order: two people who decide on overlapping pages wait for each other.
    held = standing.order_by("pk").select_for_update(no_key=True, of=("self",))
    found = held.prefetch_related("flags").in_bulk()
    codes = [
        _code(found[one.response], one, decision, kind=kind, reason=reason, by=by, now=now)
        if one.response in found
        else "not_active"
        for one in sorted(ticked, key=lambda one: one.response)
    ]
    return Tally(
        done=codes.count(""),
        before=sum(1 for code in codes if code in DECIDED_BEFORE),
        sealed=codes.count("sealed"),
    )


def _code(
    response: Response, one: Ticked, decision: str, *, kind: str, reason: str, by: User | None, now: datetime
) -> str:
    """Why the response was not decided on; "" where it was."""
    flags = [flag for flag in response.flags.all() if flag.state == State.OPEN or not one.seen]
    kind = kind or triage_items.proposed_kind(flags)
    try:
        with transaction.atomic():
            decide(response, decision, kind=kind, reason=reason, seen=one.seen, by=by, now=now)
    except DomainError as refusal:
        return refusal.code
    return ""


# --- Settling flags ------------------------------------------------------------------------------


def _settle(
    flags: QuerySet[Flag], after: str, seen: Collection[int] | None, *, by: User | None, now: datetime
) -> list[str]:
    """Settle the open flags that the person saw, and tell which checks these were; refuses where one of them
    is settled already, or where there is none."""
    held = _held(flags)
    _refuse_unless_open(held, seen)
    chosen = {pk: check for pk, check in held.items() if seen is None or pk in seen}
    if not chosen:
        raise _settled_already()
    return _settled(chosen, after, by=by, now=now)


def _settle_all(flags: QuerySet[Flag], seen: Collection[int], *, by: User | None, now: datetime) -> list[str]:
    """Settle all open flags of what is removed; refuses where one that the person saw is settled already."""
    held = _held(flags)
    _refuse_unless_open(held, seen)
    return _settled(held, State.REMOVED, by=by, now=now)


def _held(flags: QuerySet[Flag]) -> dict[int, str]:
    """The check of each open flag, by key; the rows are locked, so what is read here holds until the commit."""
    rows = flags.filter(state=State.OPEN).order_by("pk").select_for_update(no_key=True)
    return dict(rows.values_list("pk", "check_key"))


def _refuse_unless_open(held: dict[int, str], seen: Collection[int] | None) -> None:
    if seen is not None and set(seen) - held.keys():
        raise _settled_already()


def _settled(held: dict[int, str], after: str, *, by: User | None, now: datetime) -> list[str]:
    Flag.objects.filter(pk__in=held, state=State.OPEN).update(state=after, settled_by=by, settled_at=now)
    return sorted(set(held.values()))


def _settled_already() -> DomainError:
    return DomainError("settled_already", _("Somebody else has decided on this already."))

"""The requirements of a prompt: set as a whole, as long as nothing has come of them, and proposed by models."""

import unicodedata
from collections.abc import Sequence
from dataclasses import astuple
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain.text import same_text_key
from annotation.errors import DomainError, Invalid
from annotation.models import Prompt, Requirement, User
from annotation.services import journal
from annotation.services.refusals import FieldsRefused, Outdated, digest
from authoring.domain import proposals as wording
from authoring.domain.countable import MEASURES, Check
from authoring.domain.proposals import KINDS, LONGEST, MOST
from authoring.domain.suggested_checks import LONGEST_STRING, MOST_COUNTED
from authoring.models import Endpoint, Plan, RequirementCheck
from authoring.queries import expansions, requirement_proposals
from authoring.queries import requirements as queries
from authoring.queries.requirements import Row
from authoring.services import plans

Given = tuple[str, str, Check | None]


def mark(rows: Sequence[Row]) -> str:
    """What a form was made from: differs wherever a row differs."""
    return digest({"rows": [(row.kind, row.text, row.check and astuple(row.check)) for row in rows]})


@transaction.atomic
def put(
    prompt: Prompt, rows: Sequence[Given], *, seen: str, by: User | None, now: datetime
) -> tuple[Requirement, ...]:
    """Replace all requirements of the prompt by rows of kind, text and check. `seen` is the mark of what stood there
    when the rows were written. What stands there already is kept once.

    Outdated where somebody else changed them since; DomainError in_use where something came of them; FieldsRefused
    with names as `2-text` for a row that cannot be kept.
    """
    held = _hold(prompt)
    wanted = tuple(Row(kind, _one_line(text), _composed(check)) for kind, text, check in rows)
    stand = queries.rows_of(held)
    if wanted == stand:
        return tuple(held.requirements.order_by("position"))
    _refuse_in_use(held)
    if seen != mark(stand):
        raise _outdated(stand)
    _refuse_faults(wanted)
    held.requirements.all().delete()
    made = _store(held, wanted)
    journal.record(
        "requirements.set", by=by, at=now, project=held.project, prompt=held.external_id, n=len(made)
    )
    return made


@transaction.atomic
def propose(prompt: Prompt, endpoint: Endpoint, *, by: User | None, now: datetime) -> Plan:
    """The plan of one request, which is for a worker to send. One at a time is under way for a prompt."""
    held = _hold(prompt)
    _refuse_in_use(held)
    if not held.text.strip():
        raise Invalid(
            "prompt_without_text", _("This prompt has no text that a model could read. Write by hand.")
        )
    newest = requirement_proposals.newest(held)
    if newest is not None and expansions.is_under_way(newest):
        raise DomainError("under_way", _("A model is at work on this prompt already. Wait for its answer."))
    return plans.ask_once(
        held.project,
        kind=Plan.Kind.PROPOSAL,
        endpoint=endpoint,
        asked=wording.asked(held.text, held.language),
        prompt=held,
        by=by,
        now=now,
    )


def _hold(prompt: Prompt) -> Prompt:
    """The prompt's row until the transaction ends. Whatever names the prompt, a request or a ranking, waits for it."""
    return Prompt.objects.select_for_update(of=("self",)).select_related("project").get(pk=prompt.pk)


def _store(prompt: Prompt, rows: Sequence[Row]) -> tuple[Requirement, ...]:
    made = Requirement.objects.bulk_create(
        Requirement(prompt=prompt, position=position, kind=row.kind, text=row.text)
        for position, row in enumerate(rows, start=1)
    )
    RequirementCheck.objects.bulk_create(
        RequirementCheck(
            requirement=requirement,
            measure=row.check.measure,
            least=row.check.least,
            most=row.check.most,
            string=row.check.string,
        )
        for requirement, row in zip(made, rows, strict=True)
        if row.check is not None
    )
    return tuple(made)


def _one_line(text: str) -> str:
    """Each is an item of the list that a model reads."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def _composed(check: Check | None) -> Check | None:
    if check is None or check.measure != "string":
        return check
    return Check("string", check.least, check.most, unicodedata.normalize("NFC", check.string.strip()))


# --- What is refused -----------------------------------------------------------------------------


def _refuse_in_use(prompt: Prompt) -> None:
    why = queries.in_use(prompt)
    if why:
        raise DomainError("in_use", why)


def _outdated(stand: Sequence[Row]) -> Outdated:
    return Outdated(
        "requirements_outdated",
        _(
            "Somebody else has changed the requirements since you opened the page. What you wrote is below, and "
            "saving it now takes the place of theirs."
        ),
        now={str(place): row.text for place, row in enumerate(stand)},
        version=mark(stand),
    )


def _refuse_faults(rows: Sequence[Row]) -> None:
    if len(rows) > MOST:
        message = _("A prompt has %(most)s requirements at most.")
        raise Invalid("too_many_requirements", message % {"most": MOST})
    faults: dict[str, str] = {}
    told: set[str] = set()
    for place, row in enumerate(rows):
        key = same_text_key(row.text)
        fault = _fault_of_text(row) or (key in told and _("This stands above already. Keep one."))
        told.add(key)
        if fault:
            faults[f"{place}-text"] = fault
        if row.kind not in ("", *KINDS):
            faults[f"{place}-kind"] = _("Choose a kind of the list.")
        if row.check is not None:
            faults |= {f"{place}-{part}": why for part, why in _faults_of_check(row.check).items()}
    if faults:
        raise FieldsRefused("bad_requirements", faults)


def _fault_of_text(row: Row) -> str:
    if not row.text:
        return _("Write what is required, or take the row out.")
    if len(row.text) > LONGEST:
        return _("Write %(most)s characters at most.") % {"most": LONGEST}
    return _("Take out the sign that cannot be shown.") if "\0" in row.text else ""


def _faults_of_check(check: Check) -> dict[str, str]:
    """By part of the check."""
    if check.measure not in MEASURES:
        return {"measure": _("Choose what is counted.")}
    if check.measure == "string":
        is_good = check.string and len(check.string) <= LONGEST_STRING and "\0" not in check.string
        message = _("Write what must occur, in %(most)s characters at most.") % {"most": LONGEST_STRING}
        return {} if is_good else {"string": message}
    bounds = {"least": check.least, "most": check.most}
    given = [bound for bound in bounds.values() if bound is not None]
    if not given:
        return {"least": _("Write at least how many, at most how many, or both.")}
    beyond = [part for part, bound in bounds.items() if bound is not None and not 0 <= bound <= MOST_COUNTED]
    if beyond:
        message = _("Write a number from 0 to %(most)s.") % {"most": MOST_COUNTED}
        return dict.fromkeys(beyond, message)
    return {"most": _("This is less than the least.")} if given != sorted(given) else {}

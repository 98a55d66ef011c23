"""Whether a release may be made of a run, as page and REST ask for it: fetch the facts, decide, request the release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.errors import Invalid
from annotation.models import User
from annotation.services.refusals import FieldsRefused
from curation.domain import release_checks as checks
from curation.domain import release_versions as versions
from curation.domain.audit.record import Record
from curation.domain.release_checks import Lines
from curation.domain.release_difference import Difference
from curation.domain.release_versions import Bump, Version
from curation.domain.terms import Check, Heldout, Statements
from curation.models import Release, Run
from curation.queries import audits as audit_queries
from curation.queries import freeze_facts, freeze_page
from curation.queries.audits import AuditState
from curation.queries.freeze_facts import Checked, Plan
from curation.queries.freeze_page import Base
from curation.services import audits, release_differences, releases

WAIVERS = "waivers."  # before the name of a check
SEVERAL = "not_accepted"
# What a refusal of releases.request is said beside.
FIELDS = {
    "bad_name": "name",
    "name_taken": "name",
    "bad_version": "version",
    "version_taken": "version",
    "bad_licence": "licence",
    "note_too_long": "note",
    "bad_heldout_percent": "heldout_percent",
    **dict.fromkeys(audits.REASON_CODES, "reason"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for. What was not well formed stands here as not given; `waivers` are reasons by check, and
    `reason` is that of the audit."""

    name: str
    version: str
    note: str = ""
    licence: str = ""
    contested: bool = False
    heldout: Heldout = ""
    heldout_percent: int = 0
    lines: Lines = field(default_factory=Lines)
    reason: str = ""
    waivers: Mapping[str, str] = field(default_factory=dict)
    statements: Statements = field(default_factory=Statements)

    @property
    def plan(self) -> Plan:
        return Plan(self.name, self.lines, self.heldout_percent)

    def terms(self) -> dict[str, object]:
        """As releases.request takes them."""
        names = ("name", "version", "note", "licence", "contested", "heldout", "heldout_percent")
        return {name: getattr(self, name) for name in (*names, "statements")}


@dataclass(frozen=True, slots=True)
class Facts:
    """What stands for and against a release of a run that is done: the state of the world, as a plan needs it."""

    plan: Plan
    state: AuditState
    record: Record
    checked: Checked
    base: Base | None
    difference: Difference | None

    @property
    def failing(self) -> list[str]:
        """Checks that take a reason of their own to be let pass; that of the audit is `reason`."""
        return [name for name in checks.unwaived(self.checked.checks) if name != checks.AUDIT]

    @property
    def needs_reason(self) -> bool:
        return not self.record.is_within

    @property
    def last(self) -> Version | None:
        return None if self.base is None else self.base.last

    @property
    def follows(self) -> bool:
        """Whether there is an earlier version, so that somebody has to say what changed."""
        return self.last is not None

    @property
    def stated(self) -> Statements:
        """What the last version of the name says, which goes on to hold until somebody says otherwise."""
        if self.base is None or not self.follows:
            return Statements()
        kept = (self.base.release.terms or {}).get("statements")
        return Statements(**kept) if kept else Statements()

    @property
    def next_version(self) -> str:
        return freeze_page.version_to_suggest(self.base, self.difference)

    def takes(self, check: str) -> str | None:
        """Where the reason is to be given why the release is made although this check does not let it pass."""
        if check == checks.AUDIT:
            return "reason" if self.needs_reason else None
        return f"{WAIVERS}{check}" if check in self.failing else None


def is_freezable(run: Run) -> bool:
    """Whether there is anything to freeze; where not, releases.request says why."""
    return run.state == Run.State.DONE and bool(run.funnel["accepted"])


def facts(run: Run, plan: Plan, *, now: datetime) -> Facts:
    state = audit_queries.state(run, now=now)
    record = audit_queries.record_of(run, audit=state.audit)
    base = freeze_page.base_of(run.project, plan.name)
    return Facts(
        plan=plan,
        state=state,
        record=record,
        checked=freeze_facts.checked(run, plan, found=record, state=state),
        base=base,
        difference=None if base is None else release_differences.between(base.release.run, run),
    )


def twin(run: Run, asked: Asked, *, by: User) -> Release | None:
    """The release that the same person asked for in the same words: a form that was sent twice."""
    found = freeze_page.twin(run, asked.terms(), by=by)
    if found is None or found.terms.get("statements") != asked.statements.as_dict():
        return None
    return found


def request(
    run: Run, asked: Asked, found: Facts, *, wrong: Mapping[str, str], by: User, now: datetime
) -> Release:
    """The release in waiting. The caller nudges a worker once this is committed.

    `found` are the facts of asked.plan; `wrong` says by field what the caller found not well formed. FieldsRefused
    names this and what stands against the release, all at once; the fields are those of Asked, and waivers.CHECK.
    """
    against = {name: refusal for name, refusal in _refusals(run, asked, found).items() if name not in wrong}
    if wrong or against:
        sole = next(iter(against.values())).code if len(against) == 1 and not wrong else SEVERAL
        said = {name: refusal.message for name, refusal in against.items()}
        raise FieldsRefused(sole, {**wrong, **said})
    try:
        return releases.request(
            run, **asked.terms(), reason=asked.reason, checks=_kept(asked, found), by=by, now=now
        )
    except FieldsRefused:
        raise
    except Invalid as refusal:
        place = FIELDS.get(refusal.code, "")
        raise FieldsRefused(refusal.code, {place: refusal.message}) from refusal


def _kept(asked: Asked, found: Facts) -> tuple[Check, ...]:
    """The checks as the release keeps them, with the reasons given and what changed."""
    reasons = {name: asked.waivers.get(name, "") for name in found.failing} | {checks.AUDIT: asked.reason}
    kept = checks.waived(found.checked.checks, reasons)
    return (*kept, freeze_page.difference_check(found.base, found.difference))


# --- what stands against it --------------------------------------------------------------------------------


def _refusals(run: Run, asked: Asked, found: Facts) -> dict[str, Invalid]:
    """By field. Said all at once, not one after another as each before it is mended."""
    refused = {
        f"{WAIVERS}{check}": _missing(_("Mend it, or say why the release is made all the same."))
        for check in found.failing
        if not asked.waivers.get(check)
    }
    if found.follows and not asked.note:
        refused["note"] = _missing(_("Say what changed since the last version."))
    if message := _of_version(asked.version, found):
        refused["version"] = _missing(message)
    if asked.heldout_percent and _is_lopsided(found):
        message = _("One of the two splits would have no prompt. Hold out another share.")
        refused["heldout_percent"] = _missing(message)
    if found.needs_reason and (refusal := _of_audit(run, asked.reason)):
        refused["reason"] = refusal
    return refused


def _missing(message: str) -> Invalid:
    return Invalid(SEVERAL, message)


def _of_version(written: str, found: Facts) -> str:
    """Whether it comes after the last, and rises as far as the difference demands; "" where it does. One that is taken,
    or is none, releases.request refuses."""
    version, last = versions.parse(written), found.last
    if version is None or last is None or found.difference is None or version.place == last.place:
        return ""
    bump = found.difference.bump
    refusal = versions.refusal(version, last, bump)
    if not refusal:
        return ""
    if refusal == versions.LOWER:
        said = _("The last version of this name is %(last)s. Use %(next)s, or a later one.")
    elif bump is Bump.MAJOR:
        said = _(
            "Pairs of %(last)s leave or turn around, so the first number rises: use %(next)s, or a later one."
        )
    else:
        said = _(
            "Pairs join those of %(last)s or change, so the second number rises: use %(next)s, or a later one."
        )
    return said % {"last": last, "next": versions.raised(last, bump)}


def _is_lopsided(found: Facts) -> bool:
    """A split without a prompt could not be made."""
    splits = next(check.detail for check in found.checked.checks if check.name == checks.SPLITS)
    return splits["heldout"] in (0, splits["prompts"])


def _of_audit(run: Run, reason: str) -> Invalid | None:
    try:
        audits.passed(run, reason=reason)
    except Invalid as refusal:
        return refusal
    return None

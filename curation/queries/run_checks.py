"""What a lead looks at before a release is frozen: checks in words, each with whether it passed and where to look.

The audit is the one that freezing asks a reason for; the others tell.
"""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.queries import setup
from curation.domain.audit import record
from curation.domain.audit.record import Record
from curation.models import Run
from curation.queries.audit_page import share_in_words
from curation.queries.audit_words import excess_in_words, limit_in_words
from curation.queries.audits import AuditState

PASSED, FAILED, OPEN = "passed", "failed", "open"


@dataclass(frozen=True, slots=True)
class Check:
    """`parts` are sentences of their own beneath, each with its address."""

    key: str
    outcome: str
    title: str
    says: str
    address: str = ""
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def has_passed(self) -> bool:
        return self.outcome == PASSED

    @property
    def has_failed(self) -> bool:
        return self.outcome == FAILED


def checks(run: Run, found: Record, state: AuditState) -> tuple[Check, ...]:
    return (
        _audit(run, found),
        _length(run, found),
        _ratings(run, state),
        _alpha(run),
        _flags(run),
        _licence(),
    )


def _audit(run: Run, found: Record) -> Check:
    page = reverse("audit", args=[run.project.slug, run.pk])
    title = _("Signal audit")
    if found.state == record.FAILED:
        return Check("audit", FAILED, title, _("The audit failed."), page)
    if found.state == record.NOT_DONE:
        return Check("audit", OPEN, title, _("The pairs have not been audited yet."), page)
    outside = found.exceeded
    if not outside:
        return Check("audit", PASSED, title, _("The pairs are within every limit that is set."), page)
    says = ngettext(
        "The pairs are outside %(n)d limit. A release takes a reason.",
        "The pairs are outside %(n)d limits. A release takes a reason.",
        len(outside),
    )
    parts = tuple((excess_in_words(each), f"{page}#limit-{each.key}") for each in outside)
    return Check("audit", FAILED, title, says % {"n": len(outside)}, page, parts)


def _length(run: Run, found: Record) -> Check:
    title, page = _("Length"), reverse("audit", args=[run.project.slug, run.pk]) + "#signals-title"
    if found.found is None:
        return Check(
            "length", OPEN, title, _("How often the longer text wins is known with the audit."), page
        )
    limit = found.limits.as_dict()["longer"]
    share = share_in_words(found.found.shares()["longer"])
    says = _("The longer text wins in %(share)s of pairs.") % {"share": share}
    if limit is None:
        return Check("length", OPEN, title, says + " " + _("No limit is set."), page)
    says += " " + _("Allowed: %(limit)s.") % {"limit": limit_in_words("longer", limit)}
    is_out = "longer" in {each.key for each in found.exceeded}
    return Check("length", FAILED if is_out else PASSED, title, says, page)


def _ratings(run: Run, state: AuditState) -> Check:
    title = _("Scores behind each pair")
    if not state.is_done:
        return Check("ratings", OPEN, title, _("They are counted with the audit."))
    ratings = state.result["ratings"]
    asked, below = ratings["asked"], ratings["below"]
    page = reverse("progress", args=[run.project.slug])
    if not below:
        says = _("Every pair rests on at least %(asked)d annotators who scored both, as the project asks.")
        return Check("ratings", PASSED, title, says % {"asked": asked}, page)
    says = ngettext(
        "%(n)s pair rests on fewer annotators who scored both than the %(asked)d that the project asks of a "
        "response; the fewest are %(fewest)d.",
        "%(n)s pairs rest on fewer annotators who scored both than the %(asked)d that the project asks of a "
        "response; the fewest are %(fewest)d.",
        below,
    )
    values = {"n": number_format(below, force_grouping=True), "asked": asked, "fewest": ratings["fewest"]}
    return Check("ratings", FAILED, title, says % values, page)


def _alpha(run: Run) -> Check:
    title, page = _("Agreement"), reverse("agreement", args=[run.project.slug])
    value, floor = run.agreement["alpha"]["ordinal"]["value"], float(run.project.alpha_acceptable)
    if value is None:
        return Check("alpha", FAILED, title, _("Krippendorff's alpha is not defined."), page)
    says = _(
        "Krippendorff's alpha (ordinal) is %(value)s; the project calls it acceptable from %(floor)s on."
    )
    says %= {"value": f"{value:.2f}", "floor": f"{floor:g}"}
    return Check("alpha", PASSED if value >= floor else FAILED, title, says, page)


def _flags(run: Run) -> Check:
    title, page = _("Flags"), reverse("triage", args=[run.project.slug])
    n = setup.open_flags(run.project)
    if not n:
        return Check("flags", PASSED, title, _("No flag waits for a decision."), page)
    says = ngettext("%(n)s flag waits for a decision.", "%(n)s flags wait for a decision.", n)
    return Check("flags", FAILED, title, says % {"n": number_format(n, force_grouping=True)}, page)


def _licence() -> Check:
    says = _("None can be chosen here yet, and the card says so. A release from files takes one.")
    return Check("licence", OPEN, _("Licence"), says)

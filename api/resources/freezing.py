"""Asking for a release as its page does: the same checks, the same form, the same demands on the version."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.services.refusals import FieldsRefused
from curation.domain import release_checks as checks
from curation.domain import release_versions as versions
from curation.domain.release.described import LICENCES
from curation.domain.release_difference import Difference
from curation.forms.releases import FreezeForm
from curation.models import Release, Run
from curation.queries import audits, freeze_facts, freeze_page
from curation.queries.freeze_facts import Checked, Plan
from curation.queries.freeze_page import Base
from curation.services import release_differences, releases

WAIVER = "waiver_"  # before the name of a check in the form
OF_THE_FORM = {"licence_other": "licence", "__all__": ""}


@dataclass(frozen=True, slots=True)
class Facts:
    """What stands for and against a release of a run."""

    checked: Checked
    is_within: bool  # the limits of its audit
    base: Base | None
    difference: Difference | None

    @property
    def failing(self) -> list[str]:
        """Checks that take a reason of their own to be let pass; that of the audit is `reason`."""
        return [name for name in checks.unwaived(self.checked.checks) if name != checks.AUDIT]

    def _takes(self, check: str) -> str | None:
        """Where the reason is to be given why the release is made all the same."""
        if check == checks.AUDIT:
            return None if self.is_within else "reason"
        return f"waivers.{check}" if check in self.failing else None

    def as_dict(self) -> dict[str, object]:
        last = self.base.last if self.base else None
        return {
            "checks": [
                {
                    "name": each.name,
                    "state": each.state,
                    "detail": each.detail,
                    "takes": self._takes(each.name),
                }
                for each in self.checked.checks
            ],
            "last_version": str(last) if last else None,
            "next_version": freeze_page.version_to_suggest(self.base, self.difference),
            "difference": self.difference.counts() if self.difference else None,
        }


def name_of(run: Run) -> str:
    """As the page proposes it."""
    return freeze_page.name_to_suggest(run.project)


def facts(run: Run, given: Mapping[str, Any]) -> Facts:
    """Of a run that is done, for a release as it is asked for."""
    draft = FreezeForm(_as_form(given))
    draft.is_valid()  # what is not well formed counts as not given, and is refused with all else
    return _facts(run, Plan(draft.cleaned_data.get("name", ""), draft.lines(), draft.percent()))


def request(run: Run, given: Mapping[str, Any], *, by: User) -> Release:
    """The release in waiting. FieldsRefused names what is missing, by field and by check."""
    now = timezone.now()
    if run.state != Run.State.DONE or not run.funnel["accepted"]:
        return releases.request(run, name=given["name"], version=given["version"], by=by, now=now)
    found = facts(run, given)
    form = FreezeForm(
        _as_form(given),
        failing=found.failing,
        needs_reason=not found.is_within,
        follows=found.base is not None and found.base.last is not None,
    )
    refused = {} if form.is_valid() else _refused(form)
    refused |= _of_version(given["version"], found)
    if form.percent() and _is_lopsided(found):
        refused["heldout_percent"] = _("One of the two splits would have no prompt. Hold out another share.")
    if refused:
        raise FieldsRefused("not_accepted", refused)
    reasons = {**form.waivers(), checks.AUDIT: form.given_reason()}
    kept = checks.waived(found.checked.checks, reasons)
    kept += (freeze_page.difference_check(found.base, found.difference),)
    return releases.request(
        run, **form.terms(), reason=form.given_reason(), checks=kept, by=by, now=timezone.now()
    )


def _facts(run: Run, plan: Plan) -> Facts:
    state = audits.state(run, now=timezone.now())
    record = audits.record_of(run, audit=state.audit)
    base = freeze_page.base_of(run.project, plan.name)
    return Facts(
        checked=freeze_facts.checked(run, plan, found=record, state=state),
        is_within=record.is_within,
        base=base,
        difference=None if base is None else release_differences.between(base.release.run, run),
    )


def _as_form(given: Mapping[str, Any]) -> dict[str, Any]:
    """As the page's form sends it."""
    licence = given.get("licence", "")
    is_listed = not licence or licence in LICENCES
    waivers = {f"{WAIVER}{check}": reason for check, reason in given.get("waivers", {}).items()}
    return {
        **given,
        **waivers,
        "licence": licence if is_listed else FreezeForm.OTHER,
        "licence_other": "" if is_listed else licence,
        "confirm": given.get("name", ""),
    }


def _refused(form: FreezeForm) -> dict[str, str]:
    return {
        OF_THE_FORM.get(name, name).replace(WAIVER, "waivers."): " ".join(map(str, reasons))
        for name, reasons in form.errors.items()
        if name != "confirm"
    }


def _of_version(written: str, found: Facts) -> dict[str, str]:
    """One that is taken, or is none, the service refuses."""
    version = versions.parse(written)
    last = found.base.last if found.base is not None else None
    if version is None or last is None or found.difference is None or version.place == last.place:
        return {}
    bump = found.difference.bump
    if not versions.refusal(version, last, bump):
        return {}
    said = _("The last version of this name is %(last)s. Use %(next)s, or a later one.")
    return {"version": said % {"last": last, "next": versions.raised(last, bump)}}


def _is_lopsided(found: Facts) -> bool:
    splits = next(check.detail for check in found.checked.checks if check.name == checks.SPLITS)
    return splits["heldout"] in (0, splits["prompts"])

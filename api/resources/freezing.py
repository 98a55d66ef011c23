"""Asking for a release as its page does: the same form, the same rules."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from annotation.models import User
from curation.forms.releases import FreezeForm
from curation.models import Release, Run
from curation.queries import freeze_page
from curation.services import freezing, releases


@dataclass(frozen=True, slots=True)
class Told:
    """What stands for and against a release of a run."""

    facts: freezing.Facts

    def as_dict(self) -> dict[str, object]:
        found = self.facts
        return {
            "checks": [
                {
                    "name": each.name,
                    "state": each.state,
                    "detail": each.detail,
                    "takes": found.takes(each.name),
                }
                for each in found.checked.checks
            ],
            "last_version": str(found.last) if found.last else None,
            "next_version": found.next_version,
            "difference": found.difference.counts() if found.difference else None,
        }


def name_of(run: Run) -> str:
    """As the page proposes it."""
    return freeze_page.name_to_suggest(run.project)


def facts(run: Run, given: Mapping[str, Any]) -> Told:
    """Of a run that is done, for a release as it is asked for."""
    return Told(_facts(run, given))


def request(run: Run, given: Mapping[str, Any], *, by: User) -> Release:
    """The release in waiting. FieldsRefused names what is missing, by field and by check."""
    if not freezing.is_freezable(run):
        return releases.request(run, name=given["name"], version=given["version"], by=by, now=timezone.now())
    found = _facts(run, given)
    form = FreezeForm(
        {**found.stated.as_dict(), **_as_form(given)},
        failing=found.failing,
        needs_reason=found.needs_reason,
        follows=found.follows,
    )
    wrong = {name: said for name, said in form.wrong().items() if name != "confirm"}
    asked = replace(form.asked(), licence=given.get("licence", ""))
    return freezing.request(run, asked, found, wrong=wrong, by=by, now=timezone.now())


def _facts(run: Run, given: Mapping[str, Any]) -> freezing.Facts:
    draft = FreezeForm(_as_form(given))
    draft.is_valid()  # what is not well formed counts as not given, and is refused with all else
    return freezing.facts(run, draft.asked().plan, now=timezone.now())


def _as_form(given: Mapping[str, Any]) -> dict[str, Any]:
    """As the page's form sends it; a licence is any id here, which the release takes or refuses."""
    waivers = {f"{FreezeForm.WAIVER}{check}": reason for check, reason in given.get("waivers", {}).items()}
    return {**given, **waivers, "licence": "", "confirm": given.get("name", "")}

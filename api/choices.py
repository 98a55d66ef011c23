"""Of which judgements a report is to speak, as notebooks say it: the choice of the pages, with rounds by name."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from urllib.parse import urlencode

from django.http import QueryDict
from rest_framework.exceptions import ParseError

from annotation.models import Project, Round
from annotation.queries.imports import capped
from api.parameters import BadParameter, UnknownParameter
from curation.domain.choice import DAYS, Choice
from curation.queries import agreement_page

NAMED = ("genre", "language", "annotator", "round")
PARAMETERS = (*NAMED, *DAYS)
DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOST_LISTED = 50  # names that a refusal lists


def of_query(project: Project, query: QueryDict) -> Choice:
    """What stands in the address, where each name is known and stands once."""
    return _choice(project, query.dict())


def of_object(project: Project, value: object) -> Choice:
    """A JSON object with the same names; null and "" choose everything."""
    if not isinstance(value, dict):
        raise ParseError("Write one JSON object.")
    unknown = sorted(set(value) - set(PARAMETERS))
    if unknown:
        raise UnknownParameter(
            f"{capped(unknown[0])} is not known here; this address takes {', '.join(PARAMETERS)}."
        )
    for name, wanted in value.items():
        if not isinstance(wanted, str | None):
            raise BadParameter(f"{name} is a string, or null for everything.")
    return _choice(project, {name: wanted or "" for name, wanted in value.items()})


def shown(project: Project, choice: Choice) -> dict[str, str | None]:
    """Every name with what is chosen, None for everything."""
    found = {name: str(getattr(choice, name) or "") or None for name in PARAMETERS}
    if choice.round:
        found["round"] = project.rounds.values_list("name", flat=True).get(pk=int(choice.round))
    return found


def as_query(chosen: Mapping[str, str | None]) -> str:
    """What `shown` gave as it stands in an address; "" for everything."""
    given = urlencode([(name, value) for name, value in chosen.items() if value])
    return f"?{given}" if given else ""


def _choice(project: Project, given: Mapping[str, str]) -> Choice:
    named = {name: given[name] for name in NAMED if given.get(name)}
    if named:
        there = _there(project)
        for name, wanted in named.items():
            if wanted not in there[name]:
                raise BadParameter(f"There is no {name} {capped(wanted)}. {_listed(there[name])}")
        named = {name: there[name][wanted] for name, wanted in named.items()}
    since, until = (_day(name, given.get(name, "")) for name in DAYS)
    if since and until and since > until:
        raise BadParameter("until comes before since. Give a later day.")
    return Choice(**named, since=since, until=until)


def _there(project: Project) -> dict[str, dict[str, str]]:
    """By parameter, the names that can be given, and what a choice calls them."""
    options = agreement_page.options(project, language="en")
    there = {
        name: {value: value for value, _name in options[name]} for name in ("genre", "language", "annotator")
    }
    live = project.rounds.filter(purpose=Round.Purpose.LIVE).order_by("pk")
    return {**there, "round": {name: str(pk) for pk, name in live.values_list("pk", "name")}}


def _listed(names: Iterable[str]) -> str:
    told = [capped(name) for name in names]
    if not told:
        return "There are none."
    more = len(told) - MOST_LISTED
    rest = f" and {more} more" if more > 0 else ""
    return f"There are: {', '.join(told[:MOST_LISTED])}{rest}."


def _day(name: str, text: str) -> date | None:
    if not text:
        return None
    try:
        # Python reads 20260131 and 2026-W05-6 too, which no page would say.
        return date.fromisoformat(text if DAY.fullmatch(text) else "")
    except ValueError as error:
        raise BadParameter(f"{name} is a day such as 2026-01-31, not {capped(text)}.") from error

"""What the page of an audit prints: each limit with what was found, models, and the places of copies and leaks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain.sentences import Said
from annotation.models import Project
from curation.domain.audit.found import COUNTS, SIGNALS, Share
from curation.domain.audit.record import Record
from curation.models import Audit, Release
from curation.queries.audit_words import (
    LIMITS,
    MEANINGS,
    limit_in_words,
    percent,
    reason_in_words,
)

ON_A_PAGE = 20
MOST_FAMILIES = 50
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LimitLine:
    """`is_met` is None where the limit is off, and where there is nothing yet to hold against it."""

    key: str
    name: str
    means: str
    found: str
    limit: str
    is_met: bool | None


@dataclass(frozen=True, slots=True)
class FamilyLine:
    name: str
    chosen: int
    rejected: int
    share_chosen: float  # percent of the chosen sides whose model is known
    share_rejected: float


@dataclass(frozen=True, slots=True)
class Named:
    """A response by its id, and where its text is to be read, "" where it is not here for the reader."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class CopyLine:
    """`release` is that of the other, "" within the run."""

    response: Named
    other: Named
    release: str
    release_address: str
    share: str


@dataclass(frozen=True, slots=True)
class LeakLine:
    response: Named
    says: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    pairs: int
    prompts: int
    few: bool
    unknown: int  # sides whose model is not known
    families: tuple[FamilyLine, ...]
    more_families: int
    copies: Page
    earlier: Page
    leaks: Page
    exact: int
    near: int
    same_prompt: int
    earlier_exact: int
    earlier_near: int
    earlier_texts: int
    not_compared: int
    again: int
    releases: int
    leaking: int
    leaking_pairs: int
    leaking_chosen: int
    leaking_rejected: int


def limit_lines(record: Record) -> tuple[LimitLine, ...]:
    """Every limit in the order of the domain, met or not."""
    limits, exceeded = record.limits.as_dict(), {each.key for each in record.exceeded}
    return tuple(
        LimitLine(
            key=key,
            name=str(LIMITS[key]),
            means=str(MEANINGS[key]),
            found=_found(record, key),
            limit=limit_in_words(key, limits[key]),
            is_met=None if limits[key] is None or not _is_found(record, key) else key not in exceeded,
        )
        for key in LIMITS
    )


def _is_found(record: Record, key: str) -> bool:
    """Whether there is a number to hold against the limit."""
    if record.found is None:
        return False
    return key in COUNTS or record.found.shares()[key].rate is not None


def _found(record: Record, key: str) -> str:
    if record.found is None:
        return "–"
    if key in COUNTS:
        n = record.found.counts()[key]
        return ngettext("%(n)d response", "%(n)d responses", n) % {"n": n}
    return share_in_words(record.found.shares()[key])


def share_in_words(share: Share) -> str:
    if share.rate is None or share.interval is None:
        return _("not defined: %(reason)s") % {"reason": reason_in_words(share.reason)}
    return _("%(share)s %% (%(low)s to %(high)s)") % {
        "share": percent(share.rate),
        "low": percent(share.interval.low),
        "high": percent(share.interval.high),
    }


@dataclass(frozen=True, slots=True)
class Pages:
    """Which page of each list is open, as the address says it."""

    copies: str = ""
    earlier: str = ""
    leaks: str = ""


def audit_page(audit: Audit, *, sighted: QuerySet[Release], pages: Pages) -> AuditPage:
    """`sighted` are the releases that the reader may see: of texts of any other it says no more than that they are."""
    result: Json = audit.result
    within, before, leaks = result["copies"], result["earlier"], result["leaks"]
    shown = [
        Paginator(rows, ON_A_PAGE).get_page(number)
        for rows, number in (
            (within["named"], pages.copies),
            (before["named"], pages.earlier),
            (leaks["named"], pages.leaks),
        )
    ]
    lines = _Lines(audit.run.project, sighted, shown)
    families = sorted(result["families"]["families"], key=lambda each: -(each["chosen"] + each["rejected"]))
    return AuditPage(
        pairs=result["signals"]["pairs"],
        prompts=result["signals"]["prompts"],
        few=result["signals"]["few"],
        unknown=result["families"]["unknown_chosen"] + result["families"]["unknown_rejected"],
        families=tuple(map(_family, families[:MOST_FAMILIES])),
        more_families=max(0, len(families) - MOST_FAMILIES),
        copies=_filled(shown[0], lines.copy),
        earlier=_filled(shown[1], lines.copy),
        leaks=_filled(shown[2], lines.leak),
        exact=within["exact"],
        near=within["near"],
        same_prompt=within["same_prompt"],
        earlier_exact=before["exact"],
        earlier_near=before["near"],
        earlier_texts=before["earlier"],
        not_compared=before["not_compared"],
        again=result["again"],
        releases=len(result["releases"]),
        leaking=leaks["responses"],
        leaking_pairs=leaks["pairs"],
        leaking_chosen=leaks["chosen"],
        leaking_rejected=leaks["rejected"],
    )


def _filled(page: Page, line: Any) -> Page:
    page.object_list = [line(row) for row in page.object_list]
    return page


def _family(each: Json) -> FamilyLine:
    return FamilyLine(
        name=each["name"],
        chosen=each["chosen"],
        rejected=each["rejected"],
        share_chosen=100 * each["share_chosen"],
        share_rejected=100 * each["share_rejected"],
    )


class _Lines:
    """Rows of lists with addresses: responses and releases of what is open are looked up in a query each."""

    def __init__(self, project: Project, sighted: QuerySet[Release], shown: Sequence[Page]) -> None:
        self._slug = project.slug
        rows = [row for page in shown for row in page.object_list]
        labels = {row["release"] for row in rows if row.get("release")}
        self._releases = self._labelled(sighted, labels)
        names = {row["response"] for row in rows} | {row["other"] for row in rows if "other" in row}
        self._responses = dict(
            project.responses.filter(external_id__in=names).values_list("external_id", "pk")
        )
        self._own = project

    def _labelled(self, sighted: QuerySet[Release], labels: Iterable[str]) -> dict[str, Release]:
        names = {label.partition(" ")[0] for label in labels}
        found = sighted.filter(name__in=names) if names else ()
        return {f"{release.name} {release.version}": release for release in found}

    def _named(self, name: str) -> Named:
        pk = self._responses.get(name)
        return Named(name, reverse("judged_response", args=[self._slug, pk]) if pk else "")

    def copy(self, row: Json) -> CopyLine:
        label = row["release"]
        release = self._releases.get(label)
        if not label:
            other, address = self._named(row["other"]), ""
        elif release is None:
            # Of a project that the reader has no sight of: that there is a copy is said, and no more.
            other, label, address = Named(_("a text of another project"), ""), "", ""
        else:
            is_own = release.project_id == self._own.pk
            other = self._named(row["other"]) if is_own else Named(row["other"], "")
            address = reverse("release", args=[release.name, release.version])
        return CopyLine(self._named(row["response"]), other, label, address, percent(row["share"]))

    def leak(self, row: Json) -> LeakLine:
        detail = Said(row["detail"]["template"], row["detail"]["values"])
        return LeakLine(self._named(row["response"]), _(detail.template).format(**detail.values))


def figures(audit: Audit, *, language: str) -> list[Json]:
    """Those of one language, in the order of the page."""
    kept = {figure.key: figure.content for figure in audit.figures.filter(language=language)}
    order = ["signals", *(f"genres-{name.replace('_', '-')}" for name in SIGNALS), "families"]
    return [kept[key] for key in order if key in kept]

"""What the pages of a release say beside its files: its terms, whether it was yanked, who reads and who took what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext_lazy as _

from curation.domain import release_checks as names
from curation.domain.release.described import LICENCES
from curation.domain.release.splits import is_withheld
from curation.domain.terms import Terms
from curation.models import Release, ReleaseReader, Yank
from curation.queries import freeze_page
from curation.queries.freeze_page import CheckLine, CountLine

ON_A_PAGE = 50
HELDOUT = {
    "": _("Nothing is held out."),
    "labels": _("Held out: which text is chosen of %(percent)s %% of prompts."),
    "all": _("Held out: all of %(percent)s %% of prompts."),
}


@dataclass(frozen=True, slots=True)
class Against:
    """What the release was held against when it was frozen."""

    name: str
    version: str
    counts: tuple[CountLine, ...]
    same: int


@dataclass(frozen=True, slots=True)
class TermsPage:
    note: str
    licence: str
    contested: bool
    heldout: str
    is_withholding: bool
    checks: tuple[CheckLine, ...]
    against: Against | None


def yank_of(release: Release) -> Yank | None:
    return Yank.objects.select_related("yanked_by").filter(release=release).first()


@dataclass(frozen=True, slots=True)
class FileLine:
    """`is_open` to whoever looks."""

    path: str
    size: int
    sha256: str
    is_open: bool


def files_of(release: Release, *, with_withheld: bool) -> list[FileLine]:
    rows = release.files.order_by("path").values_list("path", "size", "sha256")
    return [
        FileLine(path, size, sha256, with_withheld or not is_withheld(path)) for path, size, sha256 in rows
    ]


def terms_of(release: Release) -> TermsPage | None:
    """None of releases of earlier versions, which had none."""
    if release.terms is None:
        return None
    terms = Terms.from_dict(release.terms)
    known = LICENCES.get(terms.licence)
    return TermsPage(
        note=terms.note,
        licence=f"{known.title} ({terms.licence})" if known else terms.licence,
        contested=terms.contested,
        heldout=HELDOUT[terms.heldout] % {"percent": terms.heldout_percent},
        is_withholding=bool(terms.heldout),
        checks=freeze_page.kept_lines(release.project, terms.checks),
        against=_against(terms),
    )


def _against(terms: Terms) -> Against | None:
    kept = next((check.detail for check in terms.checks if check.name == names.DIFFERENCE), None)
    other = kept and kept["against"]
    if not isinstance(other, Mapping) or kept is None:
        return None
    counts: Mapping[str, int] = {key: value for key, value in kept.items() if isinstance(value, int)}
    return Against(other["name"], other["version"], freeze_page.count_lines(counts), counts.get("same", 0))


def readers(release: Release) -> Sequence[ReleaseReader]:
    return release.readers.select_related("user", "added_by").order_by("user__username")


def downloads(release: Release, number: str) -> Page:
    """The newest first. A page that there is not is the nearest that there is."""
    rows = release.downloads.select_related("user").order_by("-pk")
    return Paginator(rows, ON_A_PAGE).get_page(number)

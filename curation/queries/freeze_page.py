"""The page on which a lead freezes a run: its checks in words with where to mend them, and what would change."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from annotation.models import Project, Response, User
from annotation.queries.people import language_name
from annotation.queries.rubrics import genre_names, reader_language
from curation.domain import release_checks as names
from curation.domain import release_difference as kinds
from curation.domain import release_versions as versions
from curation.domain.audit.record import Record
from curation.domain.charts import Cell, Column, Table
from curation.domain.pair_story import fraction
from curation.domain.release_difference import Change, Difference, PairFacts
from curation.domain.release_versions import Bump, Version
from curation.domain.terms import Check
from curation.models import Release, Run
from curation.queries import freeze_words
from curation.queries.audit_words import excess_in_words
from curation.queries.freeze_facts import Checked
from curation.queries.runs import REASONS

ON_A_PAGE = 50
STATES = {
    names.PASSED: pgettext_lazy("a check", "passed"),
    names.FAILED: pgettext_lazy("a check", "failed"),
    names.UNKNOWN: pgettext_lazy("a check", "unknown"),
}
KINDS = {
    kinds.REMOVED: pgettext_lazy("a change", "Removed"),
    kinds.DROPPED: gettext_lazy("Rejected now"),
    kinds.FLIPPED: gettext_lazy("Other side chosen"),
    kinds.CHANGED: pgettext_lazy("a change", "Changed"),
    kinds.TAKEN: gettext_lazy("Accepted now"),
    kinds.ADDED: pgettext_lazy("a change", "Added"),
}
MEANINGS = {
    kinds.REMOVED: gettext_lazy("a response of it is no longer there"),
    kinds.DROPPED: gettext_lazy("it was accepted, and a rule rejects it"),
    kinds.FLIPPED: gettext_lazy("the same two responses, decided the other way"),
    kinds.CHANGED: gettext_lazy("the same side is chosen, with other votes, means or texts"),
    kinds.TAKEN: gettext_lazy("a rule had rejected it, and it is accepted"),
    kinds.ADDED: gettext_lazy("a response of it was not there before"),
}
WHAT = {
    kinds.VOTES: gettext_lazy("votes"),
    kinds.GAP: gettext_lazy("gap"),
    kinds.MEANS: gettext_lazy("means"),
    kinds.TEXT: gettext_lazy("text"),
}
OTHER_REASONS = {
    "gone": gettext_lazy("A response is no longer material of the project"),
    "new": gettext_lazy("A response is new"),
    "balance": gettext_lazy("Length symmetry or the quota took it out"),
    "unknown": gettext_lazy("The material is not as the run saw it, so the reason is not known"),
}
BUMPS = {
    Bump.MAJOR: gettext_lazy("Pairs leave or turn around, so the first number rises."),
    Bump.MINOR: gettext_lazy("Pairs join or their votes change, so the second number rises at least."),
    Bump.PATCH: gettext_lazy("No pair differs, so the third number is enough."),
}
REMOVAL = "removed:"
COLUMNS = (
    *("change", "prompt", "chosen", "rejected", "chosen_before", "rejected_before"),
    *("votes_before", "votes", "k_before", "k", "gap_before", "gap", "what", "reason"),
)


@dataclass(frozen=True, slots=True)
class CheckLine:
    """`parts` are sentences beneath, each with its address or "". `address` is where it can be mended; `waiver` is why
    it was let pass all the same."""

    key: str
    title: str
    state: str
    shown: str
    says: str
    means: str
    address: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    waiver: str = ""

    @property
    def has_failed(self) -> bool:
        return self.state == names.FAILED

    @property
    def has_passed(self) -> bool:
        return self.state == names.PASSED


@dataclass(frozen=True, slots=True)
class CountLine:
    key: str
    label: str
    means: str
    number: int


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """`votes` and `gap` are those of both runs with an arrow between them where there are two."""

    label: str
    prompt: str
    chosen: str
    rejected: str
    votes: str
    gap: str
    says: str


@dataclass(frozen=True, slots=True)
class Base:
    """What a release is held against: the last of its name, or else the newest of the project. `last` is the highest
    version of the name, None where there is none."""

    release: Release
    last: Version | None


def base_of(project: Project, name: str) -> Base | None:
    """A release that waits or is being made counts, for it will be there first; one that failed does not."""
    rows = Release.objects.select_related("run__recipe", "run__snapshot", "run__project").filter(
        project=project
    )
    standing = rows.exclude(state=Release.State.FAILED)
    same = [
        (parsed, release)
        for release in standing.filter(name=name)
        if (parsed := versions.parse(release.version)) is not None
    ]
    if same:
        last, release = max(same, key=lambda each: each[0].place)
        return Base(release, last)
    newest = standing.order_by("-pk").first()
    return None if newest is None else Base(newest, None)


def name_to_suggest(project: Project) -> str:
    newest = Release.objects.filter(project=project).order_by("-pk").values_list("name", flat=True).first()
    return newest or project.slug


def version_to_suggest(base: Base | None, found: Difference | None) -> str:
    if base is None or base.last is None or found is None:
        return versions.FIRST
    return str(versions.raised(base.last, found.bump))


def twin(run: Run, terms: Mapping[str, object], *, by: User) -> Release | None:
    """The release that the same person asked for in the same words: a form that was sent twice."""
    found = Release.objects.filter(
        run=run, name=terms["name"], version=terms["version"], queued_by=by
    ).first()
    asked = ("note", "licence", "contested", "heldout", "heldout_percent")
    if found is None or any((found.terms or {}).get(name) != terms[name] for name in asked):
        return None
    return found


def difference_check(base: Base | None, found: Difference | None) -> Check:
    """The counts as a release keeps them, beside its checks."""
    against = None if base is None else {"name": base.release.name, "version": base.release.version}
    counts = {} if found is None else {**found.counts(), "same": found.same}
    return Check(names.DIFFERENCE, names.PASSED, {"against": against, **counts})


# --- checks ----------------------------------------------------------------------------------------------


def kept_lines(project: Project, checks: Iterable[Check]) -> tuple[CheckLine, ...]:
    """Of checks that a release keeps."""
    return tuple(
        _line(check, parts=_strata(project, check), waiver=check.waiver)
        for check in checks
        if check.name in freeze_words.TITLES
    )


def lines(run: Run, found: Checked, record: Record) -> tuple[CheckLine, ...]:
    places = _addresses(run)
    named = _named(run.project, found.named)
    parts = {
        names.AUDIT: tuple(
            (excess_in_words(each), f"{places[names.AUDIT]}#limit-{each.key}") for each in record.exceeded
        ),
        **named,
    }
    return tuple(
        _line(
            check,
            parts=parts.get(check.name) or _strata(run.project, check),
            address="" if check.state == names.PASSED and check.name == names.SPLITS else places[check.name],
        )
        for check in found.checks
    )


def _line(
    check: Check, *, parts: tuple[tuple[str, str], ...], address: str = "", waiver: str = ""
) -> CheckLine:
    return CheckLine(
        key=check.name,
        title=str(freeze_words.TITLES[check.name]),
        state=check.state,
        shown=str(STATES[check.state]),
        says=freeze_words.says(check),
        means=str(freeze_words.MEANINGS[check.name]),
        address=address,
        parts=parts,
        waiver=waiver,
    )


def _addresses(run: Run) -> dict[str, str]:
    slug = run.project.slug
    audit = reverse("audit", args=[slug, run.pk])
    triage = reverse("triage", args=[slug])
    return {
        names.QUOTA: reverse("progress", args=[slug]),
        names.AGREEMENT: reverse("agreement", args=[slug]),
        names.RATINGS: reverse("progress", args=[slug]),
        names.LENGTH: f"{audit}#signals-title",
        names.AUDIT: audit,
        names.FLAGS: triage,
        names.LICENCES: reverse("imports", args=[slug]),
        names.PERSONAL: triage,
        names.IDENTITY: f"{audit}#leaks-title",
        names.COPIES: f"{audit}#earlier-title",
        names.SPLITS: reverse("imports", args=[slug]),
    }


def _named(project: Project, named: Mapping[str, Sequence[str]]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Responses with where to read them; prompts, which have no page of their own, by their ids."""
    wanted = {name for some in named.values() for name in some}
    keys = dict(project.responses.filter(external_id__in=wanted).values_list("external_id", "pk"))
    return {
        check: tuple(
            (name, reverse("judged_response", args=[project.slug, keys[name]]) if name in keys else "")
            for name in some
        )
        for check, some in named.items()
    }


def _strata(project: Project, check: Check) -> tuple[tuple[str, str], ...]:
    if check.name != names.QUOTA:
        return ()
    genres = {each.key: each.name for each in genre_names(project, reader_language())}
    between = pgettext("after a label", ": ")
    return tuple(
        (_stratum(row, genres) + between + freeze_words.number(row["pairs"]), "")
        for row in check.detail["strata"]
    )


def _stratum(row: Mapping[str, str], genres: Mapping[str, str]) -> str:
    genre = genres.get(row["genre"], row["genre"]) or _("No genre")
    language = language_name(row["language"]) if row["language"] else _("no language")
    return _("%(genre)s, %(language)s") % {"genre": genre, "language": language}


# --- the difference --------------------------------------------------------------------------------------


def count_lines(counts: Mapping[str, int]) -> tuple[CountLine, ...]:
    return tuple(
        CountLine(key, str(KINDS[key]), str(MEANINGS[key]), counts.get(key, 0)) for key in kinds.KINDS
    )


def page_of(found: Difference, number: str) -> Page:
    """A page that there is not is the nearest that there is."""
    return Paginator(found.changes, ON_A_PAGE).get_page(number)


def change_lines(changes: Iterable[Change]) -> tuple[ChangeLine, ...]:
    return tuple(map(_change_line, changes))


def _change_line(change: Change) -> ChangeLine:
    pair = change.pair
    return ChangeLine(
        label=str(KINDS[change.kind]),
        prompt=pair.prompt,
        chosen=pair.chosen,
        rejected=pair.rejected,
        votes=_both(change, _votes),
        gap=_both(change, lambda facts: fraction(facts.gap)),
        says=_says(change),
    )


def _both(change: Change, shown: Callable[[PairFacts], str]) -> str:
    told = [shown(facts) for facts in (change.before, change.after) if facts is not None]
    return " → ".join(dict.fromkeys(told))


def _votes(facts: PairFacts) -> str:
    return "–".join(map(str, facts.votes))


def _says(change: Change) -> str:
    if change.what:
        return freeze_words.listed([str(WHAT[each]) for each in change.what])
    return reason_in_words(change.reason)


def reason_in_words(reason: str) -> str:
    if reason.startswith(REMOVAL):
        kind = reason.removeprefix(REMOVAL)
        label = dict(Response.RemovalKind.choices).get(kind, "")
        return _("A response was removed: %(kind)s") % {"kind": label or _("no kind given")}
    return str(REASONS.get(reason) or OTHER_REASONS.get(reason, ""))


def table(changes: Iterable[Change]) -> Table:
    """For a file, whose words depend on no reader's language."""
    rows = tuple(tuple(Cell(str(value), value) for value in _row(each)) for each in changes)
    return Table(tuple(Column(name, name) for name in COLUMNS), rows)


def _row(change: Change) -> tuple[str | int | None, ...]:
    pair, old, new = change.pair, change.before, change.after
    return (
        change.kind,
        pair.prompt,
        new.chosen if new else None,
        new.rejected if new else None,
        old.chosen if old else None,
        old.rejected if old else None,
        _votes(old) if old else None,
        _votes(new) if new else None,
        old.k if old else None,
        new.k if new else None,
        fraction(old.gap) if old else None,
        fraction(new.gap) if new else None,
        " ".join(change.what) or None,
        change.reason or None,
    )

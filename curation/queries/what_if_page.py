"""What a page, a file and a chart say of a what-if: the result's numbers with names and shares."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain.reach import primary
from annotation.queries.jobs import error_of
from curation.domain import behind
from curation.domain.recipes import WritingPreference
from curation.models import WhatIf
from curation.queries import papers, what_if_names
from curation.queries.papers import Printed
from curation.queries.report_state import ACTIVE, WAITING_TOO_LONG
from curation.queries.what_if_names import Names

Json = Mapping[str, object]

LENGTHS = ("length_chosen", "length_rejected")
MEASURES = {
    "length_chosen": gettext_lazy("Length, chosen"),
    "length_rejected": gettext_lazy("Length, rejected"),
    "score_chosen": gettext_lazy("Score, chosen"),
    "score_rejected": gettext_lazy("Score, rejected"),
}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """What one rule took away and what was left after it; `bar` is the key of what stands behind, "" for nothing."""

    reason: str
    label: str
    removed: int
    left: int
    share_removed: float  # of the candidates
    share_left: float
    bar: str

    @property
    def percent_left(self) -> int:
        return round(100 * self.share_left)

    @property
    def percent_removed(self) -> float:
        return 100 * self.share_removed


@dataclass(frozen=True, slots=True)
class CellLine:
    """`quota` is None where none holds for this genre and language alone; `percent` is of the most, or of the quota."""

    genre: str
    language: str
    label: str
    candidates: int
    standing: int
    accepted: int
    quota: int | None
    percent: int
    bar: str

    @property
    def missing(self) -> int:
        return max(0, self.quota - self.accepted) if self.quota is not None else 0


@dataclass(frozen=True, slots=True)
class QuotaLine:
    label: str
    accepted: int
    quota: int

    @property
    def missing(self) -> int:
        return max(0, self.quota - self.accepted)


@dataclass(frozen=True, slots=True)
class GroupLine:
    """Pairs whose lengths differ so much. `low` and `high` are whole numbers of words or characters, or per cent of the
    greatest difference where strata have widths of their own."""

    side: int
    label: str
    low: int
    high: int
    before: int
    after: int
    percent_before: int  # of the most of all groups
    percent_after: int
    bar: str  # of those before
    bar_after: str


@dataclass(frozen=True, slots=True)
class LongerLine:
    """`rate` is None where there is no pair."""

    label: str
    longer: int
    shorter: int
    equal: int
    rate: float | None
    low: float | None
    high: float | None

    @property
    def n(self) -> int:
        return self.longer + self.shorter + self.equal

    @property
    def percent(self) -> float | None:
        return _percent(self.rate)

    @property
    def percent_low(self) -> float | None:
        return _percent(self.low)

    @property
    def percent_high(self) -> float | None:
        return _percent(self.high)


@dataclass(frozen=True, slots=True)
class MeanLine:
    """Mean and deviation before and after; what the paper prints of pairs in this language, None where it does not."""

    measure: str
    label: str
    before: tuple[float | None, float | None]
    after: tuple[float | None, float | None]
    printed: Printed | None


@dataclass(frozen=True, slots=True)
class MeansPart:
    language: str
    label: str
    units: str
    has_mixed_units: bool  # so there is no mean of the lengths
    before: int
    after: int
    lines: tuple[MeanLine, ...]
    paper: str  # "" where none speaks of this language
    printed_pairs: int


@dataclass(frozen=True, slots=True)
class Numbers:
    candidates: int
    removed: int
    accepted: int
    rules: tuple[RuleLine, ...]
    accepted_bar: str
    cells: tuple[CellLine, ...]
    quota: int | None
    quotas: tuple[QuotaLine, ...]
    groups: tuple[GroupLine, ...]
    shares_of_longest: bool  # whether the groups are per cent of the longest difference
    unit: str
    before: LongerLine
    after: LongerLine
    means: tuple[MeansPart, ...]

    longer_paper = papers.LITBENCH
    longer_printed = papers.LONGER_BEFORE

    @property
    def longer(self) -> tuple[LongerLine, LongerLine]:
        return self.before, self.after

    @property
    def has_quota_of_cells(self) -> bool:
        return any(line.quota is not None for line in self.cells)

    @property
    def full_cells(self) -> int:
        return sum(line.quota is not None and not line.missing for line in self.cells)

    @property
    def means_paper(self) -> str:
        """The paper that prints means of pairs like these, "" where none does."""
        return next((part.paper for part in self.means if part.paper), "")


@dataclass(frozen=True, slots=True)
class State:
    """Where a what-if stands. Numbers may be there while pictures are still drawn."""

    state: str
    is_active: bool
    has_numbers: bool
    waits_too_long: bool  # no worker has taken it up
    error: str


def state(found: WhatIf, *, now: datetime) -> State:
    waits = found.state == WhatIf.State.QUEUED
    return State(
        state=found.state,
        is_active=found.state in ACTIVE,
        has_numbers=found.result is not None,
        waits_too_long=waits and now - found.queued_at > WAITING_TOO_LONG,
        error=error_of(found),
    )


def numbers(found: WhatIf, names: Names) -> Numbers:
    """Of one that has its result."""
    return numbers_of(found.result, WritingPreference.from_parameters(found.parameters), names)


def numbers_of(result: Json, recipe: WritingPreference, names: Names) -> Numbers:
    funnel = result["funnel"]
    units = result["means_before"][0]["units"]
    shares_of_longest = bool(result["groups"]) and result["groups"][0]["high"] is None
    return Numbers(
        candidates=funnel["candidates"],
        removed=funnel["removed"],
        accepted=funnel["accepted"],
        rules=tuple(_rules(funnel, recipe.reasons)),
        accepted_bar=behind.rule(behind.ACCEPTED) if funnel["accepted"] else "",
        cells=tuple(_cells(result["cells"], names)),
        quota=recipe.quota,
        quotas=tuple(
            QuotaLine(names.stratum(row["stratum"]), row["accepted"], recipe.quota or 0)
            for row in result["quotas"]
        ),
        groups=tuple(_groups(result["groups"], recipe.buckets)),
        shares_of_longest=shares_of_longest,
        unit=what_if_names.unit(units),
        before=_longer(_("Before length symmetry"), result["before"]),
        after=_longer(_("Accepted"), result["after"]),
        means=tuple(_means(result["means_before"], result["means_after"])),
    )


def _rules(funnel: Json, reasons: Sequence[str]) -> Iterable[RuleLine]:
    """JSON columns do not keep the order of keys on every database; the recipe knows it."""
    left, candidates = funnel["candidates"], max(funnel["candidates"], 1)
    for reason in reasons:
        removed = funnel["rejected"][reason]
        left -= removed
        yield RuleLine(
            reason,
            what_if_names.rule(reason),
            removed,
            left,
            removed / candidates,
            left / candidates,
            behind.rule(reason) if removed else "",
        )


def _cells(cells: Sequence[Json], names: Names) -> Iterable[CellLine]:
    most = max((cell["quota"] or cell["accepted"] for cell in cells), default=0)
    for place, cell in enumerate(cells):
        yield CellLine(
            genre=names.genre(cell["genre"]),
            language=what_if_names.tongue(cell["language"]),
            label=names.cell(cell["genre"], cell["language"]),
            candidates=cell["candidates"],
            standing=cell["standing"],
            accepted=cell["accepted"],
            quota=cell["quota"],
            percent=round(100 * cell["accepted"] / most) if most else 0,
            bar=behind.cell(place) if cell["accepted"] else "",
        )


def _groups(groups: Sequence[Json], n_buckets: int) -> Iterable[GroupLine]:
    most = max((group["before"] for group in groups), default=0)
    middle = len(groups) // 2
    for place, group in enumerate(groups):
        low, high = _edges(group, n_buckets)
        yield GroupLine(
            side=group["side"],
            label=_label(group["side"], low, high, is_share=group["high"] is None),
            low=low,
            high=high,
            before=group["before"],
            after=group["after"],
            percent_before=round(100 * group["before"] / most) if most else 0,
            percent_after=round(100 * group["after"] / most) if most else 0,
            bar=behind.lengths(group["side"], abs(place - middle)) if group["before"] else "",
            bar_after=behind.lengths_kept(group["side"], abs(place - middle)) if group["after"] else "",
        )


def _edges(group: Json, n_buckets: int) -> tuple[int, int]:
    """The least and the greatest whole difference of the group; of strata with widths of their own, per cent."""
    if group["high"] is None:
        half = n_buckets // 2
        first = max(group["first"] - 1, 0)
        return round(100 * first / half), round(100 * group["last"] / half)
    if not group["side"]:
        return 0, 0
    # Edges are doubles of exact numbers: a whole one may come out a little beside itself.
    return int(group["low"] + 1e-6) + 1, int(group["high"] + 1e-6)


def _label(side: int, low: int, high: int, *, is_share: bool) -> str:
    if not side:
        return _("as long")
    values = {"low": f"{low:,}", "high": f"{high:,}"}
    if is_share:
        return (
            _("longer by %(low)s–%(high)s %%") % values
            if side > 0
            else _("shorter by %(low)s–%(high)s %%") % values
        )
    if high <= low:
        values = {"high": f"{high:,}"}
        return _("longer by %(high)s") % values if side > 0 else _("shorter by %(high)s") % values
    return _("longer by %(low)s–%(high)s") % values if side > 0 else _("shorter by %(low)s–%(high)s") % values


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _longer(label: str, found: Json) -> LongerLine:
    low, high = (found["low"], found["high"])
    if low is None:
        low, high = found["wilson_low"], found["wilson_high"]
    return LongerLine(label, found["longer"], found["shorter"], found["equal"], found["rate"], low, high)


def _means(before: Sequence[Json], after: Sequence[Json]) -> Iterable[MeansPart]:
    of_after = {row["language"]: row for row in after}
    nothing = {measure: {"mean": None, "sd": None} for measure in MEASURES}
    *all_pairs, only = before
    for row in [only] if len(all_pairs) == 1 else before:  # of one language all pairs are its own
        language, is_mixed = row["language"], len(row["units"]) > 1
        other = of_after.get(language, {"n": 0, **nothing})
        printed = papers.MEANS.get(primary(language), {}) if language != "*" else {}
        yield MeansPart(
            language=language,
            label=_("All languages") if language == "*" else what_if_names.tongue(language),
            units=what_if_names.unit(row["units"]),
            has_mixed_units=is_mixed,
            before=row["n"],
            after=other["n"],
            lines=tuple(
                MeanLine(
                    measure,
                    str(label),
                    *(
                        _spread(side[measure], is_defined=not (is_mixed and measure in LENGTHS))
                        for side in (row, other)
                    ),
                    printed.get(measure),
                )
                for measure, label in MEASURES.items()
            ),
            paper=papers.WRITING_PREFERENCE_BENCH if printed else "",
            printed_pairs=papers.PAIRS.get(primary(language), 0) if printed else 0,
        )


def _spread(found: Json, *, is_defined: bool) -> tuple[float | None, float | None]:
    """Words and characters have no mean together."""
    return (found["mean"], found["sd"]) if is_defined else (None, None)

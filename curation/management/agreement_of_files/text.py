"""What the command prints for people: lines of at most 100 columns."""

from collections.abc import Iterable, Mapping

from curation.domain import agreement
from curation.domain.chance import PERCENTAGES, Coefficient
from curation.domain.pairwise_kappa import PairKappa
from curation.management.agreement_of_files import table
from curation.management.agreement_of_files.intraclass import Intraclass
from curation.management.agreement_of_files.measures import NEEDS_NUMBERS, Left, Measures
from curation.management.agreement_of_files.parts import FEWEST, Found, Part
from curation.management.agreement_of_files.scales import MOST_LEVELS, WIDEST, Scale

MOST = 45  # rows of a table of annotators: all pairs of ten

REASONS = {
    "empty": "there are no values",
    "no_pairable_values": "no unit has values of two annotators",
    "no_variation": "all values that can be compared are the same",
    "level_needs_numbers": "some values are not numbers",
    "needs_numbers": "some values are not numbers",
    "more_than_two_values": "some unit has more than two values",
    "one_level": "one value alone occurs",
    "values_not_whole": "some values are not whole",
    "values_outside_0_to_255": f"some values are not within 0 to {WIDEST}",
    "too_many_levels": f"more than {MOST_LEVELS} levels",
    "missing_values": "some annotator left a unit out",
    "fewer_than_two_units": "fewer than two units",
    "fewer_than_two_annotators": "fewer than two annotators",
    "negative_variance": "a variance is estimated as below 0",
    "nothing_shared": "no unit in common",
}
BRIEFLY = REASONS | {
    "empty": "no values",
    "no_pairable_values": "nothing to compare",
    "no_variation": "all the same",
    "level_needs_numbers": "needs numbers",
    "needs_numbers": "needs numbers",
    "negative_variance": "variance below 0",
    "nothing_shared": "no unit in common",
}
NAMES = {
    "all_equal": "all annotators equal (share of units)",
    "mean_pairwise": "two annotators equal (mean of pairs)",
    "fleiss": "Fleiss' kappa",
    "scott_pi": "Scott's pi",
    "brennan_prediger": "Brennan-Prediger (Randolph)",
    "ac1": "Gwet's AC1",
    "mean_pairwise_weighted": "weighted agreement (mean of pairs)",
    "fleiss_weighted": "Fleiss' kappa, weighted",
    "brennan_prediger_weighted": "Brennan-Prediger, weighted",
    "ac2": "Gwet's AC2",
}
FORMS = {
    "ICC1": "one annotator, not the same for each unit",
    "ICC2": "one annotator of a panel drawn from many",
    "ICC3": "one annotator of this panel, severity aside",
    "ICC1k": "mean of {k}, not the same for each unit",
    "ICC2k": "mean of {k}, a panel drawn from many",
    "ICC3k": "mean of {k}, this panel, severity aside",
}


def of_file(found: Found, drawn: str, replicates: int) -> str:
    blocks = [_of_report(found.whole.report, drawn, replicates)]
    if found.by is not None:
        blocks.append(_of_groups(found.by, found.groups))
    if found.scale is not None:
        blocks.append(_scale_taken(found.scale))
    if found.whole.measures is not None:
        blocks += _of_measures(found.whole.measures)
    for name, part in found.groups.items():
        if part.measures is not None:
            remark = "  (too few)" if part.too_few else ""
            blocks.append([f"=== {table.shortened(f'{found.by}: {name}', 80)}{remark}"])
            blocks += _of_measures(part.measures)
    return "\n\n".join("\n".join(lines) for lines in blocks)


def _of_report(report: agreement.Report, drawn: str, replicates: int) -> list[str]:
    lines = [
        f"Krippendorff's alpha: {_counted(report.n_units, 'unit')}, {_counted(report.n_raters, 'annotator')}, "
        f"{_counted(report.n_pairable, 'value')} in units that have two or more.",
    ]
    for level, alpha in report.alpha.items():
        if alpha.value is None:
            lines.append(f"  {level:<9} not defined: {REASONS[alpha.reason or '']}")
        elif alpha.low is None or alpha.high is None:
            lines.append(f"  {level:<9} {alpha.value:6.3f}")
        else:
            left_out = f", {alpha.undefined:,} left out as undefined" if alpha.undefined else ""
            interval = f"95 % interval {alpha.low:.3f} to {alpha.high:.3f}"
            lines.append(f"  {level:<9} {alpha.value:6.3f}   {interval}{left_out}")
    if any(alpha.low is not None for alpha in report.alpha.values()):
        lines.append(f"Interval: percentile bootstrap over {drawn}, {replicates:,} replicates.")
    return lines


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _of_groups(column: str, groups: Mapping[str, Part]) -> list[str]:
    """Alpha of each group, a line for each level; of a group that is small a remark on each."""
    name = table.shortened(column, 28)
    rows = []
    for group, part in groups.items():
        counts = [f"{part.n_pairable_units:,}", f"{part.report.n_raters:,}"]
        for place, (level, alpha) in enumerate(part.report.alpha.items()):
            first = ["", "", ""] if place else [table.shortened(group, 28), *counts]
            value = _value(alpha.value, alpha.low, alpha.high, alpha.reason)
            rows.append([*first, level, *value, "too few" if part.too_few else ""])
    if not rows:
        return [f"By {name}: there are no values."]
    header = [name, "units", "annotators", "level", "alpha", "95 % interval", ""]
    return [
        f"Krippendorff's alpha by {name}:",
        *table.lines(header, rows, right=(1, 2, 4)),
        f"Units: with two values or more; too few: under {FEWEST} of them.",
    ]


def _scale_taken(scale: Scale) -> list[str]:
    if not scale.levels:
        return [f"Scale: not known, {REASONS[scale.reason or '']}."]
    said = {
        "declared": "as declared",
        "values": "whole numbers from the least to the most that occurs",
        "labels": "the labels that occur",
    }[scale.source]
    return [f"Scale: {table.shortened(str(scale), 36)} ({said})."]


def _of_measures(found: Measures) -> list[list[str]]:
    return [_of_chance(found.chance), _of_icc(found.icc), _of_pairs(found.pairs), _of_others(found.without)]


def _of_chance(found: Mapping[str, Coefficient]) -> list[str]:
    """Of labels those alone that do without weights; without a scale how often people gave the same."""
    named = {name: each for name, each in found.items() if each.reason != NEEDS_NUMBERS}
    reason = _common_reason(each.reason for name, each in named.items() if name not in PERCENTAGES)
    if reason:
        seen = {name: found[name] for name in PERCENTAGES if found[name].value is not None}
        return [f"Beyond chance: not defined, {REASONS[reason]}.", *(_coefficients(seen) if seen else [])]
    title = "Beyond chance" + (
        "; weights: squared distances on the scale:" if len(named) == len(found) else ":"
    )
    return [title, *_coefficients(named)]


def _coefficients(found: Mapping[str, Coefficient]) -> list[str]:
    rows = [
        [NAMES[name], value, _number(each.chance), interval]
        for name, each in found.items()
        for value, interval in [_value(each.value, each.low, each.high, each.reason)]
    ]
    return table.lines(["coefficient", "value", "by chance", "95 % interval"], rows, right=(1, 2))


def _of_icc(found: Intraclass) -> list[str]:
    shown = {form: each for form, each in found.forms.items() if each.reason != "missing_values"}
    reason = _common_reason(each.reason for each in shown.values())
    if reason:
        return [f"Intraclass correlation: not defined, {REASONS[reason]}."]
    if found.design == "filled":
        title = "Intraclass correlation, all six forms: every annotator gave every unit a value."
    else:
        title = "Intraclass correlation, the one-way forms: not every annotator gave every unit a value."
    k = "several" if found.ratings is None else f"{found.ratings:.3g}"
    rows = [
        [
            form,
            FORMS[form].format(k=k),
            *_value(each.value, each.drawn_low, each.drawn_high, each.reason),
            _interval(each.low, each.high),
        ]
        for form, each in shown.items()
    ]
    header = ["form", "reliability of", "value", "95 % interval"]
    header.append("limits by F" if any(row[-1] for row in rows) else "")
    return [title, *table.lines(header, rows, right=(2,))]


def _of_pairs(found: Mapping[tuple[str, str], PairKappa]) -> list[str]:
    """Of those who share a unit, the least agreement first."""
    pairs = [(names, pair) for names, pair in found.items() if pair.n]
    if not pairs:
        return ["Kappa of every two annotators: no two share a unit."]
    reason = _common_reason(pair.reason for _names, pair in pairs if pair.reason != NEEDS_NUMBERS)
    if reason and all(pair.plain is None for _names, pair in pairs):
        return [f"Kappa of every two annotators: not defined, {REASONS[reason]}."]
    pairs.sort(key=lambda each: (_rank(each[1]), each[0]))
    rows = [
        [
            *(table.shortened(name, 18) for name in names),
            f"{pair.n:,}",
            *(_number(value) for value in (pair.plain, pair.linear, pair.quadratic)),
            BRIEFLY[pair.reason] if pair.reason and pair.plain is None else "",
        ]
        for names, pair in pairs[:MOST]
    ]
    header = ["annotator", "annotator", "n", "plain", "linear", "quadratic", ""]
    title = "Kappa of every two annotators, least first; n: units that both gave a value:"
    lines = [title, *table.lines(header, rows, right=(2, 3, 4, 5)), *_rest(len(pairs))]
    apart = len(found) - len(pairs)
    return [*lines, f"Pairs who share no unit: {apart:,}."] if apart else lines


def _of_others(found: Mapping[str, Mapping[str, Left]]) -> list[str]:
    """Whoever leaves the highest alpha behind stands first."""
    people = sorted(found.items(), key=lambda each: (_highest_first(each[1]), each[0]))
    if not people:
        return ["Alpha of the others without each annotator: there are none."]
    rows = [
        [table.shortened(name, 28), *(_left(left) for left in levels.values())]
        for name, levels in people[:MOST]
    ]
    header = ["without", *people[0][1]]
    title = "Alpha of the others without each annotator, highest first:"
    return [title, *table.lines(header, rows, right=range(1, len(header))), *_rest(len(people))]


def _common_reason(reasons: Iterable[str | None]) -> str | None:
    """The one reason for which nothing is defined; None where something is, or reasons differ."""
    different = set(reasons)
    return different.pop() if len(different) == 1 else None


def _value(value: float | None, low: float | None, high: float | None, reason: str | None) -> list[str]:
    """Two cells: the value and its interval, or why there is none."""
    return ["-", BRIEFLY[reason or ""]] if value is None else [_number(value), _interval(low, high)]


def _left(left: Left) -> str:
    return _number(left.value) if left.reason is None else BRIEFLY[left.reason]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _rest(count: int) -> list[str]:
    """That a table is not whole."""
    return [f"Shown: {MOST} of {count:,}; the others by --json."] if count > MOST else []


def _rank(pair: PairKappa) -> tuple[bool, float]:
    value = pair.plain if pair.quadratic is None else pair.quadratic
    return value is None, value or 0.0


def _highest_first(levels: Mapping[str, Left]) -> tuple[bool, float]:
    """By the first level at which it is defined."""
    values = [left.value for left in levels.values() if left.value is not None]
    return not values, -values[0] if values else 0.0

"""The dataset card of a release of pairs: README.md."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from annotation.domain.material import ResponseRow
from curation.domain.agreement import Alpha, Report
from curation.domain.audit.found import COUNTS, SIGNALS, Found, Share
from curation.domain.audit.limits import RATES, Excess
from curation.domain.audit.record import Record
from curation.domain.card_words import AUDITED, FILTERS, FLAGS, NO_AUDIT, REASONS, Wording, wording
from curation.domain.funnel import Funnel
from curation.domain.outcome import Curation, Totals
from curation.domain.ranked import Measure
from curation.domain.recipes import PairRecipe
from curation.domain.release import card_sections
from curation.domain.release.card_sections import (
    canary_section,
    licence_section,
    plain,
    sample_section,
    table,
    verification_section,
)
from curation.domain.release.front_matter import configurations, primary, size_category
from curation.domain.release.tables import Table
from curation.domain.standing import Sample
from curation.domain.terms import Terms

MANY = 100  # pairs; below this a rate without its interval misleads


@dataclass(frozen=True, slots=True)
class CardFacts:
    """All that the card speaks of."""

    name: str
    version: str
    licence: str
    recipe: PairRecipe
    responses: Sequence[ResponseRow]
    curation: Curation[Any]
    agreement: Report
    totals: Totals
    tables: Sequence[Table]
    terms: Terms
    audit: Record | None = None


def card(facts: CardFacts) -> str:
    """The text of README.md."""
    words = wording(facts.recipe)
    sections = (
        _front_matter(facts),
        f"# {facts.name} {facts.version}",
        *([plain(facts.terms.note)] if facts.terms.note else []),
        _what_it_is(facts, words),
        *card_sections.copies(facts.tables),
        *card_sections.heldout(facts.terms),
        _how_made(facts.recipe, words),
        _counts(facts.curation.funnel, facts.totals, words),
        *_sample(facts.curation.rejected.sample),
        *([_agreement(facts.agreement)] if words.has_scores else []),
        _lengths(facts.curation, facts.totals),
        *([_audit(facts.audit)] if facts.audit is not None else []),
        *card_sections.waived(facts.terms),
        verification_section(),
        _limits(facts, words),
        canary_section(facts.terms.canary),
        licence_section(facts.licence),
    )
    return "\n\n".join(sections) + "\n"


# --- front matter ----------------------------------------------------------------------------------------


def _front_matter(facts: CardFacts) -> str:
    lines = ["---", f'pretty_name: "{facts.name} {facts.version}"', f"license: {facts.licence or 'unknown'}"]
    languages = sorted({primary(row.language) for row in facts.responses} - {""})
    if languages:
        lines.append(f"language: [{', '.join(json.dumps(tag) for tag in languages)}]")
    lines += [
        "task_categories: [text-ranking]",
        f"size_categories: [{size_category(len(facts.curation.pairs))}]",
        *configurations(facts.tables, default="pairs", canary=facts.terms.canary),
    ]
    return "\n".join([*lines, "---"])


# --- sections --------------------------------------------------------------------------------------------


def _what_it_is(facts: CardFacts, words: Wording) -> str:
    about = words.about.format(
        pairs=_n(facts.curation.funnel.accepted, "pair"), prompts=_n(facts.totals.prompts, "prompt")
    )
    return f"""\
## What it is

{about}

{words.files}"""


def _how_made(recipe: PairRecipe, words: Wording) -> str:
    rows = [(name, json.dumps(value)) for name, value in recipe.parameters().items()]
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(words.steps, start=1))
    return f"""\
## How the pairs were made

Recipe `{recipe.name}`, version {recipe.version}. Every two responses to a prompt are a candidate.

{steps}

{table(("parameter", "value"), [(f"`{name}`", _code(value)) for name, value in rows])}"""


def _counts(funnel: Funnel, totals: Totals, words: Wording) -> str:
    left, rows = funnel.candidates, []
    for reason, rejected in funnel.rejected.items():
        left -= rejected
        rows.append((f"`{reason}`", REASONS[reason], str(rejected), str(left)))
    by_filter = funnel.removed if isinstance(funnel.removed, Mapping) else {}
    removed = sum(by_filter.values()) if isinstance(funnel.removed, Mapping) else funnel.removed
    parts = [
        "## Counts",
        f"{_n(funnel.candidates, 'candidate')}, {_n(funnel.accepted, 'pair')} accepted. "
        f"{words.removed.format(responses=_n(removed, 'response'))} "
        "Each rejected candidate is counted once, under the first\nreason that applies.",
        table(("reason", "meaning", "rejected", "left"), rows),
    ]
    if by_filter:
        filters = [(f"`{name}`", FILTERS[name], str(count)) for name, count in by_filter.items()]
        parts.append(table(("filter", "meaning", "removed"), filters))
    if totals.flagged:
        flags = [(f"`{flag}`", FLAGS[flag], str(count)) for flag, count in totals.flagged.items()]
        parts.append("Flags mark accepted pairs that a user may want to leave out; a pair may bear several.")
        parts.append(table(("flag", "meaning", "pairs"), flags))
    return "\n\n".join(parts)


def _sample(sample: Sample | None) -> list[str]:
    if sample is None:
        return []
    return [sample_section(sample)]


def _agreement(report: Report) -> str:
    rows = [(level, *_alpha_cells(alpha)) for level, alpha in report.alpha.items()]
    return f"""\
## Agreement

Krippendorff's alpha over all current scores of the material, not over the accepted pairs alone, which were
selected for agreement: {_n(report.n_units, "response")} with a score, {_n(report.n_raters, "annotator")},
{_n(report.n_pairable, "score")} on responses with two or more. Intervals are 95 % percentile bootstraps over prompts.

{table(("level", "alpha", "95 % interval"), rows)}"""


def _alpha_cells(alpha: Alpha) -> tuple[str, str]:
    if alpha.value is None:
        return f"undefined ({alpha.reason})", ""
    if alpha.low is None or alpha.high is None:
        return f"{alpha.value:.3f}", "undefined"
    return f"{alpha.value:.3f}", f"{alpha.low:.3f} to {alpha.high:.3f}"


def _lengths(curation: Curation[Any], totals: Totals) -> str:
    pairs = curation.funnel.accepted
    rows = [
        ("mean length, chosen", _mean(totals.length_chosen, pairs)),
        ("mean length, rejected", _mean(totals.length_rejected, pairs)),
        ("pairs whose chosen response is longer", str(totals.sides.longer)),
        ("pairs whose chosen response is shorter", str(totals.sides.shorter)),
        ("pairs of equal length", str(totals.sides.equal)),
    ]
    tokens = ""
    if curation.tokens is not None:
        tokens = f"\n\nTokens, of all stories read: {_measured(curation.tokens)}."
    return f"""\
## Lengths

Measured: {_measured(curation.lengths)}. Words are runs of letters, marks and digits; characters are code
points without white space.{tokens}

{table(("", ""), rows)}"""


def _measured(measure: Measure) -> str:
    counted = [f"{_n(count, 'response')} in {unit}" for unit, count in sorted(measure.counted.items())]
    given = (
        [f"{_n(measure.given, 'response')} with a length that came with the data"] if measure.given else []
    )
    return ", ".join([*counted, *given]) or "nothing"


def _audit(record: Record) -> str:
    parts = ["## Signal audit", _about_the_audit(record)]
    if record.found is not None:
        parts.append(table(("guess", "right", "95 % interval", "pairs", "limit"), _guesses(record)))
        parts.append(_copies_and_names(record.found))
    outside = [f"- {_outside(each)}" for each in record.exceeded]
    if outside:
        parts.append("Outside the limits that the project sets:\n\n" + "\n".join(outside))
    if record.reason:
        parts.append(f"The release was made all the same. The reason given:\n\n> {plain(record.reason)}")
    return "\n\n".join(parts)


def _about_the_audit(record: Record) -> str:
    if record.found is None:
        return NO_AUDIT[record.state]
    verdict = (
        "All limits of the project are met." if record.is_within else "Not all limits of the project are met."
    )
    return f"""\
What could a machine guess of the {_n(record.found.signals.pairs, "pair")} without reading? Each line guesses the chosen
side by one thing, the last by all of the surface, on prompts that it has not seen; ties count as half, and 50 % is
chance. Intervals draw prompts with all their pairs. {verdict}"""


def _guesses(record: Record) -> list[tuple[str, ...]]:
    found, limits = record.found, record.limits.as_dict()
    shares = {} if found is None else found.shares()
    return [(AUDITED[name], *_share_cells(shares[name]), _limit(name, limits[name])) for name in SIGNALS]


def _share_cells(share: Share) -> tuple[str, str, str]:
    if share.rate is None or share.interval is None:
        return f"undefined ({share.reason})", "", str(share.n)
    low, high = share.interval.low, share.interval.high
    return f"{100 * share.rate:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %", str(share.n)


def _limit(name: str, limit: object) -> str:
    if limit is None:
        return "none"
    percent = 100 * Fraction(str(limit))
    if name in RATES:
        return f"{float(percent):g} %"
    return f"{float(50 - percent):g} to {float(50 + percent):g} %"


def _copies_and_names(found: Found) -> str:
    counts = found.counts()
    return table(
        ("responses", "number"),
        [
            (AUDITED["exact"], str(counts["exact"])),
            (AUDITED["near"], str(counts["near"])),
            (f"{AUDITED['earlier_exact']} ({_n(found.earlier, 'text')})", str(counts["earlier_exact"])),
            (AUDITED["earlier_near"], str(counts["earlier_near"])),
            (AUDITED["leaks"], str(counts["leaks"])),
        ],
    )


def _outside(excess: Excess) -> str:
    if excess.key in COUNTS:
        return f"{AUDITED[excess.key]}: {excess.value:g}, where at most {excess.limit} may be."
    return f"{AUDITED[excess.key]}: right in {100 * excess.value:.1f} %, the limit {_limit(excess.key, excess.limit)}."


def _limits(facts: CardFacts, words: Wording) -> str:
    limits = [
        "Pairs of one prompt are not independent; compute intervals by resampling prompts.",
        *words.limits,
    ]
    if not facts.recipe.length_symmetry:
        limits.append(
            "Length symmetry was off: a judge that prefers the longer response may score above chance."
        )
    if len(facts.curation.lengths.counted) + bool(facts.curation.lengths.given) > 1:
        limits.append("Lengths of different units occur; compare them within a prompt only.")
    if facts.curation.funnel.accepted < MANY:
        limits.append(f"Fewer than {MANY} pairs: quote every rate with its interval, never alone.")
    return "## Limits\n\n" + "\n".join(f"- {limit}" for limit in limits)


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _mean(total: int, count: int) -> str:
    """To one decimal, halves away from zero; no pair has no mean."""
    if not count:
        return "none"
    tenths = int(Fraction(10 * total, count) + Fraction(1, 2))
    return f"{tenths // 10:,}.{tenths % 10}"


def _code(text: str) -> str:
    """As code within a table cell: what would end the cell or the code is written as a JSON escape."""
    return "`" + text.replace("|", "\\u007c").replace("`", "\\u0060") + "`"

"""The dataset card of a release: README.md, with the front matter by which the `datasets` library loads it.

Columns are declared rather than left to inference, which takes a column of dates for timestamps and a column
that is empty throughout for null.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from annotation.domain.material import ResponseRow
from curation.domain.agreement import Alpha, Report
from curation.domain.funnel import REASONS, Funnel
from curation.domain.outcome import Totals
from curation.domain.pairing import Curation
from curation.domain.ranked import Measure
from curation.domain.recipes import WritingPreference
from curation.domain.verdicts import FLAGS

LANGUAGE = re.compile(r"[a-z]{2,3}")
SIZES = ("1K", "10K", "100K", "1M", "10M", "100M")
MANY = 100  # pairs; below this a rate without its interval misleads
PAIR_COLUMNS = {
    "id": "dtype: string",
    "prompt_id": "dtype: string",
    "chosen": "dtype: string",
    "rejected": "dtype: string",
    "votes_for": "dtype: int64",
    "votes_against": "dtype: int64",
    "ties": "dtype: int64",
    "k": "dtype: int64",
    "gap": "list: int64",
    "mean_chosen": "dtype: float64",
    "mean_rejected": "dtype: float64",
    "length_chosen": "dtype: int64",
    "length_rejected": "dtype: int64",
    "flags": "list: string",
    "prompt": "dtype: string",
    "chosen_text": "dtype: string",
    "rejected_text": "dtype: string",
}
JUDGEMENT_COLUMNS = {
    "response_id": "dtype: string",
    "prompt_id": "dtype: string",
    "annotator": "dtype: string",
    "score": "dtype: int64",
    "at": "dtype: string",
}
REASON_TEXTS = {
    "identical_text": "the two texts are the same but for white space",
    "insufficient_overlap": "too few annotators scored both",
    "no_gap": "the scores prefer no side",
    "direction": "too few annotators prefer the same side",
    "unanimity": "not all annotators prefer the same side",
    "gap": "the means lie too close",
    "length_ratio": "the lengths lie too far apart",
    "cap_response": "a response already stands in enough pairs",
    "cap_prompt": "the prompt already has enough pairs",
    "length_symmetry": "no pair of mirrored length difference",
    "quota": "the stratum already has enough pairs",
}
FLAG_TEXTS = {
    "contrary": "an annotator prefers the rejected response",
    "polarised": "an annotator prefers it by 2 or more",
    "low_chosen": "the chosen response has a mean below 2",
    "k2": "only two annotators scored both",
    "zero_score": "an annotator gave the chosen response 0",
    "self_disagreement": "an annotator changed a score by 2 or more",
}


@dataclass(frozen=True, slots=True)
class CardFacts:
    """All that the card speaks of."""

    name: str
    version: str
    licence: str
    recipe: WritingPreference
    responses: Sequence[ResponseRow]
    curation: Curation
    agreement: Report
    totals: Totals


def card(facts: CardFacts) -> str:
    """The text of README.md."""
    sections = (
        _front_matter(facts),
        f"# {facts.name} {facts.version}",
        _what_it_is(facts),
        _how_made(facts.recipe),
        _counts(facts.curation.funnel, facts.totals),
        _agreement(facts.agreement),
        _lengths(facts.curation.lengths, facts.totals, facts.curation.funnel.accepted),
        _verification(),
        _limits(facts),
        _licence(facts.licence),
    )
    return "\n\n".join(sections) + "\n"


# --- front matter ----------------------------------------------------------------------------------------


def _front_matter(facts: CardFacts) -> str:
    lines = ["---", f'pretty_name: "{facts.name} {facts.version}"', f"license: {facts.licence or 'unknown'}"]
    languages = sorted({_primary(row.language) for row in facts.responses} - {""})
    if languages:
        lines.append(f"language: [{', '.join(json.dumps(tag) for tag in languages)}]")
    lines += [
        "task_categories: [text-ranking]",
        f"size_categories: [{size_category(len(facts.curation.pairs))}]",
    ]
    lines.append("configs:")
    lines += _config("pairs", default=True) + _config("judgements")
    lines.append("dataset_info:")
    lines += _features("pairs", PAIR_COLUMNS) + _features("judgements", JUDGEMENT_COLUMNS)
    return "\n".join([*lines, "---"])


def _primary(language: str) -> str:
    """The primary subtag; "" for what is no language tag and would not be understood."""
    subtag = language.strip().lower().replace("_", "-").partition("-")[0]
    return subtag if LANGUAGE.fullmatch(subtag) else ""


def size_category(rows: int) -> str:
    """The hub's name for a number of rows."""
    bounds = [1000 * 10**power for power in range(len(SIZES))]
    reached = sum(rows >= bound for bound in bounds)
    if reached == 0:
        return "n<1K"
    return f"{SIZES[reached - 1]}<n<{SIZES[reached]}" if reached < len(SIZES) else f"n>{SIZES[-1]}"


def _config(name: str, default: bool = False) -> list[str]:
    return [
        f"- config_name: {name}",
        *(["  default: true"] if default else []),
        "  data_files:",
        "  - split: test",
        f"    path: data/{name}/test.jsonl",
    ]


def _features(name: str, columns: dict[str, str]) -> list[str]:
    lines = [f"- config_name: {name}", "  features:"]
    for column, kind in columns.items():
        lines += [f"  - name: {column}", f"    {kind}"]
    return lines


# --- sections --------------------------------------------------------------------------------------------


def _what_it_is(facts: CardFacts) -> str:
    funnel = facts.curation.funnel
    return f"""\
## What it is

{_n(funnel.accepted, "pair")} of responses to the same prompt, over {_n(facts.totals.prompts, "prompt")}. In each, human
annotators preferred the response named `chosen` to the one named `rejected`. A model or a judge is scored by how
often it gives the chosen response the strictly higher score; a tie is wrong.

- `data/pairs/test.jsonl` (configuration `pairs`): one pair a row, with ids, votes, gap, lengths, flags and texts.
- `data/judgements/test.jsonl` (configuration `judgements`): every score that the pairs rest on, and those that led
  to no pair. One score a row, annotators under pseudonyms.
- `manifest.json`: the recipe with every parameter, counts, agreement, and SHA-256, bytes and lines of every file."""


def _how_made(recipe: WritingPreference) -> str:
    rows = [(name, json.dumps(value)) for name, value in recipe.parameters().items()]
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(_steps(recipe), start=1))
    return f"""\
## How the pairs were made

Recipe `{recipe.name}`, version {recipe.version}. Every two responses to a prompt are a candidate.

{steps}

{_table(("parameter", "value"), [(f"`{name}`", _code(value)) for name, value in rows])}"""


def _steps(recipe: WritingPreference) -> list[str]:
    steps = [
        "Two responses with the same text (after NFC, trimming and collapsing of white space) make no pair.",
        f"Only annotators who scored both responses count; there must be at least {recipe.min_common} of them.",
        "All k of them must prefer the same side; a tie is no vote."
        if recipe.unanimous
        else "Of k such annotators at least two thirds, and at least 2, must prefer the same side; a tie is no vote.",
        f"The mean of the chosen response must be at least {recipe.min_gap} above the other's, compared exactly.",
    ]
    if recipe.max_length_ratio is not None:
        steps.append(
            f"The longer response may be at most {recipe.max_length_ratio} times as long as the other."
        )
    if recipe.max_pairs_per_response is not None:
        steps.append(f"No response stands in more than {recipe.max_pairs_per_response} pairs.")
    if recipe.max_pairs_per_prompt is not None:
        steps.append(f"No prompt has more than {recipe.max_pairs_per_prompt} pairs.")
    strata = (
        "all pairs" if recipe.strata == "none" else f"the pairs of each {recipe.strata.replace('+', ' and ')}"
    )
    if recipe.length_symmetry:
        steps.append(
            f"Length symmetry, within {strata}: the length differences are laid out in {recipe.buckets} buckets, "
            "mirrored about 0, and in each bucket as many pairs stay whose chosen response is longer as there "
            "stay in its mirror image whose chosen response is shorter."
        )
    if recipe.quota is not None:
        steps.append(f"At most {recipe.quota} of {strata} stay.")
    return [*steps, "Where not all can stay, a hash of the seed and the two response ids decides which do."]


def _counts(funnel: Funnel, totals: Totals) -> str:
    left, rows = funnel.candidates, []
    for reason in REASONS:
        left -= funnel.rejected[reason]
        rows.append((f"`{reason}`", REASON_TEXTS[reason], str(funnel.rejected[reason]), str(left)))
    flags = [(f"`{flag}`", FLAG_TEXTS[flag], str(totals.flagged[flag])) for flag in FLAGS]
    return f"""\
## Counts

{_n(funnel.candidates, "candidate")}, {_n(funnel.accepted, "pair")} accepted. {_n(funnel.removed, "response")} had been
removed before scores were given and formed no candidate. Each rejected candidate is counted once, under the first
reason that applies.

{_table(("reason", "meaning", "rejected", "left"), rows)}

Flags mark accepted pairs that a user may want to leave out; a pair may bear several.

{_table(("flag", "meaning", "pairs"), flags)}"""


def _agreement(report: Report) -> str:
    rows = [(level, *_alpha_cells(alpha)) for level, alpha in report.alpha.items()]
    return f"""\
## Agreement

Krippendorff's alpha over all current scores of the material, not over the accepted pairs alone, which were
selected for agreement: {_n(report.n_units, "response")} with a score, {_n(report.n_raters, "annotator")},
{_n(report.n_pairable, "score")} on responses with two or more. Intervals are 95 % percentile bootstraps over prompts.

{_table(("level", "alpha", "95 % interval"), rows)}"""


def _alpha_cells(alpha: Alpha) -> tuple[str, str]:
    if alpha.value is None:
        return f"undefined ({alpha.reason})", ""
    if alpha.low is None or alpha.high is None:
        return f"{alpha.value:.3f}", "undefined"
    return f"{alpha.value:.3f}", f"{alpha.low:.3f} to {alpha.high:.3f}"


def _lengths(measure: Measure, totals: Totals, pairs: int) -> str:
    counted = [f"{_n(count, 'response')} in {unit}" for unit, count in sorted(measure.counted.items())]
    given = (
        [f"{_n(measure.given, 'response')} with a length that came with the data"] if measure.given else []
    )
    rows = [
        ("mean length, chosen", _mean(totals.length_chosen, pairs)),
        ("mean length, rejected", _mean(totals.length_rejected, pairs)),
        ("pairs whose chosen response is longer", str(totals.sides.longer)),
        ("pairs whose chosen response is shorter", str(totals.sides.shorter)),
        ("pairs of equal length", str(totals.sides.equal)),
    ]
    return f"""\
## Lengths

Measured: {", ".join([*counted, *given]) or "nothing"}. Words are runs of letters, marks and digits; characters are code
points without white space.

{_table(("", ""), rows)}"""


def _verification() -> str:
    return """\
## How to verify

`sha256sum -c SHA256SUMS` in this folder compares every file with its checksum. `python manage.py verify_release
FOLDER` of the software that made it also recounts rows, pairs, judgements and the funnel, and finds files that are
missing or do not belong. The same input and recipe give the same bytes."""


def _limits(facts: CardFacts) -> str:
    limits = [
        "Pairs of one prompt are not independent; compute intervals by resampling prompts.",
        "Accepted pairs are those on which annotators agreed: they say nothing about close calls.",
        "A preference is that of these annotators, under their rubric, and no general verdict on a text.",
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


def _licence(licence: str) -> str:
    if licence:
        return f"## Licence\n\n`{licence}`."
    return "## Licence\n\nNone has been stated. A release that is to be published is made again with one."


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


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

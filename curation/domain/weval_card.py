"""The dataset card of a release of the recipe `weval`: README.md, which the `datasets` library reads too.

Columns are declared, because what it guesses hangs on the rows: a column that is empty throughout becomes null.
"""

import json
from collections.abc import Mapping, Sequence

from curation.domain.rank_metrics import FEW, NAMES, REPLICATES, Averages, Interval
from curation.domain.recipes import Weval
from curation.domain.release.card_sections import (
    canary_section,
    licence_section,
    sample_section,
    table,
    verification_section,
)
from curation.domain.release.front_matter import configurations, primary, size_category
from curation.domain.release.tables import TEXT, TIERS, WHOLE, Table
from curation.domain.weval import LEFT_OUT, Outcome, Part

CONFIGURATIONS: Mapping[str, Mapping[str, str]] = {
    "rankings": {
        "prompt_id": TEXT,
        "category": TEXT,
        "requirements": WHOLE,
        "gold": TIERS,
        "combined": TIERS,
        "annotators": WHOLE,
        "prompt": TEXT,
    },
    "responses": {
        "id": TEXT,
        "prompt_id": TEXT,
        "kept": WHOLE,
        "language": TEXT,
        "text": TEXT,
    },
    "judgements": {
        "prompt_id": TEXT,
        "annotator": TEXT,
        "tiers": TIERS,
        "category": TEXT,
        "at": TEXT,
    },
    "pairs": {
        "id": TEXT,
        "prompt_id": TEXT,
        "chosen": TEXT,
        "rejected": TEXT,
        "votes_for": WHOLE,
        "votes_against": WHOLE,
        "ties": WHOLE,
        "k": WHOLE,
        "kept_chosen": WHOLE,
        "kept_rejected": WHOLE,
        "prompt": TEXT,
        "chosen_text": TEXT,
        "rejected_text": TEXT,
    },
}
LEFT_OUT_TEXTS = {
    "one_response": "the prompt has one response, which makes no order",
    "incomplete": "its responses do not keep exactly n, n - 1, ..., 1 of n requirements",
}
REASON_TEXTS = {
    "identical_text": "the two texts are the same but for white space",
    "no_ranking": "nobody ranked the prompt, so there is no combined order",
    "tied": "the order ties the two",
    "not_adjacent": "they stand more than one tier apart",
}


def tables(outcome: Outcome) -> list[Table]:
    """Those that hold rows: the `datasets` library cannot load an empty one."""
    filled = {
        "rankings": bool(outcome.prompts),
        "responses": bool(outcome.prompts),
        "judgements": any(prompt.rankings for prompt in outcome.prompts),
        "pairs": bool(outcome.pairs),
    }
    return [Table(name, CONFIGURATIONS[name]) for name in filter(filled.get, CONFIGURATIONS)]


def card(
    outcome: Outcome, recipe: Weval, title: str, licence: str, *, told: Sequence[Table], canary: str
) -> str:
    """The text of README.md; `told` are the configurations as they stand in the release."""
    sections = (
        _front_matter(outcome, title, licence, told, canary),
        f"# {title}",
        _what_it_is(outcome),
        _how_made(outcome, recipe),
        _agreement(outcome),
        _pairs(outcome, recipe),
        verification_section(),
        canary_section(canary),
        licence_section(licence),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _front_matter(outcome: Outcome, title: str, licence: str, told: Sequence[Table], canary: str) -> str:
    lines = ["---", f'pretty_name: "{title}"', f"license: {licence or 'unknown'}"]
    tags = {primary(row.language) for prompt in outcome.prompts for row in prompt.responses} - {""}
    if tags:
        lines.append(f"language: [{', '.join(json.dumps(tag) for tag in sorted(tags))}]")
    lines += ["task_categories: [text-ranking]", f"size_categories: [{size_category(len(outcome.prompts))}]"]
    lines += configurations(told, default="rankings", canary=canary)
    return "\n".join([*lines, "---"])


def _what_it_is(outcome: Outcome) -> str:
    return f"""\
## What it is

Gold rankings of the responses to {len(outcome.prompts):,} prompts. A model is scored by how well the order in which
it puts the responses to a prompt follows the gold one: `python manage.py rank_metrics` of the software that made this
release computes it.

- `data/rankings/test.jsonl` (configuration `rankings`): one prompt a row; orders are tiers of ids, best first.
- `data/responses/test.jsonl` (`responses`): one response a row, with its text and the number of requirements it kept.
- `data/judgements/test.jsonl` (`judgements`): what each annotator gave, under a pseudonym.
- `data/pairs/test.jsonl` (`pairs`): pairs of the rankings, where they were asked for.
- `agreement.json`: annotators against gold, as in the table below; `manifest.json`: the recipe with every parameter,
  counts, and SHA-256, bytes and lines of every file."""


def _how_made(outcome: Outcome, recipe: Weval) -> str:
    parameters = [(f"`{name}`", f"`{json.dumps(value)}`") for name, value in recipe.parameters().items()]
    left_out = [(f"`{why}`", LEFT_OUT_TEXTS[why], str(outcome.left_out[why])) for why in LEFT_OUT]
    return f"""\
## How the rankings were made

Recipe `{recipe.name}`, version {recipe.version}. The responses to a prompt were written with n, n - 1, ..., 1 of its n
requirements; whichever kept more stands higher in the gold order. The combined order of several annotators holds a
response at least as good as another where at least as many of them put it first; those that go round in a circle tie.

{table(("parameter", "value"), parameters)}

{table(("prompts left out", "meaning", "number"), left_out)}"""


def _agreement(outcome: Outcome) -> str:
    agreement = outcome.agreement
    if not agreement.whole.rankings:
        return "## Annotators against gold\n\nNobody ranked the responses."
    parts = [
        ("all", agreement.whole),
        *((f"category {_cell(name) or '(none)'}", part) for name, part in agreement.by_category.items()),
        *((f"{n} requirements", part) for n, part in agreement.by_requirements.items()),
    ]
    rows = [row for name, part in parts for row in _rows(name, part)]
    return f"""\
## Annotators against gold

Times 100. Each annotator is compared with the gold order; the mean over the annotators of a prompt is averaged over
prompts. The combined order stands beside it and is no annotator's. `il_exact` of orders with ties is what breaking them
at random gives on average; `chance` is the `il_graded` of a random order.

{table(("of", "who", "prompts", "rankings", *NAMES, "chance"), rows)}

95 % intervals of what the annotators get, from a percentile bootstrap over prompts ({REPLICATES:,} replicates). Those
of fewer than {FEW} prompts are marked as few: they tend to be too narrow.

{table(("of", "prompts", *NAMES, ""), [_intervals(name, part) for name, part in parts])}"""


def _rows(name: str, part: Part) -> list[tuple[str, ...]]:
    sides = (("annotators", part.human, str(part.rankings)), ("combined", part.combined, ""))
    return [(name, who, str(of.n), rankings, *_figures(of)) for who, of, rankings in sides]


def _intervals(name: str, part: Part) -> tuple[str, ...]:
    return (
        name,
        str(part.human.n),
        *(_ends(part.intervals[of]) for of in NAMES),
        "few" if part.is_few else "",
    )


def _ends(interval: Interval) -> str:
    ends = "undefined"
    if interval.low is not None and interval.high is not None:
        ends = f"{interval.low:.2f} to {interval.high:.2f}"
    return f"{ends} ({interval.undefined:,} undefined)" if interval.undefined else ends


def _figures(of: Averages) -> list[str]:
    values = [*(getattr(of, name) for name in NAMES), of.chance]
    return ["" if value is None else f"{value:.2f}" for value in values]


def _pairs(outcome: Outcome, recipe: Weval) -> str:
    if recipe.pairs == "none":
        return ""
    which = "follow each other" if recipe.pairs == "adjacent" else "differ"
    funnel = outcome.funnel
    rows = [(f"`{reason}`", REASON_TEXTS[reason], str(funnel.rejected[reason])) for reason in recipe.reasons]
    sample = "" if outcome.sample is None else f"\n\n{sample_section(outcome.sample)}"
    return f"""\
## Pairs

Two responses to a prompt make a pair where their tiers in the {recipe.pairs_from} order {which}: {funnel.accepted:,} of
{funnel.candidates:,} candidates. Pairs of one prompt are not independent.

{table(("reason", "meaning", "rejected"), rows)}{sample}"""


def _cell(text: str) -> str:
    """As a table cell holds it."""
    return text.replace("|", "\\|")

"""Sections that the cards of all releases share, and how their words are kept from being read as Markdown."""

import re
from collections.abc import Sequence

from curation.domain.release import canaries
from curation.domain.release.tables import Table
from curation.domain.standing import Sample
from curation.domain.terms import Terms

MARKS = re.compile(r"[\\`*_{}\[\]<>()#+.!|~&-]")  # that Markdown lets a backslash stand before
PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
COPIES = """\
- `data/preference/` (configuration `preference`): the same pairs as conversations, the prompt in both sides, for TRL
  and rewardbench. `margin` is in points of the rubric, or a share of upvotes, and no logit: leave it out where a loss
  would take it for one.
- `data/judge/` (configuration `judge`): what a generative judge is asked of each pair, word for word, in both orders.
  `manage.py evaluate` reads its answers: `{"pair_id", "first", "answer"}`.
- `data/inspect/`, `inspect/task.py` and `lm_eval/`: ready for inspect-ai and lm-evaluation-harness.
- `csv/`: copies for spreadsheets; a text that would be run as a formula has an apostrophe before it.
- `croissant.json`, `datapackage.json`, `prov.json`, `CITATION.cff`, `DATASHEET.md`: what catalogues and people read."""
CONTESTED = """\
- `data/contested/` (configuration `contested`): candidates on which annotators did not agree, with the share who
  preferred `a`, ties half."""

RANKINGS = """\
- `data/rankings/` (configuration `rankings`): prompts whose responses people ranked, one a row: orders are tiers of
  ids, best first. `gold` is the order by `kept` requirements, `combined` that of the people; each is empty where there
  is none.
- `data/given_rankings/` (configuration `given_rankings`): what each person gave."""


def copies(tables: Sequence[Table]) -> list[str]:
    names = {table.config for table in tables}
    if "preference" not in names:
        return []
    lines = [COPIES]
    if "rankings" in names:
        lines.append(RANKINGS)
    if "contested" in names:
        lines.append(CONTESTED)
    return ["\n".join(lines)]


def heldout(terms: Terms) -> list[str]:
    if not terms.heldout:
        return []
    kept = (
        "Their texts stand in `data/unlabelled/heldout.jsonl`, and what a judge is asked of them in "
        "`data/unlabelled_judge/heldout.jsonl`, in an order that says nothing; the server that released this scores "
        "predictions for them."
        if terms.heldout == "labels"
        else "Nothing of them is here."
    )
    return [
        f"""\
## What is held out

Of {terms.heldout_percent} % of the prompts, drawn by a hash of the release's name and their ids, all that was judged is
kept back: the split `heldout`. {kept}
The manifest lists its files with their checksums and marks them `withheld`."""
    ]


def waived(terms: Terms) -> list[str]:
    let_pass = [check for check in terms.checks if check.waiver]
    if not let_pass:
        return []
    rows = [(f"`{check.name}`", plain(check.waiver)) for check in let_pass]
    return ["## Checks that were waived\n\n" + table(("check", "reason"), rows)]


def sample_section(sample: Sample) -> str:
    return f"""\
`rejected.jsonl` holds a sample: {sample.rows:,} of the {sample.of:,} rejected candidates, those of the lowest priority
by the seed `{sample.seed}`. The counts are of all."""


def canary_section(canary: str) -> str:
    return f"## Canary\n\n{canaries.SENTENCE.format(canary=canary)}"


def licence_section(licence: str) -> str:
    if licence:
        return f"## Licence\n\n`{licence}`."
    return "## Licence\n\nNone has been stated. A release that is to be published is made again with one."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plain(text: str) -> str:
    """A person's words as they stand, whatever they hold that Markdown or HTML would read."""
    return MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def paragraphs(text: str) -> str:
    """As `plain`, of words whose paragraphs stay apart."""
    return "\n\n".join(plain(part) for part in PARAGRAPH.split(text) if part.strip())


def verification_section() -> str:
    return """\
## How to verify

`sha256sum -c SHA256SUMS` in this folder compares every file with its checksum. `python verify_release.py` also recounts
rows, pairs, judgements and the funnel, computes the Merkle roots of the records, finds files that are missing or do not
belong, and checks the signature where `cryptography` is installed. It needs Python alone. The same input and recipe
give the same bytes."""

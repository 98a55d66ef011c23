"""What stands in a release of pairs, and after it what describes and proves any release."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from curation.domain.judgements import Judgement
from curation.domain.outcome import Curation, Pairs
from curation.domain.release import (
    croissant,
    datapackage,
    harnesses,
    judge_prompts,
    papers,
    rows,
    splits,
    spreadsheets,
)
from curation.domain.release.contested import Contested, contested
from curation.domain.release.described import Described
from curation.domain.release.files import Release, Seal, document, later, lines_of
from curation.domain.release.ranked import (
    GIVEN_COLUMNS,
    RANKINGS_COLUMNS,
    Ranked,
    RankedPrompt,
    given_rows,
    prompt_row,
)
from curation.domain.release.tables import (
    CONTESTED_COLUMNS,
    PREFERENCE_COLUMNS,
    UNLABELLED_COLUMNS,
    Table,
    with_canary,
)
from curation.domain.terms import Terms

JUDGEMENT_COLUMNS = {
    "response_id": "dtype: string",
    "prompt_id": "dtype: string",
    "annotator": "dtype: string",
    "score": "dtype: int64",
    "at": "dtype: string",
}
JUDGE_COLUMNS = dict.fromkeys(judge_prompts.COLUMNS, "dtype: string")
INSPECT = "data/inspect/{split}.jsonl"
CARD = "README.md"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
SUMS = "SHA256SUMS"
SCRIPT = "verify_release.py"

Split = Callable[[str], str]
Splits = Mapping[str, Pairs[Any, Any]]


def split_pairs(curation: Curation[Any], split: Split, *, heldout: bool) -> Splits:
    """The pairs of each split: those of the recipe, or with `heldout` those that `split` makes of the prompts."""
    if not heldout:
        return curation.splits or {splits.TEST: curation.pairs}
    pairs = curation.pairs
    names = np.array([split(pairs.material.rows[ranks[0]].prompt_id) for ranks in pairs.material.prompts])
    of_pairs = names[pairs.table.prompt]
    return {
        name: type(pairs)(pairs.material, pairs.table.only(np.flatnonzero(of_pairs == name)))
        for name in (splits.TEST, splits.HELDOUT)
    }


def add_tables(
    release: Release,
    *,
    terms: Terms,
    split: Split,
    pairs: Splits,
    columns: Mapping[str, str],
    curation: Curation[Any],
    judgements: Sequence[Judgement],
    has_scores: bool,
    copies: bool,
    rubrics: Mapping[str, str],
    ranked: Ranked,
) -> list[Table]:
    """Add the rows of every configuration and its copies; what they are, canary and all.

    With `copies` off the pairs and the judgements stand alone.
    """
    names = tuple(pairs)
    hidden = tuple(name for name in names if name == splits.HELDOUT)
    adding = _Adding(release, terms.canary, copies)
    adding.table(Table("pairs", columns, names, hidden), pairs.__getitem__, spreadsheet=True)
    if copies:
        adding.table(
            Table("preference", PREFERENCE_COLUMNS, names, hidden),
            lambda name: map(rows.preference, map(rows.of_pair, pairs[name])),
        )
        for name in names:
            choices = map(rows.choice, map(rows.of_pair, pairs[name]))
            adding.rows(INSPECT.format(split=name), choices, withheld=name in hidden)
    judged = Table("judgements", JUDGEMENT_COLUMNS, names if hidden else (splits.TEST,), hidden)
    chosen = _of_split(judgements, split) if hidden else lambda _name: judgements
    adding.table(judged, chosen, spreadsheet=has_scores, listed=has_scores)
    if ranked.prompts:
        _add_rankings(adding, ranked, split, names, hidden)
    if terms.contested:
        _add_contested(adding, curation, judgements, split, names, hidden)
    labels_only = hidden if terms.heldout == "labels" else ()
    if copies:
        asked = tuple(name for name in names if name not in labels_only)
        kept = tuple(name for name in hidden if name in asked)
        adding.table(
            Table("judge", JUDGE_COLUMNS, asked, kept),
            lambda name: judge_prompts.judge_rows(pairs[name], rubrics),
        )
    if labels_only:
        adding.table(
            Table("unlabelled", UNLABELLED_COLUMNS, labels_only), lambda name: map(unlabelled, pairs[name])
        )
        adding.table(
            Table("unlabelled_judge", JUDGE_COLUMNS, labels_only),
            lambda name: judge_prompts.judge_rows(pairs[name], rubrics),
        )
    return adding.tables


class _Adding:
    """Adds tables one after the other."""

    def __init__(self, release: Release, canary: str, copies: bool) -> None:
        self.release = release
        self.canary = canary
        self.copies = copies
        self.tables: list[Table] = []

    def table(
        self,
        table: Table,
        of_split: Callable[[str], Iterable[object]],
        *,
        spreadsheet: bool = False,
        listed: bool = True,
    ) -> None:
        for split in table.splits:
            self.rows(table.path(split), of_split(split), withheld=split in table.withheld)
        told = with_canary(table) if self.canary else table
        if spreadsheet and self.copies:
            for split in table.splits:
                path = f"csv/{table.config}-{split}.csv"
                lines = spreadsheets.lines(of_split(split), table.columns, self.canary)
                self.release.add(path, lines, withheld=split in table.withheld)
        if listed:
            self.tables.append(told)

    def rows(self, path: str, found: Iterable[object], *, withheld: bool) -> None:
        self.release.add(path, lines_of(found, self.canary), withheld=withheld)


def _of_split(judgements: Sequence[Judgement], split: Split) -> Callable[[str], Iterator[Judgement]]:
    return lambda name: (row for row in judgements if split(row.prompt_id) == name)


def _add_rankings(
    adding: _Adding,
    ranked: Ranked,
    split: Split,
    names: Sequence[str],
    hidden: Sequence[str],
) -> None:
    """Of splits that have some, as of contested candidates."""
    found: dict[str, list[RankedPrompt]] = {name: [] for name in names}
    for prompt in ranked.prompts:
        found[split(prompt.prompt_id) if hidden else splits.TEST].append(prompt)
    there = tuple(name for name in names if found[name])
    kept_back = tuple(name for name in hidden if name in there)
    adding.table(
        Table("rankings", RANKINGS_COLUMNS, there, kept_back),
        lambda name: (prompt_row(prompt, ranked.texts) for prompt in found[name]),
    )
    adding.table(
        Table("given_rankings", GIVEN_COLUMNS, there, kept_back),
        lambda name: (row for prompt in found[name] for row in given_rows(prompt)),
    )


def _add_contested(
    adding: _Adding,
    curation: Curation[Any],
    judgements: Sequence[Judgement],
    split: Split,
    names: Sequence[str],
    hidden: Sequence[str],
) -> None:
    """Of splits that have some: the `datasets` library cannot load an empty file."""
    found: dict[str, list[Contested]] = {name: [] for name in names}
    for row in contested(curation.pairs.material, curation.rejected, judgements):
        found[split(row.prompt_id) if hidden else splits.TEST].append(row)
    there = tuple(name for name in names if found[name])
    if there:
        table = Table("contested", CONTESTED_COLUMNS, there, tuple(name for name in hidden if name in there))
        adding.table(table, found.__getitem__)


def unlabelled(pair: Any) -> dict[str, object]:
    """A pair of which nobody can tell which side is chosen: the lower id as bytes stands first, in its id too."""
    first, second = sorted(
        ((pair.chosen, pair.chosen_text), (pair.rejected, pair.rejected_text)), key=lambda side: side[0]
    )
    return {
        "id": rows.open_id(pair.prompt_id, first[0], second[0]),
        "prompt_id": pair.prompt_id,
        "first": first[0],
        "second": second[0],
        "genre": pair.genre,
        "language": pair.language,
        "prompt": pair.prompt,
        "first_text": first[1],
        "second_text": second[1],
    }


# --- what describes and proves it ------------------------------------------------------------------------


def add_papers(release: Release, of: Described, *, trainable: bool) -> None:
    """What catalogues, harnesses and people read of it; with `trainable` there are pairs for harnesses."""
    if trainable:
        release.add(
            f"lm_eval/{harnesses.task_name(of.name)}.yaml", [harnesses.lm_eval(of.name, of.version).encode()]
        )
        release.add("inspect/task.py", [harnesses.inspect_task(of.name).encode()])
    release.add("croissant.json", later(lambda: document(croissant.document(of, release.open_facts()))))
    release.add("datapackage.json", later(lambda: document(datapackage.document(of, release.open_facts()))))
    release.add("prov.json", [document(papers.provenance(of))])
    release.add("CITATION.cff", [papers.citation(of).encode()])
    release.add("DATASHEET.md", [papers.datasheet(of).encode()])


def add_proof(release: Release, head: Mapping[str, object], seal: Seal) -> None:
    """The program that verifies it, the manifest over all before it, its signature, and the checksums of all."""
    if seal.script:
        release.add(SCRIPT, [seal.script])
    told = tuple(release)
    manifest: list[bytes] = []
    release.add(MANIFEST, _kept(manifest, later(lambda: document(_manifest(release, head, seal, told)))))
    sign = seal.sign
    if sign is not None:
        release.add(SIGNATURE, later(lambda: sign(b"".join(manifest)) + b"\n"))
    release.add(SUMS, later(lambda: _sums(release)))


def _kept(kept: list[bytes], content: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in content:
        kept.append(chunk)
        yield chunk


def _manifest(
    release: Release, head: Mapping[str, object], seal: Seal, paths: Sequence[str]
) -> dict[str, object]:
    signed = {"algorithm": "Ed25519", "public_key": seal.public_key} if seal.sign is not None else None
    files = {
        path: {
            **release.facts[path].as_dict(),
            **({"withheld": True} if path in release.withheld else {}),
        }
        for path in sorted(paths)
    }
    return {**head, "signature": signed, "merkle_root": release.merkle_root(), "files": files}


def _sums(release: Release) -> bytes:
    """As sha256sum has it; of what everybody gets, so that it can be checked by whoever got that."""
    facts = release.open_facts()
    return "".join(f"{facts[path].sha256}  {path}\n" for path in sorted(facts)).encode()

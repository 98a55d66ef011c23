"""A release as bytes: its rows, its manifest, its checksums. The same arguments give the same bytes everywhere.

Rows are JSON in UTF-8, one a line, keys in a fixed order, no optional keys. Nothing here knows a clock, a machine
or a path. Both doors to a release, from files and from the database, call release_files().
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.domain.material import ResponseRow
from curation.domain import recipe_json
from curation.domain.agreement import Report
from curation.domain.audit.record import Record
from curation.domain.card import CardFacts, card
from curation.domain.card_words import wording
from curation.domain.judgements import Judgement
from curation.domain.outcome import Curation
from curation.domain.recipes import PairRecipe
from curation.domain.release import canaries, contents, judge_prompts, splits
from curation.domain.release.contents import CARD, MANIFEST, SUMS
from curation.domain.release.described import Described
from curation.domain.release.files import FileFacts, Release, Seal, document, lines_of, rounded
from curation.domain.release.ranked import RankedPrompt, of_material
from curation.domain.release.tables import Table
from curation.domain.terms import Terms

__all__ = ["CARD", "MANIFEST", "SUMS", "FileFacts", "Release", "Seal", "document", "lines_of", "rounded"]

FORMAT = 2  # of the folder; raised when a reader of the old one would misread the new one
PAIRS = "data/pairs/{split}.jsonl"
JUDGEMENTS = "data/judgements/test.jsonl"
REJECTED = "rejected.jsonl"
FUNNEL = "funnel.json"
UNSEALED = Seal()

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
# Semantic Versioning 2.0.0 without build metadata, which orders nothing.
VERSION = re.compile(
    r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})"
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
)
MAX_VERSION = 40  # characters
LICENCE = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")


class ReleaseError(ValueError):
    """A name, a version or a licence that a release cannot bear."""

    code = "bad_release"


def check_name(name: str) -> str:
    """The name, if a release can bear it."""
    if not NAME.fullmatch(name):
        raise ReleaseError(
            f"the name {name!r} will not do; use up to 60 letters, digits, dots, hyphens and underscores, "
            "starting with a letter or a digit"
        )
    return name


def check_version(version: str) -> str:
    """The version, if it is a semantic one."""
    if not VERSION.fullmatch(version) or len(version) > MAX_VERSION:
        raise ReleaseError(
            f"the version {version!r} will not do; use MAJOR.MINOR.PATCH, such as 0.1.0 or 1.0.0-rc.1"
        )
    return version


def check_licence(licence: str) -> str:
    """The licence's id, or "" where none was chosen."""
    if licence and not LICENCE.fullmatch(licence):
        raise ReleaseError(f"the licence {licence!r} will not do; use an id such as odc-by or cc-by-4.0")
    return licence


def release_files(
    *,
    name: str,
    version: str,
    recipe: PairRecipe,
    responses: Sequence[ResponseRow],
    curation: Curation[Any],
    judgements: Sequence[Judgement],
    agreement: Report,
    code_version: str,
    rubric_version: int | None = None,
    licence: str = "",
    audit: Record | None = None,
    terms: Terms | None = None,
    checked: Mapping[str, object] | None = None,
    recipe_named: Mapping[str, object] | None = None,
    rubrics: Mapping[str, str] = judge_prompts.NO_RUBRICS,
    ranked: Sequence[RankedPrompt] = (),
    snapshot: str = "",
    seal: Seal = UNSEALED,
    copies: bool = True,
    with_funnel: bool = False,
    with_rejected: bool = False,
) -> Release:
    """The files of a release. ReleaseError on a bad name, version or licence, or where nothing would be left to read.

    `responses` are those that could form candidates; `judgements` are sorted, as judgements.judgements() gives them;
    `agreement` is that of all of them, and `checked` what another implementation says of it; `rubric_version` is None
    where nobody said, `audit` where releases are not held against one, `terms` where nobody set any. `rubrics` are the
    texts that judges are shown, by language; `ranked` what people ranked, of any texts; `recipe_named` what a project
    calls the recipe. With `copies` off, what others read beside the pairs is left out.
    """
    check_name(name), check_version(version), check_licence(licence)
    terms = terms or _terms_of_files(name, version, licence, curation)
    head = _head(name, version, recipe, responses, curation, judgements)
    head["rubric_version"] = rubric_version
    head["code_version"] = code_version
    head["numpy_version"] = np.__version__
    head["agreement"] = rounded(agreement.as_dict())
    if recipe_named is not None:
        head["recipe_named"] = recipe_named
    if checked is not None:
        head["agreement_checked"] = rounded(checked)
    head["symmetry"] = [stratum.as_dict() for stratum in curation.symmetry]
    head["funnel"] = curation.funnel.as_dict()
    if audit is not None:
        head["audit"] = rounded(audit.as_dict())
    if with_rejected and curation.rejected.sample is not None:
        head["rejected_sample"] = curation.rejected.sample.as_dict()
    head["terms"] = terms.told()
    of_people = of_material(ranked, responses)
    if of_people.prompts:
        head["rankings"] = of_people.counts()
    words = wording(recipe)
    split = splits.of_prompts(name, terms.heldout_percent)
    pairs = contents.split_pairs(curation, split, heldout=bool(terms.heldout))
    if terms.heldout and not all(len(of_split) for of_split in pairs.values()):
        raise ReleaseError("one of the two splits would have no pair; hold out another share of the prompts")
    release = Release()
    tables = contents.add_tables(
        release,
        terms=terms,
        split=split,
        pairs=pairs,
        columns=words.columns,
        curation=curation,
        judgements=judgements,
        has_scores=words.has_scores,
        copies=copies,
        rubrics=rubrics,
        ranked=of_people,
    )
    if with_rejected:
        release.add(REJECTED, lines_of(curation.rejected))
    if with_funnel:
        release.add(FUNNEL, [document(head["funnel"])])
    facts = CardFacts(
        name,
        version,
        licence,
        recipe,
        responses,
        curation,
        agreement,
        curation.pairs.totals(),
        tables,
        terms,
        audit,
    )
    described = _described(head, terms, tables, licence, responses, agreement, snapshot)
    contents.add_papers(release, described, trainable=copies)
    release.add(CARD, [card(facts).encode()])
    contents.add_proof(release, head, seal)
    return release


def _terms_of_files(name: str, version: str, licence: str, curation: Curation[Any]) -> Terms:
    """Of files nobody set any. The same files have the same canary."""
    table = curation.pairs.table
    ids = b"".join(row.id.encode() for row in curation.pairs.material.rows)
    mark = canaries.derived(
        name.encode(), version.encode(), ids, table.chosen.tobytes(), table.rejected.tobytes()
    )
    return Terms(date="", canary=mark, salt="", licence=licence)


def _described(
    head: Mapping[str, Any],
    terms: Terms,
    tables: Sequence[Table],
    licence: str,
    responses: Sequence[ResponseRow],
    agreement: Report,
    snapshot: str,
) -> Described:
    alpha = agreement.alpha.get("ordinal")
    return Described(
        name=head["name"],
        version=head["version"],
        licence=licence,
        date=terms.date,
        canary=terms.canary,
        note=terms.note,
        statements=terms.statements,
        previous=terms.previous,
        code_version=head["code_version"],
        recipe=head["recipe"],
        tables=tables,
        languages=sorted({row.language for row in responses} - {""}),
        alpha=alpha.value if alpha else None,
        snapshot=snapshot,
        **head["counts"],
    )


# --- manifest and checksums ------------------------------------------------------------------------------


def _head(
    name: str,
    version: str,
    recipe: PairRecipe,
    responses: Sequence[ResponseRow],
    curation: Curation[Any],
    judgements: Sequence[Judgement],
) -> dict[str, object]:
    head: dict[str, object] = {
        "format": FORMAT,
        "name": name,
        "version": version,
        "counts": {
            "prompts": len({row.prompt_id for row in responses}),
            "responses": len(responses),
            "annotators": len({row.annotator for row in judgements}),
            "judgements": len(judgements),
            "pairs": len(curation.pairs),
        },
        "recipe": recipe_json.of_manifest(recipe),
        "length_unit": {"setting": recipe.length_unit, **curation.lengths.as_dict()},
    }
    if curation.tokens is not None:
        head["tokens"] = curation.tokens.as_dict()
    return head

"""A model's predictions held against a release folder. No database, nothing written.

The folder is verified first; then its rows are read: pairs, gold rankings, and the scores of people that make the
human ceiling. Releases say nothing of the genre of a pair unless their rows have it; a file of responses, as `curate`
takes it, says it for them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotation.domain import material
from annotation.domain.records import InputError, Record, read
from curation.domain import recipes
from curation.domain.audit.rows import PairRow
from curation.domain.evaluation import predictions, report
from curation.domain.evaluation.accuracy import Draws
from curation.domain.evaluation.benchmark import Benchmark, GoldOrder, Pairs, Scored
from curation.domain.evaluation.predictions import LONGEST_ID, Tiers
from curation.domain.evaluation.report import Report
from curation.domain.recipes import RecipeError, WritingPreference
from curation.domain.release.splits import TEST
from curation.services import verification
from curation.services.verification import MANIFEST, Verdict

RANKINGS = "data/rankings/test.jsonl"
RESPONSES = "data/responses/test.jsonl"
PAIRS_OF = "data/pairs/{split}.jsonl"
JUDGEMENTS_OF = "data/judgements/{split}.jsonl"
AGREEMENT = "agreement.json"
MOST_POINTS = 100  # of a score
OTHERS = 2  # who scored both texts of a pair, for the human ceiling

OF_PAIR = ("id", "prompt_id", "chosen", "rejected")


class DamagedError(Exception):
    """The folder is not the release that it says it is."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


class UnusableError(Exception):
    """The folder cannot be read as a release; the sentence says what to do."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a response besides its text; "" is not known."""

    genre: str
    language: str
    model: str


def evaluate(
    folder: Path,
    predicted: Path,
    *,
    against: Path | None = None,
    responses: Path | None = None,
    verify: bool = True,
    draws: Draws | None = None,
) -> Report:
    """How well the predictions do on the release in the folder.

    DamagedError where it does not verify, UnusableError or InputError where something cannot be read or used, each
    with a sentence that says what to do.
    """
    if verify:
        verdict = verification.verify(folder)
        if not verdict.ok:
            raise DamagedError(verdict)
    benchmark = read_release(folder, responses)
    given = predictions.read(predicted)
    other = None if against is None else predictions.read(against)
    try:
        return report.report(benchmark, given, other=other, draws=draws)
    except InputError:
        raise
    except ValueError as error:
        raise UnusableError(f"the release contradicts itself: {error}") from error


def read_release(folder: Path, responses: Path | None = None, *, split: str = TEST) -> Benchmark:
    """What a split of the release asks. Its files are read as they are; verify it first."""
    manifest = _document(folder, MANIFEST)
    orders = list(_orders(folder))
    origins = _released(folder, orders) | ({} if responses is None else _origins(responses))
    path = PAIRS_OF.format(split=split)
    rows = [_pair(record, origins) for record in _rows(folder, path, OF_PAIR)]
    try:
        pairs = Pairs.of(rows)
    except ValueError as error:
        raise UnusableError(f"{path}: {error}") from error
    human = _human(folder)
    return Benchmark(
        name=_text(manifest, "name"),
        version=_text(manifest, "version"),
        rows=sorted(rows, key=lambda row: row.id),
        pairs=pairs,
        orders=orders,
        scores=[_score(record) for record in _scored(folder, split)],
        recipe=_recipe(manifest.get("recipe")),
        human=human.get("", None),
        human_by_genre={name: row for name, row in human.items() if name},
    )


# --- rows ------------------------------------------------------------------------------------------------


def _rows(folder: Path, path: str, required: tuple[str, ...]) -> Iterator[Record]:
    """The rows of a file of the release, none where it is empty or not there."""
    file = folder / path
    if not file.is_file() or not file.stat().st_size:
        return
    try:
        for record in read(file, required=required):
            yield replace(record, source=path)
    except InputError as error:
        raise InputError(error.reason, line=error.line, column=error.column, source=path) from error


def _pair(record: Record, origins: Mapping[str, Origin]) -> PairRow:
    """What the row itself says of genre, language and models goes before what the file of responses does."""
    chosen, rejected = _id(record, "chosen"), _id(record, "rejected")
    nowhere = Origin("", "", "")
    one, other = origins.get(chosen, nowhere), origins.get(rejected, nowhere)
    return PairRow(
        id=_id(record, "id"),
        prompt_id=_id(record, "prompt_id"),
        chosen=chosen,
        rejected=rejected,
        chosen_text=record.text("chosen_text", required=False),
        rejected_text=record.text("rejected_text", required=False),
        prompt=record.text("prompt", required=False),
        genre=_said(record, "genre") or one.genre or other.genre,
        language=_said(record, "language") or one.language or other.language,
        chosen_model=_said(record, "chosen_model") or one.model,
        rejected_model=_said(record, "rejected_model") or other.model,
    )


def _released(folder: Path, orders: Sequence[GoldOrder]) -> dict[str, Origin]:
    """What a release of rankings says of its responses."""
    genres = {order.prompt_id: order.genre for order in orders}
    return {
        _id(record, "id"): Origin(genres.get(_id(record, "prompt_id"), ""), _said(record, "language"), "")
        for record in _rows(folder, RESPONSES, ("id", "prompt_id"))
    }


def _origins(path: Path) -> dict[str, Origin]:
    return {row.id: Origin(row.genre, row.language, row.model) for row in material.read_responses(path)}


def _orders(folder: Path) -> Iterator[GoldOrder]:
    languages = {
        _id(record, "prompt_id"): _said(record, "language")
        for record in _rows(folder, RESPONSES, ("id", "prompt_id"))
    }
    for record in _rows(folder, RANKINGS, ("prompt_id", "gold")):
        prompt = _id(record, "prompt_id")
        yield GoldOrder(prompt, _gold(record), _said(record, "category"), languages.get(prompt, ""))


def _gold(record: Record) -> Tiers:
    tiers = record.values["gold"]
    if not isinstance(tiers, list) or not all(
        isinstance(tier, list) and tier and all(isinstance(id, str) for id in tier) for tier in tiers
    ):
        raise record.error("gold", "it is no list of tiers of ids; take the release anew")
    found = tuple(tuple(tier) for tier in tiers)
    if len({id for tier in found for id in tier}) < max(2, sum(map(len, found))):
        raise record.error("gold", "it is no order of two or more different texts; take the release anew")
    return found


def _scored(folder: Path, split: str) -> Iterator[Record]:
    """Judgements that are scores; those of a release of rankings are orders."""
    judgements = _rows(folder, JUDGEMENTS_OF.format(split=split), ("prompt_id", "annotator"))
    return (record for record in judgements if "score" in record.values)


def _score(record: Record) -> Scored:
    score = record.integer("score")
    if score is None or score > MOST_POINTS:
        raise record.error("score", f"it is no score from 0 to {MOST_POINTS}; take the release anew")
    response, prompt = _id(record, "response_id"), _id(record, "prompt_id")
    return Scored(response, prompt, _id(record, "annotator"), score)


def _id(record: Record, column: str) -> str:
    return record.identifier(column, longest=LONGEST_ID)


def _said(record: Record, column: str) -> str:
    return record.identifier(column, required=False, longest=LONGEST_ID)


# --- documents -------------------------------------------------------------------------------------------


def _document(folder: Path, path: str) -> dict[str, Any]:
    try:
        found = json.loads((folder / path).read_bytes())
    except OSError as error:
        fault = error.strerror or type(error).__name__
        raise UnusableError(f"{path} cannot be read ({fault}); name the folder of a release") from error
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"{path} is not JSON; take the release anew") from error
    if not isinstance(found, dict):
        raise UnusableError(f"{path} is no JSON object; take the release anew")
    return found


def _text(document: Mapping[str, Any], name: str) -> str:
    found = document.get(name)
    return found if isinstance(found, str) else ""


def _recipe(said: object) -> WritingPreference | None:
    """The recipe of the manifest, where its rules look at scores and this program knows them.

    Of two others who scored both texts both must agree, however many the recipe asks for: who is held against them
    is left out.
    """
    if not isinstance(said, dict) or said.get("name") != WritingPreference.name:
        return None
    given = said.get("parameters")
    try:
        found = recipes.recipe(WritingPreference.name, given if isinstance(given, dict) else {})
    except RecipeError:
        return None
    return replace(found, min_common=OTHERS) if isinstance(found, WritingPreference) else None


def _human(folder: Path) -> dict[str, Mapping[str, object]]:
    """People against gold as the release has it: the whole under "", and by category."""
    if not (folder / AGREEMENT).is_file():
        return {}
    found = _document(folder, AGREEMENT)
    parts = [("", found.get("human"))]
    by_category = found.get("by_category")
    for row in by_category if isinstance(by_category, list) else []:
        if isinstance(row, dict) and row.get("category"):
            parts.append((str(row["category"]), row.get("human")))
    return {name: part for name, part in parts if isinstance(part, dict)}

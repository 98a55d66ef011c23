"""A release from files. No database, nothing kept, nothing written but the folder.

Each kind of recipe reads the files that it needs and decides by functions of its own; a new kind is one more entry
of KINDS.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.domain import material, scoring
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError
from annotation.domain.scoring import CurrentScore, ScoreRow
from curation.domain import (
    agreement,
    judgements,
    manifest,
    pairing,
    ranking_rows,
    stories,
    vote_pairs,
    weval,
    weval_release,
)
from curation.domain.agreement import Report
from curation.domain.judgements import Judgement
from curation.domain.outcome import Curation
from curation.domain.ranking_rows import GradedResponse
from curation.domain.recipes import LitBench, Recipe, Weval, WritingPreference
from curation.domain.version import VERSION
from curation.services import directory


@dataclass(frozen=True)
class Label:
    """What a release is called, and the licence it bears ("" where none was chosen)."""

    name: str
    version: str
    licence: str = ""

    def check(self) -> None:
        """ReleaseError where a release cannot bear it."""
        manifest.check_name(self.name)
        manifest.check_version(self.version)
        manifest.check_licence(self.licence)


@dataclass(frozen=True)
class Outcome:
    """What was released, for a summary: `facts` for programs, `sentence` for people."""

    facts: Mapping[str, object]
    sentence: str
    files: Mapping[str, manifest.FileFacts]


@dataclass(frozen=True)
class Task:
    """What is to be made of which files: paths by the name of the option that gave them."""

    files: Mapping[str, Path]
    out: Path
    recipe: Any
    label: Label
    with_rejected: bool
    force: bool


@dataclass(frozen=True)
class Kind:
    """One kind of recipe: the options that name the files it needs, what makes a release of them, and the options of
    the files that it takes besides."""

    files: tuple[str, ...]
    release: Callable[[Task], Outcome]
    besides: tuple[str, ...] = ()


def kind_of(recipe: Recipe) -> Kind:
    return next(kind for of, kind in KINDS.items() if isinstance(recipe, of))


def release(
    files: Mapping[str, Path],
    out: Path,
    *,
    recipe: Recipe,
    label: Label,
    with_rejected: bool = True,
    force: bool = False,
) -> Outcome:
    """Curate the files into the folder `out`. `files` has a path for each of those that the recipe's kind needs.

    Raises InputError, CurationError, ReleaseError or DirectoryError, each with a sentence that says what to do;
    then nothing was written.
    """
    label.check()
    directory.check(out, force=force, inputs=tuple(files.values()))
    return kind_of(recipe).release(Task(files, out, recipe, label, with_rejected, force))


# --- pairs from scores -----------------------------------------------------------------------------------


def _of_scores(task: Task) -> Outcome:
    rows = material.read_responses(task.files["responses"])
    _check_any(rows, task.files["responses"], "response")
    prompts = {row.id: row.prompt_id for row in rows}
    acts = scoring.read_scores(task.files["scores"], prompts.keys())
    current = scoring.current(acts, source=task.files["scores"].name)
    names = judgements.pseudonyms(act.annotator for act in acts)
    curation = pairing.curate(rows, current, task.recipe)
    report = _agreement(current, prompts, task.recipe)
    given = judgements.judgements(current, prompts=prompts, names=names, moments=_moments(acts))
    files = _write(task, rows, curation, given, report)
    alpha = report.alpha["ordinal"]
    said = f"undefined ({alpha.reason})" if alpha.value is None else f"{alpha.value:.3f}"
    return Outcome(_facts(curation, report), f"{_accepted(curation)}; ordinal alpha {said}.", files)


def _agreement(
    scores: Iterable[CurrentScore], prompts: Mapping[str, str], recipe: WritingPreference
) -> Report:
    columns = [(row.response_id, row.annotator, row.score, prompts[row.response_id]) for row in scores]
    units, annotators, values, clusters = zip(*columns, strict=True) if columns else ((), (), (), ())
    return agreement.report(units, annotators, values, clusters=clusters, seed=recipe.seed)


def _moments(acts: Iterable[ScoreRow]) -> dict[tuple[str, str], str]:
    """The moment of the latest act of each (response, annotator) that has one."""
    latest = {}
    for act in acts:
        key = act.response_id, act.annotator
        if act.at is not None and (key not in latest or act.at > latest[key]):
            latest[key] = act.at
    return {key: judgements.moment(at) for key, at in latest.items()}


# --- pairs from votes ------------------------------------------------------------------------------------


def _of_votes(task: Task) -> Outcome:
    rows = stories.read_stories(task.files["responses"])
    _check_any(rows, task.files["responses"], "story")
    curation = vote_pairs.curate(rows, task.recipe, with_rejected=task.with_rejected)
    # Nobody was asked: it is undefined, for the reason that there are no scores.
    report = agreement.report((), (), ())
    files = _write(task, curation.pairs.material.rows, curation, (), report)
    splits = ", ".join(f"{len(pairs)} in {name}" for name, pairs in curation.splits.items())
    sentence = f"{_accepted(curation)}{f' ({splits})' if splits else ''}."
    return Outcome(_facts(curation, report), sentence, files)


# --- rankings --------------------------------------------------------------------------------------------


def _of_rankings(task: Task) -> Outcome:
    """Without rankings of people the gold order stands alone."""
    responses, recipe = task.files["responses"], task.recipe
    rows = ranking_rows.read_graded(responses)
    if recipe.pairs != "none":
        _check_texts(rows, responses.name)
    found = weval.curate(rows, _given(task.files.get("rankings"), rows, recipe), recipe)
    files = weval_release.release_files(
        name=task.label.name,
        version=task.label.version,
        licence=task.label.licence,
        recipe=recipe,
        outcome=found,
        code_version=VERSION,
        with_rejected=task.with_rejected,
    )
    directory.write(task.out, files, force=task.force, inputs=tuple(task.files.values()))
    facts = {"funnel": found.funnel.as_dict(), "agreement": found.agreement.as_dict()}
    return Outcome(facts, _said_of_rankings(found), files.facts)


def _given(path: Path | None, rows: list[GradedResponse], recipe: Weval) -> list[ranking_rows.HumanRanking]:
    if path is None:
        return []
    responses: dict[str, set[str]] = {}
    for row in rows:
        responses.setdefault(row.prompt_id, set()).add(row.id)
    return ranking_rows.read_rankings(path, responses, ties_allowed=recipe.ties)


def _check_texts(rows: list[GradedResponse], source: str) -> None:
    for row in rows:
        if not row.text.strip():
            reason = "the text is missing, which pairs need; add it, or ask for pairs=none"
            raise InputError(reason, line=row.line, column="text", source=source)


def _said_of_rankings(found: weval.Outcome) -> str:
    whole, left_out = found.agreement.whole, sum(found.left_out.values())
    said = "nobody ranked them"
    if whole.human.correlation is not None:
        said = f"{whole.rankings} rankings by people, whose correlation with gold is {whole.human.correlation:.1f}"
    return (
        f"{len(found.prompts)} gold rankings, {left_out} prompts left out, {len(found.pairs)} pairs; {said}."
    )


# --- all kinds of pairs ----------------------------------------------------------------------------------


def _check_any(rows: Sequence[ResponseRow], path: Path, noun: str) -> None:
    if not rows:
        raise InputError(f"there is no {noun} below the header; add some", line=1, source=path.name)


def _write(
    task: Task,
    responses: Sequence[ResponseRow],
    curation: Curation,
    given: Sequence[Judgement],
    report: Report,
) -> Mapping[str, manifest.FileFacts]:
    files = manifest.release_files(
        name=task.label.name,
        version=task.label.version,
        licence=task.label.licence,
        recipe=task.recipe,
        responses=responses,
        curation=curation,
        judgements=given,
        agreement=report,
        code_version=VERSION,
        with_funnel=True,
        with_rejected=task.with_rejected,
    )
    directory.write(task.out, files, force=task.force, inputs=tuple(task.files.values()))
    return files.facts


def _facts(curation: Curation, report: Report) -> dict[str, object]:
    return {"funnel": curation.funnel.as_dict(), "agreement": report.as_dict()}


def _accepted(curation: Curation) -> str:
    return f"{curation.funnel.accepted} of {curation.funnel.candidates} candidates accepted"


KINDS: Mapping[type[Recipe], Kind] = {
    WritingPreference: Kind(("responses", "scores"), _of_scores),
    LitBench: Kind(("responses",), _of_votes),
    Weval: Kind(("responses",), _of_rankings, besides=("rankings",)),
}

"""A release from files. No database, nothing kept, nothing written but the folder.

Each kind of recipe reads the files that it needs and decides by functions of its own; a new kind is one more entry
of KINDS.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.domain import current_scores, material
from annotation.domain.current_scores import CurrentScores
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError, Watch
from annotation.domain.shelf import Shelf
from curation.domain import (
    agreement,
    manifest,
    pairing,
    ranking_rows,
    stories,
    vote_pairs,
    weval,
    weval_release,
)
from curation.domain.agreement import Report
from curation.domain.judgements import Judgement, JudgementsOfFile
from curation.domain.outcome import Curation
from curation.domain.ranking_rows import GradedResponse
from curation.domain.recipes import LitBench, Recipe, Weval, WritingPreference
from curation.domain.rejected import Keep
from curation.domain.release.files import Seal
from curation.domain.version import VERSION
from curation.services import directory, watching
from curation.services.verify_script import script
from curation.services.watching import Watcher


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
    keep: Keep
    force: bool
    watcher: Watcher
    copies: bool = True

    @property
    def with_rejected(self) -> bool:
        return self.keep != "none"

    def watch(self, option: str) -> Watch:
        """What looks at the rows of the file that the option gave."""
        return partial(watching.reading, self.watcher, self.files[option])


@dataclass(frozen=True)
class Kind:
    """One kind of recipe: the options that name the files it needs, what makes a release of them, and the options of
    the files that it takes besides."""

    files: tuple[str, ...]
    release: Callable[[Task, Shelf], Outcome]
    besides: tuple[str, ...] = ()


def kind_of(recipe: Recipe) -> Kind:
    return next(kind for of, kind in KINDS.items() if isinstance(recipe, of))


def release(
    files: Mapping[str, Path],
    out: Path,
    *,
    recipe: Recipe,
    label: Label,
    keep: Keep = None,
    force: bool = False,
    copies: bool = True,
    watcher: Watcher | None = None,
) -> Outcome:
    """Curate the files into the folder `out`. `files` has a path for each of those that the recipe's kind needs;
    `keep` says which rejected candidates are written; with `copies` off, what loaders and spreadsheets read beside the
    pairs is left out; `watcher` is told how far it is.

    Raises InputError, CurationError, ReleaseError or DirectoryError, each with a sentence that says what to do;
    then nothing was written.
    """
    label.check()
    directory.check(out, force=force, inputs=tuple(files.values()))
    with directory.scratch(out) as file:
        task = Task(files, out, recipe, label, keep, force, watcher or Watcher(), copies)
        return kind_of(recipe).release(task, Shelf(file))


# --- pairs from scores -----------------------------------------------------------------------------------


def _of_scores(task: Task, shelf: Shelf) -> Outcome:
    rows = material.read_responses(task.files["responses"], task.watch("responses"), shelf.lay)
    _check_any(rows, task.files["responses"], "response")
    rows.sort(key=attrgetter("id"))  # as scores.responses will be
    prompts = [row.prompt_id for row in rows]
    scores = current_scores.read(task.files["scores"], [row.id for row in rows], task.watch("scores"))
    # Before there are pairs, whose columns take as much room again.
    report = _agreement(task, scores, prompts)
    curation = pairing.curate(rows, scores, task.recipe, keep=task.keep, watcher=task.watcher)
    files = _write(task, rows, curation, JudgementsOfFile(scores, prompts), report)
    alpha = report.alpha["ordinal"]
    said = f"undefined ({alpha.reason})" if alpha.value is None else f"{alpha.value:.3f}"
    return Outcome(_facts(curation, report), f"{_accepted(curation)}; ordinal alpha {said}.", files)


def _agreement(task: Task, scores: CurrentScores, prompts: Sequence[str]) -> Report:
    """`prompts` are those of scores.responses."""
    task.watcher.stage(f"Measuring agreement of {len(scores):,} scores")
    units, clusters = _named(scores.responses, scores.of), _named(prompts, scores.of)
    annotators = _named(scores.annotators, scores.by)
    return agreement.report(
        units,
        annotators,
        scores.value.tolist(),
        clusters=clusters,
        seed=task.recipe.seed,
        watcher=task.watcher,
    )


def _named(names: Sequence[str], places: NDArray[np.int32]) -> list[str]:
    found: list[str] = np.array(names, dtype=np.object_)[places].tolist()
    return found


# --- pairs from votes ------------------------------------------------------------------------------------


def _of_votes(task: Task, shelf: Shelf) -> Outcome:
    rows = stories.read_stories(task.files["responses"], task.watch("responses"), shelf.lay)
    _check_any(rows, task.files["responses"], "story")
    curation = vote_pairs.curate(rows, task.recipe, keep=task.keep, watcher=task.watcher)
    # Nobody was asked: it is undefined, for the reason that there are no scores.
    report = agreement.report((), (), ())
    files = _write(task, curation.pairs.material.rows, curation, (), report)
    splits = ", ".join(f"{len(pairs)} in {name}" for name, pairs in curation.splits.items())
    sentence = f"{_accepted(curation)}{f' ({splits})' if splits else ''}."
    return Outcome(_facts(curation, report), sentence, files)


# --- rankings --------------------------------------------------------------------------------------------


def _of_rankings(task: Task, shelf: Shelf) -> Outcome:
    """Without rankings of people the gold order stands alone."""
    responses = task.files["responses"]
    rows = ranking_rows.read_graded(responses, task.watch("responses"), shelf.lay)
    if task.recipe.pairs != "none":
        _check_texts(rows, responses.name)
    given = _given(task, rows) if "rankings" in task.files else []
    task.watcher.stage(f"Comparing {len(given):,} rankings")
    return write_rankings(task, weval.curate(rows, given, task.recipe, keep=task.keep))


def write_rankings(task: Task, found: weval.Outcome) -> Outcome:
    """The release of the recipe `weval` as a folder."""
    files = weval_release.release_files(
        name=task.label.name,
        version=task.label.version,
        licence=task.label.licence,
        recipe=task.recipe,
        outcome=found,
        code_version=VERSION,
        seal=Seal(script=script()),
        copies=task.copies,
        with_rejected=task.with_rejected,
    )
    of_prompts = sum(1 + len(prompt.responses) + len(prompt.rankings) for prompt in found.prompts)
    _fill(task, files, of_prompts + len(found.pairs) + len(found.rejected))
    facts = {"funnel": found.funnel.as_dict(), "agreement": found.agreement.as_dict()}
    return Outcome(facts, _said_of_rankings(found), files.facts)


def _given(task: Task, rows: list[GradedResponse]) -> list[ranking_rows.HumanRanking]:
    responses: dict[str, set[str]] = {}
    for row in rows:
        responses.setdefault(row.prompt_id, set()).add(row.id)
    return ranking_rows.read_rankings(
        task.files["rankings"], responses, ties_allowed=task.recipe.ties, watch=task.watch("rankings")
    )


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
        seal=Seal(script=script()),
        copies=task.copies,
        with_funnel=True,
        with_rejected=task.with_rejected,
    )
    rejected = len(curation.rejected) if task.with_rejected else 0
    _fill(task, files, len(curation.pairs) + len(given) + rejected)
    return files.facts


def _fill(task: Task, files: manifest.Release, rows: int) -> None:
    watched = watching.writing(task.watcher, files, rows)
    directory.write(task.out, watched, force=task.force, inputs=tuple(task.files.values()))


def _facts(curation: Curation, report: Report) -> dict[str, object]:
    return {"funnel": curation.funnel.as_dict(), "agreement": report.as_dict()}


def _accepted(curation: Curation) -> str:
    return f"{curation.funnel.accepted} of {curation.funnel.candidates} candidates accepted"


KINDS: Mapping[type[Recipe], Kind] = {
    WritingPreference: Kind(("responses", "scores"), _of_scores),
    LitBench: Kind(("responses",), _of_votes),
    Weval: Kind(("responses",), _of_rankings, besides=("rankings",)),
}

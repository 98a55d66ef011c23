"""A release from two files: responses and scores. No database, nothing kept, nothing written but the folder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.domain import material, scoring
from annotation.domain.records import InputError
from annotation.domain.scoring import CurrentScore, ScoreRow
from curation.domain import agreement, judgements, manifest, pairing
from curation.domain.agreement import Report
from curation.domain.pairing import Curation
from curation.domain.recipes import WritingPreference
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
    """What was released, for a summary."""

    curation: Curation
    agreement: Report
    files: Mapping[str, manifest.FileFacts]


def release(
    responses: Path,
    scores: Path,
    out: Path,
    *,
    recipe: WritingPreference,
    label: Label,
    with_rejected: bool = True,
    force: bool = False,
) -> Outcome:
    """Curate the two files into the folder `out`.

    Raises InputError, CurationError, ReleaseError or DirectoryError, each with a sentence that says what to do;
    then nothing was written.
    """
    label.check()
    inputs = (responses, scores)
    directory.check(out, force=force, inputs=inputs)
    rows = material.read_responses(responses)
    if not rows:
        raise InputError("there is no response below the header; add some", line=1, source=responses.name)
    prompts = {row.id: row.prompt_id for row in rows}
    acts = scoring.read_scores(scores, prompts.keys())
    current = scoring.current(acts, source=scores.name)
    names = judgements.pseudonyms(act.annotator for act in acts)
    curation = pairing.curate(rows, current, recipe)
    report = _agreement(current, prompts, recipe)
    files = manifest.release_files(
        name=label.name,
        version=label.version,
        licence=label.licence,
        recipe=recipe,
        responses=rows,
        curation=curation,
        judgements=judgements.judgements(current, prompts=prompts, names=names, moments=_moments(acts)),
        agreement=report,
        code_version=VERSION,
        with_funnel=True,
        with_rejected=with_rejected,
    )
    directory.write(out, files, force=force, inputs=inputs)
    return Outcome(curation, report, files.facts)


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

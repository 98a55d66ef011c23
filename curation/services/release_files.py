"""The files of a release, computed again from the snapshot of its run and checked against what the run stored."""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from math import isclose

import krippendorff
import numpy as np
from django.utils.translation import gettext as _

from annotation.domain.scoring import SCALE
from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import Rubric
from curation.domain import judgements, manifest
from curation.domain.agreement import Report
from curation.domain.pairing import Curation
from curation.domain.release.ranked import RankedPrompt
from curation.domain.terms import Terms
from curation.models import Release, Run
from curation.queries.audits import kept_record
from curation.services import runs, signing, snapshots
from curation.services.snapshots import Material

SAME_ALPHA = 1e-9


def of(release: Release) -> manifest.Release:
    """Path to content, to be read once and in order. DomainError where they are not what the run decided."""
    run = release.run
    # One that an earlier version was asked for has none.
    terms = Terms.from_dict(release.terms) if release.terms else None
    material = snapshots.load(run.snapshot)
    recipe = runs.recipe_of(run)
    curation, report = runs.compute(material, recipe)
    _check_against_run(run, curation, report)
    checked = _checked_alpha(report, material)
    names = _pseudonyms(
        [score.annotator for score in material.scores]
        + [given.annotator for prompt in material.ranked for given in prompt.given],
        terms.salt if terms else "",
    )
    try:
        return manifest.release_files(
            name=release.name,
            version=release.version,
            recipe=recipe,
            responses=material.responses,
            curation=curation,
            judgements=_judgements(material, names),
            agreement=report,
            code_version=run.code_version,
            rubric_version=run.rubric.version if run.rubric else None,
            licence=terms.licence if terms else "",
            audit=kept_record(release),
            terms=terms,
            checked=checked,
            recipe_named={"name": run.recipe.name, "version": run.recipe.version},
            rubrics=_rubrics(run.rubric),
            ranked=[_renamed(prompt, names) for prompt in material.ranked],
            snapshot=run.snapshot.digest,
            seal=signing.seal(),
        )
    except manifest.ReleaseError as error:  # name, version and licence were checked when it was asked for
        message = _("One of the two splits would have no pair. Hold out another share of the prompts.")
        raise DomainError("empty_split", message) from error


def _rubrics(rubric: Rubric | None) -> dict[str, str]:
    """What judges are shown of it, by language: what each score means, and the criteria of every genre."""
    if rubric is None:
        return {}
    found: dict[str, list[str]] = {}
    for level in rubric.levels.order_by("-value", "pk"):
        found.setdefault(level.language, []).append(f"{level.value} {level.name}: {level.description}")
    for criterion in rubric.criteria.filter(genre=None).order_by("position", "pk"):
        found.setdefault(criterion.language, []).append(f"{criterion.name}: {criterion.question}")
    return {language: "\n".join(lines) for language, lines in found.items()}


def _pseudonyms(names: Iterable[str], salt: str) -> dict[str, str]:
    """Of this release alone: in an order that only who knows the salt can tell from that of another."""
    ordered = sorted(set(names), key=lambda name: hmac.digest(salt.encode(), name.encode(), "sha256"))
    digits = max(2, len(str(len(ordered))))
    return {name: f"annotator-{number:0{digits}}" for number, name in enumerate(ordered, start=1)}


def _judgements(material: Material, names: Mapping[str, str]) -> list[judgements.Judgement]:
    scores = material.scores
    return judgements.judgements(
        [score.current() for score in scores],
        prompts={response.id: response.prompt_id for response in material.responses},
        names=names,
        moments={(score.response_id, score.annotator): judgements.moment(score.at) for score in scores},
    )


def _renamed(prompt: RankedPrompt, names: Mapping[str, str]) -> RankedPrompt:
    return replace(prompt, given=[replace(row, annotator=names[row.annotator]) for row in prompt.given])


def _check_against_run(run: Run, curation: Curation, report: Report) -> None:
    """Code that decides otherwise than at the time of the run must not speak in the run's name."""
    same_pairs = {pair.id for pair in curation.pairs} == set(run.pairs.values_list("key", flat=True))
    same_funnel = curation.funnel.as_dict() == run.funnel
    same_alpha = manifest.rounded(report.as_dict()) == manifest.rounded(run.agreement)
    if not (same_pairs and same_funnel and same_alpha):
        message = _(
            "This version of Plumb decides otherwise than the run did. Start a new run and freeze that."
        )
        raise DomainError("run_not_repeatable", message)


def _checked_alpha(report: Report, material: Material) -> dict[str, object] | None:
    """Alpha as an independent implementation computes it, for the manifest; None where it is undefined."""
    alpha = report.alpha["ordinal"].value
    if alpha is None:
        return None
    units: dict[str, list[int]] = {}
    for score in material.scores:
        units.setdefault(score.response_id, [0] * len(SCALE))[score.score] += 1
    other = krippendorff.alpha(
        value_counts=np.array(list(units.values())), value_domain=SCALE, level_of_measurement="ordinal"
    )
    if not isclose(alpha, other, abs_tol=SAME_ALPHA):
        message = say(
            "Alpha is {alpha} here and {other} by an independent implementation. Report this.",
            alpha=repr(alpha),
            other=repr(other),
        )
        raise DomainError("alpha_disputed", message)
    return {"package": "krippendorff", "version": version("krippendorff"), "ordinal": float(other)}

"""A release of rankings from a project, by the same rules and in the same bytes as one from files of them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annotation.domain.records import nearest
from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import Project, Round
from curation.domain import weval
from curation.domain.ranking_rows import HumanRanking
from curation.domain.recipes import Weval
from curation.domain.rejected import Keep
from curation.queries import graded
from curation.services import directory, from_files
from curation.services.from_files import Label, Outcome, Task
from curation.services.watching import Watcher


def release(
    project: Project,
    out: Path,
    *,
    rounds: Sequence[str] = (),
    recipe: Weval,
    label: Label,
    keep: Keep = None,
    force: bool = False,
    copies: bool = True,
    watcher: Watcher | None = None,
) -> Outcome:
    """Curate the project's rankings into the folder `out`: those of the rounds of these names, or of all its live
    rounds of rankings. It changes nothing in the project.

    Raises DomainError, CurationError, ReleaseError or DirectoryError; then nothing was written.
    """
    label.check()
    directory.check(out, force=force)
    chosen = _rounds(project, rounds)
    task = Task({}, out, recipe, label, keep, force, watcher or Watcher(), copies)
    task.watcher.stage(f"Reading {project.slug}")
    found = graded.graded(project, chosen)
    _check(project, found, recipe)
    task.watcher.stage(f"Comparing {len(found.rankings):,} rankings")
    outcome = weval.curate(found.responses, found.rankings, recipe, decided=found.decided, keep=keep)
    made = from_files.write_rankings(task, outcome)
    if not found.partial:
        return made
    left_out = f"{found.partial} rankings do not hold every response and were left out."
    return replace(made, sentence=f"{made.sentence} {left_out}")


def _rounds(project: Project, names: Sequence[str]) -> list[Round]:
    every = {work.name: work for work in graded.rounds_of_rankings(project)}
    for name in names:
        if name not in every:
            reason = say(
                "There is no live round of rankings '{name}'{hint}",
                name=name,
                hint=nearest(name, list(every)),
            )
            raise DomainError("no_such_round", reason)
    chosen = [every[name] for name in dict.fromkeys(names)] or list(every.values())
    if len({work.instruction for work in chosen}) > 1:
        reason = say(
            "Some rounds order by preference and some by requirements ({names}). Name those that are to be compared "
            "with the gold order.",
            names=", ".join(work.name for work in chosen),
        )
        raise DomainError("rounds_of_two_kinds", reason)
    return chosen


def _check(project: Project, found: graded.Graded, recipe: Weval) -> None:
    if not found.responses:
        reason = say(
            "No prompt of {project} has requirements, so no order of its responses is known. Import material with "
            "requirements and kept_requirements.",
            project=project.slug,
        )
        raise DomainError("no_requirements", reason)
    tied = next((row for row in found.rankings if any(len(tier) > 1 for tier in row.tiers)), None)
    if tied is not None and not recipe.ties:
        raise DomainError("ties_not_allowed", _tied(tied))


def _tied(row: HumanRanking) -> str:
    return say(
        "{annotator} ties responses to the prompt '{prompt}', and the recipe takes none (ties=off). Allow ties, or "
        "leave that round out.",
        annotator=row.annotator,
        prompt=row.prompt_id,
    )

"""Runs that are audited, for tests."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Project
from curation.models import Audit, Release, Run
from curation.services import audit_work, audits, recipes, releases, runs
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, score_all


def even(pairs: int, first: int = 0) -> list[tuple[str, str]]:
    """Pairs of texts in which nothing gives a side away: the same words, in another order."""
    words = [
        f"bridge {number} stood over the cold river and nobody crossed it".split()
        for number in range(first, first + pairs)
    ]
    return [(" ".join(each) + ".", " ".join(reversed(each)) + ".") for each in words]


def longer(pairs: int) -> list[tuple[str, str]]:
    """Pairs of texts of which the longer one is always chosen."""
    return [(f"{text} And then the water rose again.", other) for text, other in even(pairs)]


def make_run(
    project: Project,
    pairs: Sequence[tuple[str, str]],
    *,
    now: datetime = NOW,
    first: int = 0,
    **columns: object,
) -> Run:
    """A run that accepted these pairs of texts, chosen and rejected, each of a prompt of its own."""
    names = [f"{project.slug}-{number}" for number in range(3)]
    values = {}
    for number, texts in enumerate(pairs, first):
        prompt = make_prompt(project, f"p{number:02}", genre=project.genres.order_by("position")[number % 2])
        for side, text, value in zip("cr", texts, (3, 1), strict=True):
            make_response(prompt, f"p{number:02}-{side}", text, **columns)
            values |= {(f"p{number:02}-{side}", name): value for name in names}
    if not project.memberships.filter(user__username__in=names).exists():
        for name in names:
            make_member(project, "annotator", name)
    score_all(make_round(project, f"Round from {first}"), values)
    return run_again(project, now=now)


def run_again(project: Project, *, now: datetime = NOW) -> Run:
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=now)
    run = runs.request(project, recipe=recipe, by=None, now=now)
    runs.execute(run.pk, clock=lambda: now)
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


def audited(run: Run, *, now: datetime = NOW) -> Audit:
    audit = audits.request(run, by=None, now=now)
    audit_work.execute(audit.pk, clock=lambda: now)
    audit.refresh_from_db()
    assert audit.state == "done", audit.error
    return audit


def frozen(run: Run, *, name: str = "bridges", version: str = "1.0.0", **options: object) -> Release:
    release = releases.request(run, name=name, version=version, by=None, now=NOW, **options)
    releases.execute(release.pk, clock=lambda: NOW)
    release.refresh_from_db()
    assert release.state == "done", release.error
    return release

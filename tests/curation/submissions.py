"""Releases with submissions to them, for tests."""

import json
from collections.abc import Mapping

from annotation.models import Project, User
from curation.models import Release, Submission
from curation.services import submission_work, submissions
from tests.curation.audits import even, frozen, make_run
from tests.factories import NOW

PAIRS = 6


def make_release(project: Project, *, pairs: int = PAIRS, **options: object) -> Release:
    """Of pairs p00 to p05, each of a prompt of its own, in which p00-c is chosen over p00-r."""
    return frozen(make_run(project, even(pairs)), reason="A pilot.", **options)


def scores(values: Mapping[str, object]) -> bytes:
    return b"".join(
        json.dumps({"response_id": name, "score": value}).encode() + b"\n" for name, value in values.items()
    )


def right_in(n: int, *, pairs: int = PAIRS) -> bytes:
    """Scores by which the first n pairs are right and the others wrong."""
    found = {}
    for number in range(pairs):
        found[f"p{number:02}-c"] = 2 if number < n else 0
        found[f"p{number:02}-r"] = 1
    return scores(found)


def submit(
    release: Release, by: User, content: bytes | None = None, *, model: str = "judge-1", **options: str
) -> Submission:
    """Scored already."""
    content = right_in(4) if content is None else content
    made = submissions.request(release, content=content, model=model, by=by, now=NOW, **options)
    submission_work.execute(made.pk, clock=lambda: NOW)
    made.refresh_from_db()
    return made

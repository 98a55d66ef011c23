"""Calibrations for tests: people who stand there, texts, and rounds in each state."""

from collections.abc import Callable, Sequence

from annotation.models import Membership, Project, Qualification, Response, Round, User
from annotation.services import assignments, calibration, scoring
from annotation.services.calibration import Results
from tests.factories import NOW, make_member, make_prompt, make_response

NUMBER = {"value": 0.5, "low": 0.3, "high": 0.7, "undefined": 0, "reason": None}
STANDING = {
    "n": 3,
    "alpha": NUMBER,
    "kappa": 0.5,
    "kappa_reason": None,
    "severity": {"value": 0.0, "low": -0.1, "high": 0.1, "reason": None},
    "use": [0, 3, 0, 0],
    "without": NUMBER,
    "gate": {"statistic": "alpha_rest", "threshold": "0.40", "value": 0.5, "met": True},
}


def take_part(
    project: Project, *names: str, stage: str = "calibration", language: str = "en"
) -> list[Membership]:
    """Annotators who stand at that stage, in one language and no other."""
    members = [make_member(project, "annotator", name) for name in names]
    for member in members:
        stand(member, stage, language)
    return members


def stand(member: Membership, stage: str, language: str = "en") -> None:
    """As if the annotator had come that far; whoever is added by hand begins somewhere else."""
    held = Qualification.objects.filter(annotator=member)
    if not held.update(stage=stage, language=language):
        Qualification.objects.create(
            project=member.project, annotator=member, language=language, stage=stage, since=NOW
        )


def stage_of(member: Membership) -> str:
    return Qualification.objects.get(annotator=member).stage


def make_texts(project: Project, number: int = 3, marker: str = "text") -> list[Response]:
    """Each to a prompt of its own."""
    return [
        make_response(make_prompt(project), text=f"The {marker} of number {place}.\n\nIt has two paragraphs.")
        for place in range(number)
    ]


def drafted(
    project: Project,
    people: Sequence[Membership],
    texts: Sequence[Response],
    *,
    name: str = "First calibration",
    by: User,
    **options: object,
) -> Round:
    given = {"language": "en", "closes_at": None, **options}
    return calibration.draft(
        project,
        name=name,
        responses=[text.pk for text in texts],
        participants=[member.pk for member in people],
        by=by,
        now=NOW,
        **given,
    )


def begun(
    project: Project, people: Sequence[Membership], texts: Sequence[Response], **options: object
) -> Round:
    work = drafted(project, people, texts, **options)
    calibration.open_draft(work, by=options["by"], now=NOW)
    return work


def score_texts(
    work: Round,
    people: Sequence[Membership],
    value: Callable[[Membership, Response], int],
    *,
    least: int = 0,
) -> None:
    """Have each of them score all that they are given; `least` texts of each are left."""
    for member in people:
        left = work.assignments.filter(reserved_for=member).exclude(state="done").count() - least
        for _ in range(left):
            lease = assignments.claim(member, work, now=NOW)
            response = lease.assignment.response
            scoring.submit(
                lease,
                value=value(member, response),
                justification=f"Reason of {member.user.username} for {response.pk} in {work.pk}.",
                now=NOW,
            )


def measured(work: Round) -> Results:
    """Numbers by hand, of everybody who scored."""
    group = {
        "alpha": NUMBER,
        "icc": dict.fromkeys(("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"), NUMBER),
        "icc_texts": 3,
        "n_texts": 3,
        "n_annotators": 3,
        "n_scores": 9,
    }
    scored = set(work.scores.values_list("annotator", flat=True))
    return Results(group, dict.fromkeys(scored, STANDING))


def close(work: Round, *, reason: str = "", by: User) -> None:
    calibration.close(work, measured, reason=reason, by=by, now=NOW)

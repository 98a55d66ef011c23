"""A course with its texts, and people at the stage of training."""

from annotation.domain import stages
from annotation.models import Genre, Lease, Membership, Project, Qualification, Round
from annotation.services import consensus, courses, membership, scoring, training
from annotation.services import stages as way
from tests.factories import NOW, make_user

TEXTS = {"worked": 1, "practice": 3, "check": 2}
RATIONALE = "MARKER-RATIONALE: ¶2 turns it round, and ¶1 has prepared it."


def make_course(
    project: Project,
    *,
    language: str = "en",
    texts: dict[str, int] | None = None,
    genres: tuple[Genre, ...] = (),
    value: int = 2,
    is_open: bool = True,
) -> Round:
    """A course whose items all have one consensus score; item number n of a kind is in genres[n % len]."""
    work = courses.draft(project, language=language, by=None, now=NOW)
    found = genres or tuple(project.genres.order_by("position"))[:1]
    for kind, count in (texts or TEXTS).items():
        for number in range(count):
            consensus.author(
                work,
                language=language or "en",
                genre=found[number % len(found)],
                prompt_text=f"Write {kind} number {number}.",
                response_text=f"The {kind} text, number {number}.\n\nIt ends here.",
                kind=kind,
                value=value,
                split=[0, 2, 3, 0] if value == 2 else [],
                rationale=RATIONALE,
                by=None,
                now=NOW,
            )
    if is_open:
        courses.open_course(work, by=None, now=NOW)
    return work


def make_trainee(
    project: Project, username: str = "", *, language: str = "en", stage: str = stages.TRAINING
) -> Qualification:
    member = membership.add(project, make_user(username), role="annotator", by=None, now=NOW)
    return standing(member, language=language, stage=stage)


def standing(member: Membership, *, language: str = "en", stage: str = stages.TRAINING) -> Qualification:
    """The annotator's one qualification, in that language and at that stage."""
    held = member.qualifications.filter(language=language).first()
    if held is None:
        (held,) = way.enter(member, languages=[language], stage=stage, by=None, now=NOW)
    Qualification.objects.filter(pk=held.pk).update(stage=stage)
    member.qualifications.exclude(pk=held.pk).update(stage=stages.PAUSED)
    held.refresh_from_db()
    return held


def lock(held: Qualification, value: int, justification: str = "As I see it.") -> Lease:
    """The trainee scores their next item."""
    lease = training.next_item(held, now=NOW)
    scoring.submit(lease, value=value, justification=justification, now=NOW)
    return lease


def lock_all(held: Qualification, values: list[int]) -> list[Lease]:
    return [lock(held, value) for value in values]

"""Who takes the course, and how far they are: what those who teach see of it."""

from dataclasses import dataclass

from annotation.models import Project, Stage
from annotation.queries import training, work_time
from annotation.queries.courses import language_label
from annotation.queries.people import person_name


@dataclass(frozen=True, slots=True)
class TraineeLine:
    """Somebody at the stage of training, on the instructors' page."""

    pk: int  # of the qualification
    name: str
    language: str
    done: int
    total: int
    spent: str  # in words


def trainees(project: Project) -> list[TraineeLine]:
    held = project.qualifications.filter(stage=Stage.TRAINING, annotator__isnull=False)
    spent = work_time.of_project(project)
    lines = []
    for each in held.select_related("project", "annotator__user").order_by("language", "since", "pk"):
        items = training.progress(each).items
        user = each.annotator.user
        lines.append(
            TraineeLine(
                pk=each.pk,
                name=person_name(user),
                language=language_label(each.language),
                done=items.done,
                total=items.total,
                spent=work_time.in_words(spent[user.pk].course if user.pk in spent else 0),
            )
        )
    return lines

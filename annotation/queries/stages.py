"""Where annotators stand, and what they may be given there."""

from annotation.domain import stages
from annotation.domain.reach import Reach
from annotation.models import Membership, Preparation, Project, Qualification, Round


def settings_of(project: Project) -> Preparation:
    """What the project asks before the work; the defaults, unsaved, where nobody has set anything."""
    return Preparation.objects.filter(project=project).first() or Preparation(project=project)


def uses(project: Project) -> tuple[str, ...]:
    """The stages of preparation that the project uses, in their order."""
    found = settings_of(project)
    return tuple(stage for stage in stages.PREPARING if getattr(found, f"uses_{stage}"))


def reach(annotator: Membership, work: Round) -> Reach:
    """In which languages and genres texts of this round may be given to the annotator now; {} for none.

    Genres limit the work, not the preparation, whose texts come from all of them.
    """
    return reaches(work.project, purpose=work.purpose, annotator=annotator, language=work.language).get(
        annotator.pk, {}
    )


def reaches(
    project: Project, *, purpose: str, annotator: Membership | None = None, language: str = ""
) -> dict[int, Reach]:
    """By membership, of all who may be given texts of such a round, in that language if one is named."""
    held = Qualification.objects.filter(
        project=project, annotator__isnull=False, stage__in=stages.stages_for(purpose)
    )
    if annotator is not None:
        held = held.filter(annotator=annotator)
    if language:
        held = held.filter(language__in=["", language])
    limited = purpose in stages.WORK
    found: dict[int, dict[str, frozenset[int]]] = {}
    for each in held.prefetch_related("genres"):
        genres = frozenset(genre.pk for genre in each.genres.all()) if limited else frozenset()
        found.setdefault(each.annotator_id, {})[each.language] = genres
    return dict(found)

"""Where annotators stand, and what they may be given there."""

from collections.abc import Iterable

from django.db.models import QuerySet

from annotation.domain import stages
from annotation.domain.reach import Reach, genres_within, languages_of, works_in_all
from annotation.models import Membership, Preparation, Project, Qualification, Round
from annotation.models.prepared import Parameter, prepared

# Of a qualification: whose it is, its language and stage, and a genre of it or None.
Held = tuple[int, str, str, int | None]


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
    return reaches_of(work, annotator).get(annotator.pk, {})


def reaches_of(work: Round, annotator: Membership | None = None) -> dict[int, Reach]:
    """By membership, of all who may be given texts of this round.

    Where it is for people who work in several languages, nobody else is, in none of them.
    """
    only = {} if annotator is None else {"annotator": annotator.pk}
    return _of_round(work, _qualified(project=work.project_id, **only))


def reach_of(work: Round, held: Iterable[Held]) -> Reach:
    """The same as `reach`, of the one annotator whose qualifications were read already."""
    return next(iter(_of_round(work, held).values()), {})


def reaches(project: Project, *, purpose: str) -> dict[int, Reach]:
    """By membership, of all who may be given texts of such rounds."""
    return _reaches(_qualified(project=project.pk), purpose, "")


def _of_round(work: Round, held: Iterable[Held]) -> dict[int, Reach]:
    languages = languages_of(work.language)
    found = _reaches(held, work.purpose, languages[0] if len(languages) == 1 else "")
    if len(languages) < 2:
        return found
    return {one: reach for one, reach in found.items() if works_in_all(reach, languages)}


def _reaches(held: Iterable[Held], purpose: str, language: str) -> dict[int, Reach]:
    """In that language, if one is named. Where somebody stands in one decides there, whatever they may do in others."""
    given, limited = stages.stages_for(purpose), purpose in stages.WORK
    found: dict[int, dict[str, frozenset[int] | None]] = {}
    for one, tongue, stage, genre in held:
        of_one = found.setdefault(one, {})
        if stage not in given:
            of_one[tongue] = None
        else:
            more = {genre} if limited and genre is not None else set()
            of_one[tongue] = (of_one.get(tongue) or frozenset()) | more
    if language:
        found = {one: {language: genres_within(reach, language)} for one, reach in found.items()}
    return {one: reach for one, reach in found.items() if any(each is not None for each in reach.values())}


@prepared
def _qualified(*, project: Parameter, annotator: Parameter | None = None) -> QuerySet:
    held = Qualification.objects.filter(project=project, annotator__isnull=False)
    if annotator is not None:
        held = held.filter(annotator=annotator)
    return held.values_list("annotator", "language", "stage", "genres")

"""What a project records of people: the text's versions, and who agreed to which."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q
from django.utils.safestring import SafeString

from annotation.domain import shipped
from annotation.domain.rubrics import LANGUAGES
from annotation.models import Consent, ConsentText, Membership, Project, User
from annotation.queries.people import person_name
from annotation.queries.rubrics import TAGS, guideline_html, reader_language


@dataclass(frozen=True, slots=True)
class ConsentPage:
    """A version as a reader sees it, in their language where there is one."""

    version: int
    tag: str  # of the language the text is in
    html: SafeString
    since: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A project with a newer text than the person agreed to."""

    slug: str
    name: str
    is_first: bool  # whether they have agreed to none yet


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    since: datetime
    by: str  # "" for a command
    agreed: int  # members of today who agreed to it


def current_version(project: Project) -> int:
    """The number of the newest text; 0 where there is none."""
    return project.consent_texts.aggregate(newest=Max("version"))["newest"] or 0


def page(project: Project) -> ConsentPage | None:
    texts = {text.language: text for text in _texts(project, current_version(project))}
    if not texts:
        return None
    text = texts.get(reader_language()) or next(iter(texts.values()))
    return ConsentPage(text.version, TAGS[text.language], guideline_html(text.body, top=2), text.created_at)


def bodies(project: Project) -> dict[str, str]:
    """What an editor begins with, by language: the newest text, or the shipped one where there is none."""
    texts = {text.language: text.body for text in _texts(project, current_version(project))}
    return {language: texts.get(language, "") for language in LANGUAGES} if texts else shipped_bodies()


def shipped_bodies() -> dict[str, str]:
    wording = shipped.consent()
    return {language: wording.in_language(language) for language in LANGUAGES}


def versions(project: Project) -> list[Version]:
    """Newest first."""
    first: dict[int, ConsentText] = {}
    for text in project.consent_texts.select_related("created_by").order_by("-version", "pk"):
        first.setdefault(text.version, text)
    agreed = _agreed(project)
    return [
        Version(
            number=number,
            since=text.created_at,
            by=person_name(text.created_by) if text.created_by else "",
            agreed=agreed.get(number, 0),
        )
        for number, text in first.items()
    ]


def agreed_to(user: User, project: Project) -> Consent | None:
    """The newest that the person agreed to."""
    return project.consents.filter(user=user).order_by("-version").first()


def waiting(user: User) -> list[Waiting]:
    """Projects of the person whose newest text they have not agreed to, by name."""
    part = Membership.objects.filter(user=user, state=Membership.State.ACTIVE)
    found = (
        Project.objects.filter(pk__in=part.values("project"))
        .annotate(
            newest=Max("consent_texts__version"),
            agreed=Max("consents__version", filter=Q(consents__user=user)),
        )
        .exclude(newest=None)
        .order_by("name", "pk")
    )
    return [
        Waiting(project.slug, project.name, is_first=project.agreed is None)
        for project in found
        if (project.agreed or 0) < project.newest
    ]


def _texts(project: Project, version: int) -> list[ConsentText]:
    return list(project.consent_texts.filter(version=version).order_by("language"))


def _agreed(project: Project) -> Mapping[int, int]:
    """By version how many who take part today agreed to it."""
    here = project.memberships.exclude(state__in=Membership.ENDED).values("user")
    numbers: dict[int, int] = {}
    for version in project.consents.filter(user__in=here).values_list("version", flat=True):
        numbers[version] = numbers.get(version, 0) + 1
    return numbers

"""Who takes part in a project: what a lead sees of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from annotation.models import Membership, Project, User

Role = Membership.Role
# Above this the annotators are shown in parts: a file may bring thousands of them.
ANNOTATORS_A_PAGE = 200
ORDER = (Role.LEAD, Role.INSTRUCTOR, Role.ADJUDICATOR, Role.ANNOTATOR)


@dataclass(frozen=True, slots=True)
class RoleLine:
    """A role of a person in a project."""

    person: int  # primary key of the account
    name: str
    username: str
    role: str
    role_name: str
    state: str
    state_name: str
    languages: tuple[str, ...]  # their names; () for any
    pseudonym: str
    is_from_file: bool  # nobody signs in: the account only stands for an annotator of a file
    scores: int  # responses scored, a change of mind not counted again
    frozen: int  # of them, those that were given before the newest frozen release read the project
    joined_at: datetime

    @property
    def is_open(self) -> bool:
        return self.state not in Membership.ENDED

    @property
    def is_withdrawn(self) -> bool:
        return self.state == Membership.State.WITHDRAWN


@dataclass(frozen=True, slots=True)
class Annotators:
    lines: tuple[RoleLine, ...]
    total: int
    next: int | None  # where the following part begins after; None at the end


@dataclass(frozen=True, slots=True)
class Person:
    """All that a person is in a project."""

    pk: int
    name: str
    username: str
    lines: tuple[RoleLine, ...]
    languages: tuple[str, ...]  # primary subtags; () for any
    free_roles: tuple[tuple[str, str], ...]  # (key, name) of those that could be given
    shut_out: str  # the role that another of theirs forbids; "" where none does


def staff(project: Project) -> tuple[RoleLine, ...]:
    """Leads first, then instructors and adjudicators; those whose role has ended stay on the list."""
    found = _counted(project.memberships.exclude(role=Role.ANNOTATOR))
    lines = [_line(member) for member in found.order_by("pk")]
    return tuple(sorted(lines, key=lambda line: (not line.is_open, ORDER.index(line.role))))


def annotators(project: Project, *, after: int = 0) -> Annotators:
    members = project.memberships.filter(role=Role.ANNOTATOR)
    part = list(_counted(members.filter(pk__gt=after)).order_by("pk")[: ANNOTATORS_A_PAGE + 1])
    shown = part[:ANNOTATORS_A_PAGE]
    return Annotators(
        lines=tuple(_line(member) for member in shown),
        total=members.count(),
        next=shown[-1].pk if len(part) > len(shown) else None,
    )


def person(project: Project, user: User) -> Person:
    members = list(_counted(project.memberships.filter(user=user)))
    lines = sorted((_line(member) for member in members), key=lambda line: ORDER.index(line.role))
    held = {line.role for line in lines}
    shut_out = {Role.LEAD: Role.ANNOTATOR, Role.ANNOTATOR: Role.LEAD}
    forbidden = {shut_out[role] for role in held & shut_out.keys()}
    return Person(
        pk=user.pk,
        name=person_name(user),
        username=user.username,
        lines=tuple(lines),
        languages=tuple(sorted({code for member in members for code in member.languages})),
        free_roles=tuple((role.value, role.label) for role in ORDER if role not in held | forbidden),
        shut_out=next(iter(forbidden), ""),
    )


def offered_languages(project: Project, also: Iterable[str] = ()) -> list[tuple[str, str]]:
    """(primary subtag, name) of the languages to tick: those of the material, and those of `also`."""
    material = {primary_subtag(tag) for tag in project.languages} or {"en", "zh"}
    return [(code, language_name(code)) for code in sorted(material | set(also))]


def primary_subtag(tag: str) -> str:
    return tag.strip().split("-")[0].lower()


def language_name(code: str) -> str:
    """In the reader's language; the code itself where Django knows no name for it."""
    if code == "zh":
        return _("Chinese")
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


def _counted(members: QuerySet[Membership]) -> QuerySet[Membership]:
    first = Q(scores__revision=1)
    sealed = first & Q(scores__recorded_at__lte=F("project__sealed_at"))
    return members.select_related("user").annotate(
        n_scores=Count("scores", filter=first), n_frozen=Count("scores", filter=sealed)
    )


def _line(member: Membership) -> RoleLine:
    return RoleLine(
        person=member.user_id,
        name=person_name(member.user),
        username=member.user.username,
        role=member.role,
        role_name=member.get_role_display(),
        state=member.state,
        state_name=member.get_state_display(),
        languages=_names(member.languages),
        pseudonym=member.pseudonym,
        is_from_file=bool(member.external_id) and not member.user.has_usable_password(),
        scores=member.n_scores,
        frozen=member.n_frozen,
        joined_at=member.joined_at,
    )


def _names(codes: Sequence[str]) -> tuple[str, ...]:
    return tuple(language_name(code) for code in codes)


def person_name(user: User) -> str:
    """What readers call somebody; a name of their own, if they gave one."""
    return user.get_full_name() or user.username

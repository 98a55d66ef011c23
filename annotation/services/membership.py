"""Who takes part in a project, and in which role."""

from datetime import datetime
from itertools import count, islice

from django.db import IntegrityError, transaction

from annotation.errors import DomainError
from annotation.models import Membership, Project, User
from annotation.services import journal

Role = Membership.Role
EXCLUSIVE = {Role.ANNOTATOR, Role.LEAD}


def free_pseudonyms(project: Project, wanted: int) -> list[str]:
    """The next ones of the project, annotator-01 and so on, for which no account SLUG.ALIAS exists either."""
    members = project.memberships.filter(role=Role.ANNOTATOR)
    taken = set(members.values_list("pseudonym", flat=True))
    prefix = f"{project.slug}."
    named = User.objects.filter(username__startswith=prefix).values_list("username", flat=True)
    taken.update(name.removeprefix(prefix) for name in named)
    following = (f"annotator-{number:02d}" for number in count(members.count() + 1))
    return list(islice((alias for alias in following if alias not in taken), wanted))


@transaction.atomic
def add(project: Project, user: User, *, role: str, by: User | None, now: datetime) -> Membership:
    """Give `user` the role; a second call returns the same membership."""
    held = {member.role: member for member in project.memberships.filter(user=user)}
    if role in held:
        return held[role]
    if role in EXCLUSIVE and EXCLUSIVE & held.keys():
        raise DomainError(
            "roles_exclude_each_other",
            f"{user.username} cannot be lead and annotator of the same project: a lead sees every score.",
        )
    pseudonym = free_pseudonyms(project, 1)[0] if role == Role.ANNOTATOR else ""
    try:
        with transaction.atomic():
            member = Membership.objects.create(
                project=project,
                user=user,
                role=role,
                pseudonym=pseudonym,
                joined_at=now,
            )
    except IntegrityError as error:
        raise DomainError("membership_changed", "Somebody else was added just now. Try again.") from error
    journal.record("membership.added", by=by, at=now, project=project, user=user.pk, role=role)
    return member


@transaction.atomic
def withdraw(member: Membership, *, by: User | None, now: datetime) -> None:
    """End the membership. Its judgements stay; from the next run on they are not curation data."""
    changed = Membership.objects.filter(pk=member.pk, state__in=["active", "paused"]).update(
        state=Membership.State.WITHDRAWN
    )
    if changed != 1:
        raise DomainError("already_withdrawn", "This member has been withdrawn already.")
    journal.record("membership.withdrawn", by=by, at=now, project=member.project, member=member.pk)

"""Who takes part in a project, and in which role.

Whoever changes another's role leads the project at that moment; nobody changes a role of their own, except by
ending it. Commands act as nobody (`by=None`) and may do both.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import count, islice

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Membership, Project, Stage, User
from annotation.services import accounts, journal, seats, stages

Role = Membership.Role
State = Membership.State
EXCLUSIVE = {Role.ANNOTATOR, Role.LEAD}
# How Django marks the password of an account that nobody signs in to.
UNUSABLE = "!"


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
def add(
    project: Project,
    user: User,
    *,
    role: str,
    by: User | None,
    now: datetime,
    languages: Sequence[str] = (),
    stage: str | None = Stage.ACTIVE,
) -> Membership:
    """Give `user` the role. A second call returns the same membership; one that had ended begins again.

    `languages` are primary subtags; [] where the person's other roles in the project say, or any. An annotator
    begins at `stage` in each; None where somebody else says where.
    """
    _lock(project)
    _refuse_unless_may_add(project, user, role, by)
    held = {member.role: member for member in project.memberships.filter(user=user)}
    if role in held:
        return _begun_again(held[role], by=by, now=now)
    if role in EXCLUSIVE and EXCLUSIVE & held.keys():
        raise DomainError(
            "roles_exclude_each_other",
            _("%(name)s cannot be lead and annotator of the same project: a lead sees every score.")
            % {"name": user.username},
        )
    known = next((member.languages for member in held.values() if member.languages), [])
    pseudonym = free_pseudonyms(project, 1)[0] if role == Role.ANNOTATOR else ""
    try:
        with transaction.atomic():
            member = Membership.objects.create(
                project=project,
                user=user,
                role=role,
                languages=sorted(set(languages)) or known,
                pseudonym=pseudonym,
                joined_at=now,
            )
    except IntegrityError as error:
        raise DomainError("membership_changed", _("Somebody else was added just now. Try again.")) from error
    journal.record("membership.added", by=by, at=now, project=project, user=user.pk, role=role)
    if role == Role.ANNOTATOR and stage is not None:
        stages.enter(member, languages=member.languages, stage=stage, by=by, now=now)
    return member


@transaction.atomic
def add_by_name(
    project: Project,
    username: str,
    *,
    role: str,
    languages: Sequence[str],
    by: User,
    now: datetime,
    stage: str = Stage.ACTIVE,
) -> Membership:
    """Give the role to the account of that name. What else there is of accounts stays unsaid: one that is
    switched off, or that only stands for an annotator of a file elsewhere, is as good as none."""
    signs_in = User.objects.filter(is_active=True).exclude(password__startswith=UNUSABLE)
    name = User.normalize_username(username)
    user = signs_in.filter(username=name).first() or _member_named(project, name)
    if user is None:
        raise Invalid("no_account", _("There is no account of that name."))
    if project.memberships.filter(user=user, role=role, state__in=[State.ACTIVE, State.PAUSED]).exists():
        raise Invalid("has_the_role", _("%(name)s has this role already.") % {"name": user.username})
    return add(project, user, role=role, languages=languages, by=by, now=now, stage=stage)


@transaction.atomic
def add_account(
    project: Project,
    username: str,
    *,
    full_name: str,
    role: str,
    languages: Sequence[str],
    by: User,
    now: datetime,
    stage: str = Stage.ACTIVE,
) -> tuple[Membership, str]:
    """A new account with the role, and its password, which is kept nowhere. No account without its membership."""
    user, password = accounts.create(username, full_name=full_name, by=by, now=now, project=project)
    member = add(project, user, role=role, languages=languages, by=by, now=now, stage=stage)
    return member, password


@transaction.atomic
def end(member: Membership, *, by: User | None, now: datetime) -> None:
    """End the role. The person takes no part any more; their judgements stay and count."""
    _lock(member.project)
    if by is None or by.pk != member.user_id:
        _refuse_unless_leading(member.project, by)
    _refuse_last_lead(member)
    if not _moved(member, {State.ACTIVE, State.PAUSED}, State.LEFT):
        raise DomainError("already_ended", _("This role has been ended already."))
    seats.leave(member, by=by, now=now)
    own = by is not None and by.pk == member.user_id
    _record("membership.left" if own else "membership.ended", member, by=by, now=now)


@transaction.atomic
def leave(project: Project, user: User, *, now: datetime) -> None:
    """A person ends every role of theirs in the project; the last lead cannot."""
    held = project.memberships.filter(user=user, state__in=[State.ACTIVE, State.PAUSED]).order_by("pk")
    members = list(held.select_related("project", "user"))
    if not members:
        raise DomainError("not_a_member", _("You have no part in this project."))
    for member in members:
        end(member, by=user, now=now)


@transaction.atomic
def withdraw_data(member: Membership, *, reason: str, by: User, now: datetime) -> None:
    """From the next run on an annotator's scores are not curation data. A frozen release stays as it is.

    It ends the role and cannot be taken back: what a person asked to have left out does not come in again.
    """
    _lock(member.project)
    _refuse_own(member.user_id, by)
    _refuse_unless_leading(member.project, by)
    if member.role != Role.ANNOTATOR:
        raise Invalid("no_annotator", _("Only annotators have scores that can be withdrawn."))
    reason = reason.strip()
    if not reason:
        raise Invalid("no_reason", _("Write the reason. It stands in the journal."))
    if not _moved(member, {State.ACTIVE, State.PAUSED, State.LEFT}, State.WITHDRAWN):
        raise DomainError("already_withdrawn", _("These data have been withdrawn already."))
    seats.leave(member, by=by, now=now)
    _record("membership.data_withdrawn", member, by=by, now=now, reason=reason)


@transaction.atomic
def pause(member: Membership, *, by: User | None, now: datetime) -> None:
    """No work, and no page of the project, until the role is resumed."""
    _lock(member.project)
    _refuse_own(member.user_id, by)
    _refuse_unless_leading(member.project, by)
    _refuse_last_lead(member)
    if not _moved(member, {State.ACTIVE}, State.PAUSED):
        raise DomainError("not_active", _("This role is not active, so it cannot be paused."))
    _record("membership.paused", member, by=by, now=now)


@transaction.atomic
def resume(member: Membership, *, by: User | None, now: datetime) -> None:
    _lock(member.project)
    _refuse_own(member.user_id, by)
    _refuse_unless_leading(member.project, by)
    if not _moved(member, {State.PAUSED}, State.ACTIVE):
        raise DomainError("not_paused", _("This role is not paused, so it cannot be resumed."))
    _record("membership.resumed", member, by=by, now=now)


@transaction.atomic
def set_languages(
    project: Project, user: User, *, languages: Sequence[str], by: User | None, now: datetime
) -> None:
    """The languages (primary subtags) in which a person reads, in all their roles of the project; [] for any."""
    _lock(project)
    _refuse_own(user.pk, by)
    _refuse_unless_leading(project, by)
    read = sorted(set(languages))
    if project.memberships.filter(user=user).update(languages=read) == 0:
        raise DomainError("not_a_member", _("This person has no role in the project."))
    journal.record("membership.languages", by=by, at=now, project=project, user=user.pk, languages=read)
    annotator = project.memberships.filter(user=user, role=Role.ANNOTATOR, external_id="").first()
    if annotator is not None:
        stages.follow_languages(annotator, read, by=by, now=now)


def _lock(project: Project) -> None:
    """Changes of a project's people follow each other, so that the last lead is known to be the last."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _refuse_unless_may_add(project: Project, user: User, role: str, by: User | None) -> None:
    """A lead may; where there is none, an operator may add one. Whoever makes a project is its first member."""
    if by is None:
        return
    if project.memberships.exists():
        _refuse_own(user.pk, by)
    if access.active_leads(project).exists() or role != Role.LEAD or not by.is_superuser:
        _refuse_unless_leading(project, by)


def _refuse_unless_leading(project: Project, by: User | None) -> None:
    if by is not None and not access.is_lead(by, project):
        raise NotAllowed("not_a_lead", _("Only leads of the project change who takes part."))


def _refuse_own(user: int, by: User | None) -> None:
    if by is not None and by.pk == user:
        raise NotAllowed(
            "own_role", _("Nobody changes their own role, except by ending it. Ask another lead.")
        )


def _refuse_last_lead(member: Membership) -> None:
    leads = access.active_leads(member.project)
    if leads.filter(pk=member.pk).exists() and not leads.exclude(pk=member.pk).exists():
        raise DomainError("last_lead", _("A project needs a lead. Make somebody else lead first."))


def _moved(member: Membership, before: set[State], after: State) -> bool:
    return Membership.objects.filter(pk=member.pk, state__in=before).update(state=after) == 1


def _begun_again(member: Membership, *, by: User | None, now: datetime) -> Membership:
    if member.state == State.WITHDRAWN:
        raise DomainError(
            "data_withdrawn",
            _("The data of %(name)s were withdrawn, so this role cannot be given again.")
            % {"name": member.user.username},
        )
    if _moved(member, {State.LEFT}, State.ACTIVE):
        _record("membership.returned", member, by=by, now=now)
        member.refresh_from_db()
    return member


def _member_named(project: Project, username: str) -> User | None:
    return User.objects.filter(username=username, memberships__project=project).first()


def _record(action: str, member: Membership, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(
        action,
        by=by,
        at=now,
        project=member.project,
        member=member.pk,
        user=member.user_id,
        role=member.role,
        **data,
    )

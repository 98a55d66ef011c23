"""Inviting people into a project, and what the invited do with it: accept once, or decline.

Nothing here sends mail: whoever calls writes to people once the change is stored.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain import invitation_lines
from annotation.domain.invitation_lines import InvitationLine
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Invitation, Membership, Project, Qualification, Stage, User
from annotation.queries import account
from annotation.queries import consent as consent_queries
from annotation.queries.imports import said_of
from annotation.services import accounts, consent, journal, membership, seals, stages

DAYS = 7
State = Invitation.State
Role = Membership.Role
INVITED = Stage.INVITED
# As it is stored; queries/standing.py says it in the reader's language.
TAKEN_BACK = "Invitation taken back"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a line of a pasted list. `token` is "" and `refusal` says why where nobody was invited."""

    line: InvitationLine
    invitation: Invitation | None = None
    token: str = ""
    refusal: str = ""


@transaction.atomic
def invite(
    project: Project,
    email: str,
    *,
    full_name: str,
    role: str,
    languages: Sequence[str],
    by: User,
    now: datetime,
) -> tuple[Invitation, str]:
    """An invitation and the token of its link, which is kept nowhere. `languages` are primary subtags."""
    seals.hold(project)
    _refuse_unless_leading(project, by)
    address = email.strip().lower()
    _refuse_bad_address(address)
    _refuse_who_is_here(project, address, role)
    standing = project.invitations.filter(email=address, role=role, state=State.OPEN).first()
    if standing and standing.expires_at > now:
        raise _invited_already()
    if standing and not _decide(standing, State.REVOKED, now=now):
        raise _decided()
    return _store(project, address, full_name=full_name, role=role, languages=languages, by=by, now=now)


def invite_many(
    project: Project, text: str, *, role: str, languages: Sequence[str], by: User, now: datetime
) -> list[Outcome]:
    """A line each of a pasted list: whole or not at all. `languages` are those of lines that name none."""
    lines = invitation_lines.read(text)
    if not lines:
        raise Invalid("no_lines", _("Paste at least one line."))
    if len(lines) > invitation_lines.MOST_LINES:
        raise Invalid(
            "too_many_lines",
            _("These are %(count)d lines, and %(most)d are the most at a time. Paste them in parts.")
            % {"count": len(lines), "most": invitation_lines.MOST_LINES},
        )
    return [_outcome(project, line, role=role, languages=languages, by=by, now=now) for line in lines]


def _outcome(
    project: Project, line: InvitationLine, *, role: str, languages: Sequence[str], by: User, now: datetime
) -> Outcome:
    if line.fault:
        return Outcome(line, refusal=said_of(line.fault))
    try:
        invitation, token = invite(
            project,
            line.address,
            full_name=line.name,
            role=role,
            languages=line.languages or languages,
            by=by,
            now=now,
        )
    except Invalid as refusal:
        return Outcome(line, refusal=refusal.message)
    return Outcome(line, invitation, token)


@transaction.atomic
def renew(invitation: Invitation, *, by: User, now: datetime) -> tuple[Invitation, str]:
    """The same once more, with a link of its own; the old link opens nothing any more."""
    seals.hold(invitation.project)
    _refuse_unless_leading(invitation.project, by)
    _refuse_who_is_here(invitation.project, invitation.email, invitation.role)
    if invitation.state == State.ACCEPTED or not invitation.email:
        raise _decided()
    if invitation.state == State.OPEN and not _decide(invitation, State.REVOKED, now=now):
        raise _decided()
    return _store(
        invitation.project,
        invitation.email,
        full_name=invitation.full_name,
        role=invitation.role,
        languages=invitation.languages,
        by=by,
        now=now,
    )


@transaction.atomic
def revoke(invitation: Invitation, *, by: User, now: datetime) -> None:
    seals.hold(invitation.project)
    _refuse_unless_leading(invitation.project, by)
    if not _decide(invitation, State.REVOKED, now=now):
        raise _decided()
    if invitation.role == Role.ANNOTATOR:
        stages.decline(invitation, reason=TAKEN_BACK, now=now)
    journal.record("invitation.revoked", by=by, at=now, project=invitation.project, invitation=invitation.pk)


# --- What the invited do -------------------------------------------------------------------------


@transaction.atomic
def accept(invitation: Invitation, user: User, *, consents_to: int, now: datetime) -> Membership:
    """The signed-in `user` takes the role up. `consents_to` is the version of the text that they agreed to."""
    seals.hold(invitation.project)
    _refuse_unless_open(invitation, now=now)
    if not is_for(invitation, user):
        raise _gone()
    return _take_up(invitation, user, consents_to=consents_to, now=now)


@transaction.atomic
def accept_as_new(
    invitation: Invitation,
    *,
    username: str,
    password: str,
    full_name: str,
    consents_to: int,
    now: datetime,
) -> User:
    """An account with the address of the invitation, and the role. Neither without the other."""
    seals.hold(invitation.project)
    _refuse_unless_open(invitation, now=now)
    user = accounts.sign_up(username, password, full_name=full_name, email=invitation.email, now=now)
    _take_up(invitation, user, consents_to=consents_to, now=now)
    return user


@transaction.atomic
def decline(invitation: Invitation, *, now: datetime) -> None:
    seals.hold(invitation.project)
    _refuse_unless_open(invitation, now=now)
    if not _decide(invitation, State.DECLINED, now=now):
        raise _gone()
    if invitation.role == Role.ANNOTATOR:
        stages.decline(invitation, now=now)
    journal.record(
        "invitation.declined", by=None, at=now, project=invitation.project, invitation=invitation.pk
    )


def is_for(invitation: Invitation, user: User) -> bool:
    """Whether the account may accept: the one with the address, or one without any where nobody has the address."""
    if user.email:
        return user.email == invitation.email
    return not User.objects.filter(email=invitation.email).exists()


def _take_up(invitation: Invitation, user: User, *, consents_to: int, now: datetime) -> Membership:
    if user.pk == invitation.invited_by_id:
        raise NotAllowed(
            "own_role", _("Nobody changes their own role, except by ending it. Ask another lead.")
        )
    if not _decide(invitation, State.ACCEPTED, now=now, accepted_by=user):
        raise _gone()
    inviter = invitation.invited_by
    leads = access.is_lead(inviter, invitation.project)
    member = membership.add(
        invitation.project,
        user,
        role=invitation.role,
        languages=invitation.languages,
        by=inviter if leads else None,
        now=now,
        stage=None,  # the invitation has kept a place
    )
    if consent_queries.current_version(invitation.project):
        consent.agree(invitation.project, user, version=consents_to, now=now)
    if member.role == Role.ANNOTATOR:
        stages.accept(invitation, member, now=now)
    journal.record(
        "invitation.accepted",
        by=user,
        at=now,
        project=invitation.project,
        invitation=invitation.pk,
        role=member.role,
    )
    return member


# --- The row -------------------------------------------------------------------------------------


def _store(
    project: Project,
    address: str,
    *,
    full_name: str,
    role: str,
    languages: Sequence[str],
    by: User,
    now: datetime,
) -> tuple[Invitation, str]:
    token = secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            invitation = Invitation.objects.create(
                project=project,
                email=address,
                full_name=full_name,
                role=role,
                languages=sorted(set(languages)),
                token_digest=access.token_digest(token),
                invited_by=by,
                created_at=now,
                expires_at=now + timedelta(days=DAYS),
            )
    except IntegrityError as error:
        raise _invited_already() from error
    if role == Role.ANNOTATOR:
        _keep_places(invitation, now=now)
    journal.record("invitation.made", by=by, at=now, project=project, invitation=invitation.pk, role=role)
    return invitation, token


def _decide(invitation: Invitation, state: str, *, now: datetime, accepted_by: User | None = None) -> bool:
    """The one transition out of OPEN; False where somebody was first."""
    waiting = Invitation.objects.filter(pk=invitation.pk, state=State.OPEN)
    return waiting.update(state=state, decided_at=now, accepted_by=accepted_by) == 1


def _keep_places(invitation: Invitation, *, now: datetime) -> None:
    """A place in each language: those kept for the address before, where nobody took them up, else new ones.

    So somebody invited again stands in the list once.
    """
    wanted = set(invitation.languages) or {""}
    kept = Qualification.objects.filter(
        project=invitation.project, annotator=None, invitation__email=invitation.email
    )
    # The latest of each language; whoever waits still goes before whoever declined.
    latest = {held.language: held for held in sorted(kept, key=lambda one: (one.stage == INVITED, one.pk))}
    carried = [latest[language] for language in sorted(wanted) if language in latest]
    if len(carried) < len(wanted):
        carried = []
    for held in carried:
        stages.invite_again(held, invitation, now=now)
    if not carried:
        stages.invite(invitation, now=now)
    earlier = invitation.project.invitations.filter(email=invitation.email, role=Role.ANNOTATOR)
    for former in earlier.exclude(pk=invitation.pk).filter(qualifications__stage=INVITED).distinct():
        stages.decline(former, reason=TAKEN_BACK, now=now)


# --- Refusals ------------------------------------------------------------------------------------


def _refuse_unless_leading(project: Project, by: User) -> None:
    if not access.is_lead(by, project):
        raise NotAllowed("not_a_lead", _("Only leads of the project change who takes part."))


def _refuse_bad_address(address: str) -> None:
    try:
        validate_email(address)
    except ValidationError as error:
        raise Invalid(
            "bad_address", _("'%(address)s' is no e-mail address.") % {"address": address[:60]}
        ) from error


def _refuse_who_is_here(project: Project, address: str, role: str) -> None:
    """Only of the project's own people it is said that they are there, never whether there is an account."""
    for member in account.members_addressed(project, address):
        if member.role == role and member.state == Membership.State.WITHDRAWN:
            raise Invalid(
                "data_withdrawn",
                _("The data of this person were withdrawn, so the role cannot be given again."),
            )
        if member.role == role and member.state not in Membership.ENDED:
            raise Invalid("already_member", _("This person has the role already."))
        if {member.role, role} == membership.EXCLUSIVE:
            raise Invalid(
                "roles_exclude_each_other",
                _("This person cannot be lead and annotator of the same project: a lead sees every score."),
            )


def _refuse_unless_open(invitation: Invitation, *, now: datetime) -> None:
    if not Invitation.objects.filter(pk=invitation.pk, state=State.OPEN, expires_at__gt=now).exists():
        raise _gone()


def _gone() -> DomainError:
    return DomainError("invitation_gone", _("This invitation is not open any more."))


def _decided() -> DomainError:
    return DomainError("invitation_decided", _("This invitation was answered or taken back meanwhile."))


def _invited_already() -> Invalid:
    return Invalid("already_invited", _("There is an open invitation for this address and role already."))

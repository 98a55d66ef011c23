"""Accounts and tokens."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.errors import DomainError, Invalid
from annotation.models import ApiToken, Project, User
from annotation.services import journal

PREFIX = "plumb_"


@dataclass(frozen=True, slots=True)
class Operator:
    """What became of the wish for an operator."""

    user: User
    is_new: bool  # the account, which was not there before
    password: str  # to be shown once; "" where none was made


@transaction.atomic
def get_or_create(username: str, *, now: datetime) -> tuple[User, str]:
    """The account of that name, and the password of a new one ("" where the account was there)."""
    found = _named(username)
    return (found, "") if found else create(username, by=None, now=now)


@transaction.atomic
def create(
    username: str, *, full_name: str = "", by: User | None, now: datetime, project: Project | None = None
) -> tuple[User, str]:
    """A new account and its password, which is kept nowhere. `project` is the one it was made for."""
    password = secrets.token_urlsafe(12)
    user = User(username=username, first_name=full_name, date_joined=now)
    return _store(user, password, by=by, now=now, project=project), password


@transaction.atomic
def make_operator(username: str, *, password: str, now: datetime) -> Operator:
    """An account that runs the installation. One that is there keeps its password; a second call changes nothing.

    A new one gets `password`, or one that is made up where that is "".
    """
    user = _named(username)
    if user is not None:
        _refuse_as_operator(user)
        if User.objects.filter(pk=user.pk, is_superuser=False).update(is_superuser=True) == 1:
            journal.record("operator.made", by=None, at=now, user=user.pk)
        return Operator(user, is_new=False, password="")
    made_up = "" if password else secrets.token_urlsafe(12)
    user = User(username=username, is_superuser=True, date_joined=now)
    if password:
        _refuse_weak(password, user)
    _store(user, password or made_up, by=None, now=now)
    journal.record("operator.made", by=None, at=now, user=user.pk)
    return Operator(user, is_new=True, password=made_up)


@transaction.atomic
def create_token(user: User, *, name: str, now: datetime, days: int | None) -> str:
    """A new bearer token. It is returned this once; only its digest is kept."""
    if not user.is_active:
        raise DomainError("account_inactive", f"The account {user.username} is not active.")
    token = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.create(
        user=user,
        name=name,
        digest=access.token_digest(token),
        created_at=now,
        expires_at=now + timedelta(days=days) if days else None,
    )
    journal.record("token.created", by=user, at=now, name=name)
    return token


def _named(username: str) -> User | None:
    return User.objects.filter(username=User.normalize_username(username)).first()


def _store(
    user: User, password: str, *, by: User | None, now: datetime, project: Project | None = None
) -> User:
    user.set_password(password)
    _refuse_bad_name(user)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise _taken() from error  # by somebody who was first, just now
    journal.record("account.created", by=by, at=now, project=project, user=user.pk)
    return user


def _refuse_bad_name(user: User) -> None:
    try:
        user.full_clean(validate_unique=False)
    except ValidationError as error:
        raise Invalid(
            "bad_username",
            _("'%(name)s' will not do as a user name: %(reason)s")
            % {"name": user.username, "reason": error.messages[0]},
        ) from error
    # 'Ann' beside 'ann' would be taken for one another.
    if User.objects.filter(username__iexact=user.username).exists():
        raise _taken()


def _taken() -> Invalid:
    return Invalid("username_taken", _("This user name is taken. Choose another."))


def _refuse_as_operator(user: User) -> None:
    if not user.is_active:
        raise DomainError("account_inactive", f"The account {user.username} is not active.")
    if not user.has_usable_password():
        raise DomainError(
            "nobodys_account",
            f"{user.username} stands for an annotator of an imported file, and nobody signs in as it. "
            "Choose another name.",
        )


def _refuse_weak(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid("weak_password", " ".join(error.messages)) from error

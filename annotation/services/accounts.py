"""Accounts: made, changed, switched off."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from allauth.mfa.models import Authenticator
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Project, User
from annotation.services import journal, tokens

READER = {"text_size", "text_face", "theme", "ui_language", "shortcuts"}


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
def sign_up(username: str, password: str, *, full_name: str, email: str, now: datetime) -> User:
    """An account that its owner makes, with a password of their own. Only an invitation leads here."""
    user = User(username=username, first_name=full_name, email=email, date_joined=now)
    _refuse_weak(password, user)
    return _store(user, password, by=None, now=now)


@transaction.atomic
def set_password(user: User, password: str, *, now: datetime) -> None:
    """The new password ends every session of the account, and its tokens. Its rules are checked by the form."""
    user.set_password(password)
    user.save(update_fields=["password"])
    tokens.revoke_all(user, now=now)
    journal.record("account.password_changed", by=user, at=now)


@transaction.atomic
def end_sessions(user: User, *, now: datetime) -> None:
    """Signs the person out of every browser; a session that is to go on is given the new mark by the view."""
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    user.refresh_from_db(fields=["sessions_ended"])


def set_reader(user: User, **chosen: str | bool) -> None:
    """How the person reads: any of READER."""
    unknown = chosen.keys() - READER
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} is no setting of a reader")
    User.objects.filter(pk=user.pk).update(**chosen)
    for name, value in chosen.items():
        setattr(user, name, value)


@transaction.atomic
def change_email(user: User, email: str, *, password: str, now: datetime) -> None:
    """Whoever reads the mail of that address can set a new password, hence the password."""
    if not user.check_password(password):
        raise Invalid("wrong_password", _("This is not your password."))
    email = email.strip().lower()
    if email == user.email:
        return
    if email and User.objects.filter(email=email).exists():
        raise _address_taken()
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(email=email)
    except IntegrityError as error:
        raise _address_taken() from error
    user.email = email
    journal.record("account.email_changed", by=user, at=now)


@transaction.atomic
def remove_second_factor(user: User, *, by: User | None, now: datetime) -> bool:
    """For whoever lost the device and the recovery codes; False where there was none."""
    removed, _each = Authenticator.objects.filter(user=user).delete()
    if removed:
        end_sessions(user, now=now)
        journal.record("account.second_factor_removed", by=by, at=now, user=user.pk)
    return bool(removed)


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
    if user.email and User.objects.filter(email=user.email).exists():
        raise _address_taken()


def _taken() -> Invalid:
    return Invalid("username_taken", _("This user name is taken. Choose another."))


def _address_taken() -> Invalid:
    return Invalid("address_taken", _("Another account has this e-mail address."))


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

"""What allauth does here in a way of its own: no sign-up, mails of the house, keys that are kept encrypted."""

import base64
import time
from hashlib import sha256

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ResetPasswordForm
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models import User
from annotation.services import accounts, mails
from config.middleware import SIGNED_IN_AT


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("User name or password is wrong."),
        "email_password_mismatch": _("User name or password is wrong."),
        "too_many_login_attempts": _("Too many failed attempts. Wait five minutes, then try again."),
        "incorrect_password": _("This is not your password."),
        "enter_current_password": _("This is not your password."),
        "rate_limited": _("Too many attempts. Wait a few minutes, then try again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def authenticate(self, request: HttpRequest, **credentials: object) -> User | None:
        """Nobody for an account that is switched off, as for one that is not there."""
        user = super().authenticate(request, **credentials)
        return user if user and user.is_active else None

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return redirect("sign_in")

    def set_password(self, user: User, password: str) -> None:
        accounts.set_password(user, password, now=timezone.now())

    def logout(self, request: HttpRequest) -> None:
        """Signing out ends what is open in other browsers as well."""
        accounts.end_sessions(request.user, now=timezone.now())
        super().logout(request)

    def is_reauthentication_required(self, *, app: str, **kwargs: object) -> bool:
        """Whoever has just signed in has shown who they are."""
        began = self.request.session.get(SIGNED_IN_AT, 0)
        is_fresh = time.time() - began < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        return not is_fresh and super().is_reauthentication_required(app=app, **kwargs)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url("settings") + "?saved=password"

    def get_reset_password_from_key_url(self, key: str) -> str:
        uid, _dash, secret = key.partition("-")
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": secret})
        return self.request.build_absolute_uri(path)

    def send_password_reset_mail(self, user: User, email: str, context: dict) -> None:
        mails.send_quietly(mails.password_reset(user, email, url=context["password_reset_url"]))


class ResetForm(ResetPasswordForm):
    """Writes to every address, so that neither page nor waiting time tells which of them has an account."""

    def save(self, request: HttpRequest, **kwargs: object) -> str:
        if not self.users:
            mails.send_quietly(mails.no_account(self.cleaned_data["email"]))
        return super().save(request, **kwargs)


class SecondFactors(DefaultMFAAdapter):
    """Secrets of second factors are encrypted by a key that is derived from SECRET_KEY."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("This code is wrong or was used already. Wait for the next one."),
        "rate_limited": _("Too many attempts. Wait a few minutes, then try again."),
    }

    def get_totp_label(self, user: User) -> str:
        return user.username

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> Fernet:
    digest = sha256(b"plumb second factors\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))

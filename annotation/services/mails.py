"""Mails to people: what they say, and sending them. Called once the change that they tell of is stored."""

import logging
import time
from collections.abc import Iterable, Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils import formats, translation
from django.utils.translation import gettext as _

from annotation.models import Invitation, Membership, User
from annotation.queries.people import person_name

SECONDS = 20  # a page waits no longer than this for the mail server
log = logging.getLogger(__name__)


def go_out() -> bool:
    """Whether a mail server is set; without one mails are written to the log of the web process."""
    return not settings.EMAIL_BACKEND.endswith("console.EmailBackend")


def invitation(invited: Invitation, *, url: str, language: str) -> EmailMessage:
    """`language` is the one of the interface in which the mail speaks."""
    project, inviter = invited.project.name, invited.invited_by
    with translation.override(language):
        values = {
            "name": invited.full_name,
            "inviter": person_name(inviter),
            "project": project,
            "role": str(invited.get_role_display()).lower(),
            "url": url,
            "day": formats.date_format(invited.expires_at, "j M Y"),
        }
        greeting = _("Hello %(name)s,") if invited.full_name else _("Hello,")
        parts = [
            greeting % values,
            _("%(inviter)s invites you to take part in the project %(project)s as %(role)s.") % values,
            _("This link tells you more and lets you accept or decline. It works once, until %(day)s:")
            % values,
            url,
            _("If you do not know what this is about, you need do nothing."),
        ]
        return _mail(_("Invitation to %(project)s") % values, parts, invited.email)


def reminder(member: Membership, *, by: User, note: str, url: str) -> EmailMessage:
    """To an annotator, from a lead, who may add a line; in the language in which the annotator reads the pages."""
    with translation.override(member.user.ui_language or translation.get_language()):
        values = {
            "name": person_name(member.user),
            "lead": person_name(by),
            "project": member.project.name,
        }
        parts = [
            _("Hello %(name)s,") % values,
            _("%(lead)s reminds you of your work in the project %(project)s.") % values,
            *([note] if note else []),
            _("Go on here:"),
            url,
            _("If you cannot go on, tell %(lead)s: somebody else can take the texts over.") % values,
        ]
        return _mail(_("Your work in %(project)s") % values, parts, member.user.email)


def password_reset(user: User, address: str, *, url: str) -> EmailMessage:
    with translation.override(user.ui_language or translation.get_language()):
        parts = [
            _("Hello %(name)s,") % {"name": person_name(user)},
            _("somebody, you we hope, asked for a new password for your account."),
            _("Your user name: %(name)s") % {"name": user.username},
            _("Choose a new password here:"),
            url,
            _("If it was not you, you need do nothing: the old password still holds."),
        ]
        return _mail(_("A new password for Plumb"), parts, address)


def no_account(address: str) -> EmailMessage:
    """What an address is told that asks for a new password and has no account."""
    parts = [
        _("Hello,"),
        _("somebody, you perhaps, asked for a new password for this address. No account has it."),
        _("If it was you, your account may have another address, or none. Ask the lead of your project."),
    ]
    return _mail(_("A new password for Plumb"), parts, address)


def send_quietly(mail: EmailMessage) -> bool:
    """False, and a line in the log, where the mail server does not take it."""
    return send_all([mail]) == [True]


def send_all(mails: Sequence[EmailMessage]) -> list[bool]:
    """Whether each was taken by the mail server. What SECONDS do not suffice for is not sent."""
    until = time.monotonic() + SECONDS
    connection = get_connection()
    sent = []
    try:
        connection.open()
        for mail in mails:
            sent.append(time.monotonic() < until and _sent(mail, connection))
    except (SMTPException, OSError) as error:
        log.warning("the mail server cannot be reached: %s", error)
        return [*sent, *[False] * (len(mails) - len(sent))]
    finally:
        connection.close()
    return sent


def _sent(mail: EmailMessage, connection: object) -> bool:
    mail.connection = connection
    try:
        return mail.send() == 1
    except (SMTPException, OSError) as error:
        log.warning("a mail was not taken: %s", error)
        return False


def _mail(subject: str, parts: Iterable[str], address: str) -> EmailMessage:
    """Plain text. A subject is one line, whatever the names in it hold."""
    return EmailMessage(subject=" ".join(subject.split()), body="\n\n".join(parts) + "\n", to=[address])

"""How somebody comes into a project, and what they agree to there."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models.people import Membership
from annotation.models.project import Language, Project


class Invitation(models.Model):
    """A role offered to an address, open to whoever holds the link. Renewing it makes a new row."""

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("invitation", "Open")
        ACCEPTED = "accepted", _("Accepted")
        DECLINED = "declined", _("Declined")
        REVOKED = "revoked", _("Revoked")

    project = models.ForeignKey(Project, models.PROTECT, related_name="invitations")
    # In lower case; "" once the account that accepted it was closed.
    email = models.EmailField(blank=True)
    full_name = models.CharField(max_length=150, blank=True)
    role = models.CharField(max_length=16, choices=Membership.Role)
    languages = models.JSONField(default=list, blank=True)  # primary subtags; [] for any
    # SHA-256 of the token in the link, so that a copy of the database opens nothing.
    token_digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="accepted_invitations", null=True, blank=True
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "email", "role"],
                condition=Q(state="open"),
                name="one_open_invitation_per_address_and_role",
            ),
            models.CheckConstraint(
                condition=Q(state="open", accepted_by=None, decided_at=None)
                | Q(state="accepted", accepted_by__isnull=False, decided_at__isnull=False)
                | Q(state__in=["declined", "revoked"], accepted_by=None, decided_at__isnull=False),
                name="an_invitation_says_what_became_of_it",
            ),
            models.CheckConstraint(
                condition=Q(role__in=["annotator", "lead", "instructor", "adjudicator"]),
                name="invited_to_a_known_role",
            ),
        ]


class ConsentText(models.Model):
    """What a project records of people and what they may ask for, in one language. Append-only."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="consent_texts")
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=2, choices=Language)
    body = models.TextField()  # Markdown without HTML
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version", "language"], name="consent_text_once_per_language"
            ),
        ]


class Consent(models.Model):
    """That a person agreed to a version of a project's text. Append-only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="consents")
    project = models.ForeignKey(Project, models.PROTECT, related_name="consents")
    version = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project", "version"], name="one_consent_per_version"),
        ]

"""Who takes part, and in which role."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """An account. What a person may do in a project follows from the memberships, not from the account.

    `is_superuser` marks an operator, who makes projects and accounts. It opens no project.
    """

    class TextSize(models.TextChoices):
        SMALL = "s", _("Small")
        MEDIUM = "m", _("Medium")
        LARGE = "l", _("Large")

    class TextFace(models.TextChoices):
        USUAL = "", _("As usual for the language")
        SERIF = "serif", _("With serifs")
        SANS = "sans", _("Without serifs")

    class Theme(models.TextChoices):
        DEVICE = "", _("As device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    # --- How the person reads ---
    text_size = models.CharField(max_length=1, choices=TextSize, default=TextSize.MEDIUM)
    text_face = models.CharField(max_length=8, choices=TextFace, default=TextFace.USUAL, blank=True)
    theme = models.CharField(max_length=8, choices=Theme, default=Theme.DEVICE, blank=True)
    ui_language = models.CharField(max_length=16, blank=True)  # "" for the browser's
    shortcuts = models.BooleanField(default=True)  # single keys on the scoring page
    # Counted up to end every session of the account; see _get_session_auth_hash.
    sessions_ended = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "plumb_user"
        constraints = [
            models.UniqueConstraint(
                fields=["email"], condition=~Q(email=""), name="one_account_per_email_address"
            ),
        ]

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session must carry to be this account's. Django's own changes with the password alone."""
        found = super()._get_session_auth_hash(secret=secret)
        mark = f"{found}:{self.sessions_ended}"
        return salted_hmac("plumb.sessions", mark, secret=secret, algorithm="sha256").hexdigest()


class Membership(models.Model):
    """A person's role in a project. Leaving changes the state; a membership that judged is never deleted.

    Whoever has left takes no part any more, and their scores count. Whose data were withdrawn takes no part
    either, and from the next run on their scores are not curation data; a release that is frozen stays as it is.
    """

    class Role(models.TextChoices):
        ANNOTATOR = "annotator", _("Annotator")
        LEAD = "lead", _("Lead")
        INSTRUCTOR = "instructor", _("Instructor")
        ADJUDICATOR = "adjudicator", _("Adjudicator")

    class State(models.TextChoices):
        ACTIVE = "active", _("Active")
        PAUSED = "paused", _("Paused")
        LEFT = "left", _("Left")
        WITHDRAWN = "withdrawn", _("Data withdrawn")

    # States in which a person has no part in the project any more.
    ENDED = (State.LEFT, State.WITHDRAWN)

    project = models.ForeignKey("annotation.Project", models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role)
    state = models.CharField(max_length=16, choices=State, default=State.ACTIVE)
    # Languages (primary subtags) in which the person reads; [] where any.
    languages = models.JSONField(default=list, blank=True)
    # What a release calls the annotator; a name or address never leaves.
    pseudonym = models.CharField(max_length=32, blank=True)
    # What an imported file calls the annotator, so that a second import finds the same one: "#" and a keyed
    # digest of the name, or the name itself where a lead had it kept.
    external_id = models.CharField(max_length=200, blank=True)
    joined_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "role"], name="one_membership_per_role"),
            # Blindness: a lead sees every score, so a lead never scores in the same project.
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=Q(role__in=["annotator", "lead"]),
                name="lead_and_annotator_exclude_each_other",
            ),
            models.UniqueConstraint(
                fields=["project", "pseudonym"], condition=~Q(pseudonym=""), name="pseudonym_once_per_project"
            ),
            models.UniqueConstraint(
                fields=["project", "external_id"],
                condition=~Q(external_id=""),
                name="external_annotator_once_per_project",
            ),
            models.CheckConstraint(
                condition=Q(role__in=["annotator", "lead", "instructor", "adjudicator"]), name="a_known_role"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "paused", "left", "withdrawn"]),
                name="a_known_membership_state",
            ),
            models.CheckConstraint(
                condition=~Q(role="annotator") | ~Q(pseudonym=""), name="annotators_have_a_pseudonym"
            ),
        ]


class ApiToken(models.Model):
    """A bearer token. Only its SHA-256 is kept, so a copy of the database opens nothing.

    It speaks for its owner, within its scopes and, where it has one, within its project: it never may what the owner
    may not.
    """

    class Scope(models.TextChoices):
        READ = "read", _("Read data")
        WRITE = "write", _("Change data")
        SUBMIT = "submit", _("Submit predictions")

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(max_length=32)  # with a space between them, in the order of Scope
    project = models.ForeignKey(
        "annotation.Project", models.PROTECT, null=True, blank=True, related_name="api_tokens"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="tokens_have_a_name"),
            models.CheckConstraint(
                condition=Q(
                    scopes__in=[
                        *("read", "write", "submit", "read write", "read submit", "write submit"),
                        "read write submit",
                    ]
                ),
                name="known_scopes_of_a_token",
            ),
        ]

    @property
    def mark(self) -> str:
        """What pages name it by: numbers of rows are not for annotators, and this says nothing of the token."""
        return self.digest[:16]

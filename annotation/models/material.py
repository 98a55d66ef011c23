"""What is judged. Texts are never edited: a response that changed is another response."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.imports import Import
from annotation.models.people import Membership
from annotation.models.project import Genre, Project


class Prompt(models.Model):
    project = models.ForeignKey(Project, models.PROTECT, related_name="prompts")
    external_id = models.CharField(max_length=200)
    language = models.CharField(max_length=35, blank=True)
    genre = models.ForeignKey(Genre, models.PROTECT, related_name="prompts", null=True, blank=True)
    text = models.TextField(blank=True)
    source = models.ForeignKey(Import, models.PROTECT, related_name="prompts", null=True, blank=True)
    source_place = models.CharField(max_length=300, blank=True)  # file and line, row or item
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="prompt_id_once_per_project"),
        ]


class Requirement(models.Model):
    """One thing a prompt asks for."""

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="requirements")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20, blank=True)
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["prompt", "position"], name="requirement_position_once"),
        ]


class Response(models.Model):
    """A text written to a prompt. Its source is never shown to an annotator."""

    class State(models.TextChoices):
        INCOMING = "incoming", _("Incoming")  # of an import that is not finished; not there for anybody else
        ACTIVE = "active", _("Active")
        REMOVED = "removed", _("Removed")

    class RemovalKind(models.TextChoices):
        GRAMMAR = "grammar", _("Grammar that hinders understanding")
        FACTUAL = "factual", _("Factual inconsistency")
        PROMPT_VIOLATION = "prompt_violation", _("Violates the prompt")
        TRUNCATED = "truncated", _("Truncated or failed")
        WRONG_LANGUAGE = "wrong_language", _("Wrong language")
        DUPLICATE = "duplicate", _("Duplicate")
        IDENTITY_LEAK = "identity_leak", _("Gives its source away")
        OTHER = "other", _("Other")

    project = models.ForeignKey(Project, models.PROTECT, related_name="responses")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="responses")
    external_id = models.CharField(max_length=200)
    text = models.TextField()
    text_sha256 = models.CharField(max_length=64)
    # A length that came with the material; where null, length is counted from the text.
    given_length = models.PositiveIntegerField(null=True, blank=True)
    source_model = models.CharField(max_length=200, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    kept_requirements = models.ManyToManyField(Requirement, related_name="+", blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.ACTIVE)
    removed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_kind = models.CharField(max_length=20, choices=RemovalKind, blank=True)
    removed_reason = models.TextField(blank=True)
    source = models.ForeignKey(Import, models.PROTECT, related_name="responses", null=True, blank=True)
    source_place = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="response_id_once_per_project"),
            models.CheckConstraint(
                condition=Q(state="active", removed_at=None)
                | Q(state="incoming", removed_at=None, source__isnull=False)
                | Q(state="removed", removed_at__isnull=False),
                name="a_removed_response_says_when",
            ),
        ]


class Flag(models.Model):
    """A doubt about a response or a prompt: raised by a check or by an annotator, settled by a person."""

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        KEPT = "kept", _("Kept")
        REMOVED = "removed", _("Removed")

    project = models.ForeignKey(Project, models.PROTECT, related_name="flags")
    response = models.ForeignKey(Response, models.CASCADE, related_name="flags", null=True, blank=True)
    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="flags", null=True, blank=True)
    check_key = models.CharField(max_length=40)  # of domain/triage; "annotator" where a person raised it
    rules_version = models.PositiveSmallIntegerField(null=True, blank=True)  # of the check's rules
    detail = models.JSONField(default=dict, blank=True)  # template and values of a sentence
    raised_by = models.ForeignKey(Membership, models.PROTECT, related_name="flags", null=True, blank=True)
    kind = models.CharField(max_length=20, choices=Response.RemovalKind, blank=True)  # as the annotator says
    note = models.TextField(blank=True)
    raised_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(response__isnull=False, prompt=None) | Q(response=None, prompt__isnull=False),
                name="a_flag_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(state="open", settled_at=None)
                | Q(state__in=["kept", "removed"], settled_at__isnull=False),
                name="a_settled_flag_says_when",
            ),
            models.CheckConstraint(
                condition=Q(check_key="annotator", raised_by__isnull=False)
                | ~Q(check_key="annotator") & Q(raised_by=None, rules_version__isnull=False),
                name="a_flag_says_who_raised_it",
            ),
            models.UniqueConstraint(
                fields=["response", "check_key"],
                condition=Q(raised_by=None, response__isnull=False),
                name="a_check_flags_a_response_once",
            ),
            models.UniqueConstraint(
                fields=["prompt", "check_key"],
                condition=Q(raised_by=None, prompt__isnull=False),
                name="a_check_flags_a_prompt_once",
            ),
            models.UniqueConstraint(
                fields=["response", "raised_by"],
                condition=Q(raised_by__isnull=False, state="open"),
                name="one_open_flag_per_annotator_and_response",
            ),
            models.UniqueConstraint(
                fields=["prompt", "raised_by"],
                condition=Q(raised_by__isnull=False, state="open"),
                name="one_open_flag_per_annotator_and_prompt",
            ),
        ]
        indexes = [
            # The triage queue of a project.
            models.Index(fields=["project"], condition=Q(state="open"), name="open_flags"),
        ]

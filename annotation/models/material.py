"""What is judged. Texts are never edited: a response that changed is another response."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.project import Genre, Project


class Prompt(models.Model):
    project = models.ForeignKey(Project, models.PROTECT, related_name="prompts")
    external_id = models.CharField(max_length=200)
    language = models.CharField(max_length=35, blank=True)
    genre = models.ForeignKey(Genre, models.PROTECT, related_name="prompts", null=True, blank=True)
    text = models.TextField(blank=True)
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
        ACTIVE = "active"
        REMOVED = "removed"

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
    removed_reason = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="response_id_once_per_project"),
            models.CheckConstraint(
                condition=Q(state="active", removed_at=None) | Q(state="removed", removed_at__isnull=False),
                name="a_removed_response_says_when",
            ),
        ]

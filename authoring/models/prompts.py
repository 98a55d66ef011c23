"""Prompts in the making: from a blueprint to a version that two people accepted."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import Genre, Membership, Project, Prompt


class AuthoredPrompt(models.Model):
    """A prompt that is being written here. Title and text are what is being worked on; what was handed in for review
    stands in its versions."""

    class State(models.TextChoices):
        BLUEPRINT = "blueprint", _("Blueprint")
        DRAFT = "draft", _("Draft")
        IN_REVIEW = "in_review", _("In review")
        CHANGES_ASKED = "changes_asked", _("Changes asked")
        ACCEPTED = "accepted", pgettext_lazy("prompt", "Accepted")
        RETIRED = "retired", _("Retired")

    # States in which title and text may be changed.
    OPEN = (State.BLUEPRINT, State.DRAFT, State.CHANGES_ASKED)

    project = models.ForeignKey(Project, models.PROTECT, related_name="authored_prompts")
    key = models.SlugField(max_length=60)  # the id of the prompt that comes of it
    genre = models.ForeignKey(Genre, models.PROTECT, related_name="+", null=True, blank=True)
    language = models.CharField(max_length=35)
    state = models.CharField(max_length=13, choices=State, default=State.BLUEPRINT)
    blueprint = models.TextField()
    constraints = models.TextField(blank=True)
    intended_length = models.PositiveIntegerField(null=True, blank=True)  # words, or characters of Chinese
    title = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    edits = models.PositiveIntegerField(
        default=0
    )  # of blueprint, title and text; an edit names the one it saw
    # The answer of a model that the text began with.
    expansion = models.ForeignKey(
        "authoring.ModelRequest", models.PROTECT, related_name="+", null=True, blank=True
    )
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    # The same prompt in another language.
    parallel_to = models.ForeignKey("self", models.PROTECT, related_name="parallels", null=True, blank=True)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="authored_key_once_per_project"),
            models.UniqueConstraint(
                fields=["parallel_to", "language"], name="one_parallel_prompt_a_language"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["blueprint", "draft", "in_review", "changes_asked", "accepted", "retired"]
                ),
                name="a_known_state_of_authoring",
            ),
            models.CheckConstraint(
                condition=Q(parallel_to=None) | ~Q(parallel_to=F("pk")), name="no_prompt_is_its_own_parallel"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["blueprint", "draft", "retired", "changes_asked"]) | ~Q(text=""),
                name="what_is_reviewed_has_a_text",
            ),
        ]


class PromptVersion(models.Model):
    """What was handed in for review, whole; each is a round of review."""

    authored = models.ForeignKey(AuthoredPrompt, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()  # from 1
    title = models.CharField(max_length=200)
    text = models.TextField()
    blueprint = models.TextField()
    constraints = models.TextField(blank=True)
    intended_length = models.PositiveIntegerField(null=True, blank=True)
    expansion = models.ForeignKey(
        "authoring.ModelRequest", models.PROTECT, related_name="+", null=True, blank=True
    )
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    note = models.TextField(blank=True)  # what changed, and why
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["authored", "number"], name="prompt_version_once"),
            models.CheckConstraint(condition=~Q(text=""), name="a_prompt_version_has_a_text"),
        ]


class PromptReview(models.Model):
    """What one instructor says of a version. Nobody sees another's before their own."""

    class Verdict(models.TextChoices):
        ACCEPT = "accept", _("Accept")
        CHANGES = "changes", _("Ask for changes")

    version = models.ForeignKey(PromptVersion, models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=7, choices=Verdict)
    # What was looked at; a version is accepted with all three.
    creative_intent = models.BooleanField()
    difficulty = models.BooleanField()
    granularity = models.BooleanField()
    reason = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "reviewer"], name="one_review_a_version_and_person"),
            models.CheckConstraint(
                condition=Q(verdict="accept", creative_intent=True, difficulty=True, granularity=True)
                | Q(verdict="changes") & ~Q(reason=""),
                name="a_review_says_what_is_asked_for",
            ),
        ]


class FieldComment(models.Model):
    """A remark on a field of a version."""

    class Field(models.TextChoices):
        TITLE = "title", _("Title")
        TEXT = "text", _("Text")
        BLUEPRINT = "blueprint", _("Blueprint")
        CONSTRAINTS = "constraints", _("Constraints")
        LENGTH = "intended_length", _("Intended length")

    version = models.ForeignKey(PromptVersion, models.PROTECT, related_name="comments")
    field = models.CharField(max_length=16, choices=Field)
    text = models.TextField()
    author = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    at = models.DateTimeField()


class AcceptedVersion(models.Model):
    """The prompt of the material that an accepted version became."""

    version = models.OneToOneField(PromptVersion, models.PROTECT, related_name="accepted")
    prompt = models.OneToOneField(Prompt, models.PROTECT, related_name="authored_version")
    at = models.DateTimeField()

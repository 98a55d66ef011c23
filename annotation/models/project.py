"""A project with its settings, its genres, its rubric and its guideline."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Language(models.TextChoices):
    """Languages in which rubrics are written. Material may be in any language."""

    ENGLISH = "en", "English"
    CHINESE = "zh", "中文"


class Assigning(models.TextChoices):
    """Who scores the responses of a prompt."""

    PANEL = "panel", _("Panel: the same annotators score every response to a prompt")
    POOL = "pool", _("Pool: any annotators score a response")


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    languages = models.JSONField(default=list, blank=True)  # BCP 47 tags of the material; [] where any
    taxonomy = models.CharField(max_length=40, blank=True)  # the shipped one it began with; "" for its own

    # --- How work is given out: a round takes these over when it is made ---
    annotators_per_response = models.PositiveSmallIntegerField(default=3, validators=[MinValueValidator(2)])
    assigning = models.CharField(max_length=8, choices=Assigning, default=Assigning.PANEL)
    criterion_marks = models.BooleanField(default=False)  # 0-3 for each criterion, beside the one score
    ties_allowed = models.BooleanField(default=False)  # in rankings
    # In words or, for Chinese, characters; 0 makes the justification optional.
    justification_minimum = models.PositiveSmallIntegerField(default=0)

    # --- What plans are reckoned with ---
    time_zone = models.CharField(max_length=64, default="UTC")
    hourly_rate = models.DecimalField(max_digits=9, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    words_per_minute = models.PositiveSmallIntegerField(default=238)
    characters_per_minute = models.PositiveSmallIntegerField(default=300)

    # --- Thresholds: lines in charts and warnings; none of them blocks anything ---
    alpha_acceptable = models.DecimalField(max_digits=4, decimal_places=3, default="0.400")
    alpha_good = models.DecimalField(max_digits=4, decimal_places=3, default="0.667")
    near_duplicate_percent = models.PositiveSmallIntegerField(default=70)

    # The key under which names in imported files become pseudonyms; see services/intake_scores.py.
    pseudonym_key = models.CharField(max_length=64, blank=True)
    # Up to when judgements and removals stand in a frozen release.
    sealed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(annotators_per_response__gte=2), name="two_annotators_or_more_per_response"
            ),
            models.CheckConstraint(
                condition=Q(words_per_minute__gte=1, characters_per_minute__gte=1), name="reading_takes_time"
            ),
            models.CheckConstraint(
                condition=Q(near_duplicate_percent__gte=1, near_duplicate_percent__lte=100),
                name="near_duplicates_are_a_share",
            ),
        ]


class Genre(models.Model):
    """A macro-category, or a type under one."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="genres")
    parent = models.ForeignKey("self", models.PROTECT, related_name="types", null=True, blank=True)
    key = models.SlugField(max_length=60)
    name_en = models.CharField(max_length=100)
    name_zh = models.CharField(max_length=100, blank=True)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="genre_key_once_per_project"),
        ]


class Rubric(models.Model):
    """One version of rubric and guideline. A score names the version it was given under, so it never changes."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="rubrics")
    version = models.PositiveIntegerField()
    note = models.TextField(blank=True)  # what was changed, and why
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="rubric_version_once_per_project"),
        ]


class Level(models.Model):
    """What one score means, in one language."""

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="levels")
    language = models.CharField(max_length=2, choices=Language)
    value = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    description = models.TextField()
    comparison = models.TextField(blank=True)

    class Meta:
        ordering = ["-value"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "language", "value"], name="level_once_per_language"),
            models.CheckConstraint(condition=Q(value__lte=3), name="level_from_0_to_3"),
        ]


class Criterion(models.Model):
    """A reading aid, in one language: universal, or of one genre."""

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="criteria")
    genre = models.ForeignKey(Genre, models.PROTECT, related_name="criteria", null=True, blank=True)
    language = models.CharField(max_length=2, choices=Language)
    key = models.SlugField(max_length=60)
    name = models.CharField(max_length=100)
    question = models.TextField()
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["rubric", "genre", "language", "key"],
                name="criterion_once_per_language",
            ),
            # NULLs are all different to a unique constraint, so universal criteria have one of their own.
            models.UniqueConstraint(
                fields=["rubric", "language", "key"],
                condition=Q(genre=None),
                name="universal_criterion_once_per_language",
            ),
        ]


class Guideline(models.Model):
    """What annotators read before they score, in one language: Markdown without HTML."""

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="guidelines")
    language = models.CharField(max_length=2, choices=Language)
    body = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rubric", "language"], name="guideline_once_per_language"),
        ]

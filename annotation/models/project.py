"""A project, its genres and its rubric."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q


class Language(models.TextChoices):
    """Languages in which rubrics are written. Material may be in any language."""

    ENGLISH = "en", "English"
    CHINESE = "zh", "中文"


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    annotators_per_response = models.PositiveSmallIntegerField(default=3, validators=[MinValueValidator(2)])
    # In words or, for Chinese, characters; 0 makes the justification optional.
    justification_minimum = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(annotators_per_response__gte=2), name="two_annotators_or_more_per_response"
            ),
        ]


class Genre(models.Model):
    """A macro-category, or a type under one."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="genres")
    parent = models.ForeignKey("self", models.PROTECT, related_name="types", null=True, blank=True)
    key = models.SlugField(max_length=60)
    name_en = models.CharField(max_length=100)
    name_zh = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="genre_key_once_per_project"),
        ]


class Rubric(models.Model):
    """One version of the rubric. A score names the version it was given under, so a version never changes."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="rubrics")
    version = models.PositiveIntegerField()
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

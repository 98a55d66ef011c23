"""What models are asked: a plan, its sources, and a row for each request."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Prompt, Requirement, Response
from authoring.models.endpoints import Endpoint
from authoring.models.prompts import AuthoredPrompt


class Plan(models.Model):
    """Prompts x sources x samples. Its requests are leased one by one, so any number of workers may serve it."""

    class Kind(models.TextChoices):
        RESPONSES = "responses", _("Responses")
        DROPOUT = "dropout", _("Requirement dropout")
        EXPANSION = "expansion", _("Expansion of a blueprint")
        PROPOSAL = "proposal", _("Proposal of requirements")

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        DONE = "done", _("Done")
        CANCELLED = "cancelled", _("Cancelled")

    project = models.ForeignKey(Project, models.PROTECT, related_name="plans")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=9, choices=Kind)
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    samples = models.PositiveSmallIntegerField(default=5)
    temperature = models.DecimalField(max_digits=3, decimal_places=2, default="0.80")
    max_tokens = models.PositiveIntegerField(default=4096)
    instruction = models.TextField(blank=True)  # the system message; "" for none
    seed = models.CharField(max_length=64, blank=True)  # of what is drawn
    paused_why = models.TextField(blank=True)  # as domain/sentences.py keeps one; "" where a person did
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    made_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # Until when a worker serves it; one at a time, so that waiting for models does not take up every worker.
    served_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="plan_name_once_per_project"),
            models.CheckConstraint(condition=Q(samples__gte=1, max_tokens__gte=1), name="a_plan_asks"),
            models.CheckConstraint(
                condition=Q(temperature__gte=0, temperature__lte=2), name="a_plan_has_a_usual_temperature"
            ),
            models.CheckConstraint(
                condition=Q(state="draft", started_at=None, ended_at=None)
                | Q(state__in=["running", "paused"], started_at__isnull=False, ended_at=None)
                | Q(state__in=["done", "cancelled"], ended_at__isnull=False),
                name="a_plan_says_when_it_ran",
            ),
        ]


class PlanSource(models.Model):
    """An end point as it was when the plan was made: what is asked, and at which price."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="sources")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="+")
    public_name = models.CharField(max_length=200)
    family = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200)
    length_parameter = models.CharField(max_length=21)
    extra = models.JSONField(default=dict, blank=True)
    input_price = models.DecimalField(max_digits=12, decimal_places=4)
    output_price = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)
    not_before = models.DateTimeField(null=True, blank=True)  # where the server asked to wait

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "endpoint"], name="source_once_per_plan"),
        ]


class ModelRequest(models.Model):
    """One request to a model, and its answer. A finished one is never asked again."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Under way")
        DONE = "done", _("Answered")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="requests")
    source = models.ForeignKey(PlanSource, models.PROTECT, related_name="requests")
    prompt = models.ForeignKey(Prompt, models.PROTECT, related_name="+", null=True, blank=True)
    authored = models.ForeignKey(AuthoredPrompt, models.PROTECT, related_name="+", null=True, blank=True)
    variant = models.PositiveSmallIntegerField(default=1)  # of a dropout, from 1 with every requirement
    sample = models.PositiveSmallIntegerField(default=1)  # from 1
    asked = models.TextField()  # what the model reads, whole
    kept = models.ManyToManyField(Requirement, related_name="+", blank=True)  # of a dropout
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    attempt = models.PositiveSmallIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)  # attempts since a person had it tried again
    not_before = models.DateTimeField(null=True, blank=True)  # after an error that may pass
    claimed_by = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    reserved_tokens = models.PositiveIntegerField(default=0)  # counted against the limit a minute
    sent_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # --- The answer, as it came ---
    text = models.TextField(blank=True)
    answer = models.JSONField(null=True, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    error_kind = models.CharField(max_length=30, blank=True)
    error = models.TextField(blank=True)
    response = models.OneToOneField(
        Response, models.PROTECT, related_name="model_request", null=True, blank=True
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["plan", "source", "prompt", "variant", "sample"], name="a_plan_asks_each_thing_once"
            ),
            models.CheckConstraint(
                condition=Q(prompt__isnull=False, authored=None) | Q(prompt=None, authored__isnull=False),
                name="a_request_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False) & ~Q(claimed_by="")
                | ~Q(state="running") & Q(lease_until=None),
                name="a_request_runs_under_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed", "cancelled"], ended_at__isnull=False)
                | Q(state__in=["waiting", "running"], ended_at=None),
                name="a_request_says_when_it_ended",
            ),
            models.CheckConstraint(
                condition=Q(response=None) | Q(state="done"), name="an_answer_makes_a_response"
            ),
        ]
        indexes = [
            models.Index(
                fields=["plan", "source", "not_before"],
                condition=Q(state="waiting"),
                name="requests_to_be_asked",
            ),
            models.Index(fields=["source"], condition=Q(state="running"), name="requests_under_way"),
            models.Index(fields=["source", "sent_at"], name="requests_by_minute"),
        ]


class RequestAttempt(models.Model):
    """How one asking went, kept as it came."""

    request = models.ForeignKey(ModelRequest, models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    sent_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of HTTP; null where none came
    error_kind = models.CharField(max_length=30, blank=True)  # "" where it was answered
    detail = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["request", "number"], name="attempt_once_per_request"),
        ]

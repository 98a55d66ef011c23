"""Models that the site may ask. An operator sets them; no user of a project can."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Endpoint(models.Model):
    """A model behind a server that speaks the OpenAI protocol, with its price and its limits.

    The key is never here: `key_name` says under which name it stands in the environment, or in a file whose path does
    (domain/keys.py). Which servers may be asked at all is a setting, MODEL_ORIGINS.
    """

    class Kind(models.TextChoices):
        CHAT = "chat", _("Texts")
        EMBEDDINGS = "embeddings", _("Embeddings")

    class LengthParameter(models.TextChoices):
        """As what the server takes the limit of an answer."""

        MAX_TOKENS = "max_tokens", "max_tokens"
        MAX_COMPLETION_TOKENS = "max_completion_tokens", "max_completion_tokens"

    name = models.SlugField(max_length=60, unique=True)  # by which leads choose it
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.CHAT)
    base_url = models.CharField(max_length=300)
    model = models.CharField(max_length=200)  # as the server calls it
    public_name = models.CharField(max_length=200)  # as releases call the source
    family = models.CharField(max_length=100, blank=True)
    key_name = models.CharField(max_length=100, blank=True)  # "" where the server asks for none
    # Per million tokens.
    input_price = models.DecimalField(max_digits=12, decimal_places=4, default=0)
    output_price = models.DecimalField(max_digits=12, decimal_places=4, default=0)
    currency = models.CharField(max_length=3, default="USD")
    parallel = models.PositiveSmallIntegerField(
        default=4
    )  # requests under way at once, of all plans together
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True)  # null for no limit
    timeout_seconds = models.PositiveSmallIntegerField(default=300)
    length_parameter = models.CharField(
        max_length=21, choices=LengthParameter, default=LengthParameter.MAX_TOKENS
    )
    extra = models.JSONField(default=dict, blank=True)  # more of the body of a request
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["chat", "embeddings"]), name="a_known_kind_of_endpoint"
            ),
            models.CheckConstraint(condition=Q(parallel__gte=1), name="an_endpoint_takes_a_request"),
            models.CheckConstraint(
                condition=Q(timeout_seconds__gte=1), name="an_endpoint_has_time_to_answer"
            ),
            models.CheckConstraint(
                condition=Q(tokens_per_minute=None) | Q(tokens_per_minute__gte=1),
                name="an_endpoint_takes_a_token",
            ),
            models.CheckConstraint(
                condition=Q(input_price__gte=0, output_price__gte=0), name="an_endpoint_pays_nobody"
            ),
        ]

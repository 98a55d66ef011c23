"""How far a model is with a prompt that it was asked to write, as its writer reads it."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.domain.sentences import Said, from_text
from authoring.domain.chat import MEANINGS
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, Plan

RequestState = ModelRequest.State
UNDER_WAY = (RequestState.WAITING, RequestState.RUNNING)


def newest(authored: AuthoredPrompt) -> ModelRequest | None:
    asked = ModelRequest.objects.filter(authored=authored, plan__kind=Plan.Kind.EXPANSION)
    return asked.select_related("plan", "source").order_by("-pk").first()


def is_under_way(request: ModelRequest) -> bool:
    """Whether an answer may still come by itself: a plan that is paused or cancelled gives none."""
    return request.state in UNDER_WAY and request.plan.state == Plan.State.RUNNING


def endpoints() -> QuerySet[Endpoint]:
    """Models that may be asked for texts."""
    return Endpoint.objects.filter(kind=Endpoint.Kind.CHAT, retired_at=None).order_by("name")


@dataclass(frozen=True, slots=True)
class Expansion:
    """`state` is one of RequestState, or "paused" where the plan does not go on; `error` says why, if known."""

    request: int
    model: str
    state: str
    text: str
    is_cut: bool  # at the most tokens
    error: str
    is_taken: bool  # the text began with this answer

    @property
    def is_under_way(self) -> bool:
        return self.state in UNDER_WAY


def expansion(authored: AuthoredPrompt) -> Expansion | None:
    """The newest one; None where no model was ever asked."""
    found = newest(authored)
    if found is None:
        return None
    stands_still = found.state in UNDER_WAY and not is_under_way(found)
    return Expansion(
        request=found.pk,
        model=found.source.public_name,
        state="paused" if stands_still else found.state,
        text=found.text.strip(),
        is_cut=found.finish_reason == "length",
        error=_in_words(found.plan.paused_why if stands_still else MEANINGS.get(found.error_kind, "")),
        is_taken=authored.expansion_id == found.pk,
    )


def _in_words(sentence: str) -> str:
    """In the reader's language, where the sentence has a template."""
    said = sentence if isinstance(sentence, Said) else from_text(sentence)
    return _(said.template).format(**said.values) if isinstance(said, Said) else str(said)

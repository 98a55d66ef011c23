"""What a model proposed as requirements of a prompt, as the person reads it who asked."""

from dataclasses import dataclass

from annotation.models import Prompt
from annotation.queries.imports import said_of
from authoring.domain.chat import MEANINGS
from authoring.domain.proposals import Proposal, UnreadableError, parsed
from authoring.models import ModelRequest, Plan
from authoring.queries.expansions import UNDER_WAY, is_under_way


@dataclass(frozen=True, slots=True)
class Proposed:
    """`state` is one of ModelRequest.State, or "paused" where the plan does not go on. `error` says why there is no
    list, if that is known; `text` is the answer as it came."""

    request: int
    model: str
    state: str
    proposals: tuple[Proposal, ...]
    text: str
    is_cut: bool
    error: str

    @property
    def is_under_way(self) -> bool:
        return self.state in UNDER_WAY


def newest(prompt: Prompt) -> ModelRequest | None:
    asked = ModelRequest.objects.filter(prompt=prompt, plan__kind=Plan.Kind.PROPOSAL)
    return asked.select_related("plan", "source").order_by("-pk").first()


def proposed(prompt: Prompt) -> Proposed | None:
    """The newest; None where no model was ever asked."""
    found = newest(prompt)
    if found is None:
        return None
    stands_still = found.state in UNDER_WAY and not is_under_way(found)
    proposals: tuple[Proposal, ...] = ()
    error = said_of(found.plan.paused_why if stands_still else MEANINGS.get(found.error_kind, ""))
    if found.state == ModelRequest.State.DONE:
        try:
            proposals = parsed(found.text)
        except UnreadableError as unreadable:
            error = said_of(unreadable.sentence)
    return Proposed(
        request=found.pk,
        model=found.source.public_name,
        state="paused" if stands_still else found.state,
        proposals=proposals,
        text=found.text.strip(),
        is_cut=found.finish_reason == "length",
        error=error,
    )

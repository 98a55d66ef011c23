"""The rounds of a prompt in a dropout of its requirements."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.errors import Invalid
from annotation.models import Prompt, Requirement
from authoring.domain import dropout


@dataclass(frozen=True, slots=True)
class Variant:
    """What a model is asked in one round; `number` counts from 1, where every requirement is kept."""

    number: int
    kept: tuple[Requirement, ...]
    asked: str


def variants_of(prompt: Prompt, seed: str) -> list[Variant]:
    """All rounds, from every requirement to a single one. Invalid where the prompt has too few."""
    requirements = {each.position: each for each in prompt.requirements.all()}
    if len(requirements) < dropout.LEAST:
        message = _("The prompt %(id)s has %(n)s requirements; a dropout takes %(least)s or more.")
        told = {"id": prompt.external_id, "n": len(requirements), "least": dropout.LEAST}
        raise Invalid("too_few_requirements", message % told)
    positions = sorted(requirements)
    found = []
    for number, places in enumerate(dropout.variants(prompt.external_id, len(positions), seed), start=1):
        kept = tuple(requirements[positions[place - 1]] for place in places)
        asked = dropout.asked(prompt.text, [each.text for each in kept], prompt.language)
        found.append(Variant(number, kept, asked))
    return found

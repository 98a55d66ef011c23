"""Which prompts a round asks about: filters that combine, and a seeded sample of what they leave."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from annotation.domain.reach import primary

UNKNOWN = "?"  # stands for "no language" and "no genre"; neither a subtag nor a key can be spelt so


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What filters know of a prompt. `genre` is the key of the type, `macro` that of its category; "" where none."""

    id: int
    name: str  # the prompt's id in the material, which the sample goes by
    language: str
    genre: str
    macro: str
    responses: int  # active ones
    in_live_round: bool

    @property
    def language_key(self) -> str:
        return primary(self.language) or UNKNOWN

    @property
    def genre_keys(self) -> frozenset[str]:
        return frozenset({self.genre or UNKNOWN, self.macro or self.genre or UNKNOWN})


@dataclass(frozen=True, slots=True)
class Filters:
    """Nothing chosen: every prompt. Genres are keys of types or of categories, which stand for all their types."""

    languages: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    only_new: bool = False  # in no live round yet
    sample: int | None = None
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Selected:
    """What a round would hold, and which matching prompts are left out because nothing can be scored there."""

    prompts: tuple[PromptFacts, ...]
    without_responses: tuple[PromptFacts, ...]
    matching: int  # prompts with responses before the sample was drawn

    @property
    def responses(self) -> int:
        return sum(prompt.responses for prompt in self.prompts)


def select(prompts: Iterable[PromptFacts], filters: Filters) -> Selected:
    matching = [prompt for prompt in prompts if _matches(prompt, filters)]
    full = [prompt for prompt in matching if prompt.responses]
    empty = [prompt for prompt in matching if not prompt.responses]
    return Selected(tuple(_sample(full, filters)), tuple(empty), len(full))


def _matches(prompt: PromptFacts, filters: Filters) -> bool:
    return (
        (not filters.languages or prompt.language_key in filters.languages)
        and (not filters.genres or not prompt.genre_keys.isdisjoint(filters.genres))
        and not (filters.only_new and prompt.in_live_round)
    )


def _sample(prompts: list[PromptFacts], filters: Filters) -> list[PromptFacts]:
    """The same prompts for the same seed, whatever else there is and in which order it comes."""
    if filters.sample is None:
        return prompts

    def lot(prompt: PromptFacts) -> bytes:
        return blake2b(f"{filters.seed}\0{prompt.name}".encode(), digest_size=8).digest()

    drawn = {prompt.id for prompt in sorted(prompts, key=lot)[: filters.sample]}
    return [prompt for prompt in prompts if prompt.id in drawn]

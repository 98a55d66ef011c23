"""The variants of a prompt in a dropout of its requirements."""

from dataclasses import dataclass

from annotation.models import Prompt, Requirement


@dataclass(frozen=True, slots=True)
class Variant:
    number: int
    kept: tuple[Requirement, ...]
    asked: str


def variants_of(prompt: Prompt, seed: str) -> list[Variant]:
    raise NotImplementedError  # in the making

"""Requirement dropout (WEval): of n requirements, round k leaves out k - 1, and the order of the rounds is gold.

Which are left out is one order of the prompt's requirements, drawn by a keyed hash of the seed; round k leaves out the
first k - 1 of it. So what a round keeps is part of what every round before it keeps: the better response satisfies
each requirement that the worse one was given, and not only more of them.
"""

from collections.abc import Sequence
from hashlib import blake2b

LEAST = 2  # requirements: fewer make no order
HEADINGS = {"zh": "要求："}
HEADING = "Requirements:"


def order_of_leaving(prompt: str, n: int, seed: str) -> tuple[int, ...]:
    """Positions 1..n in the order in which they are left out, drawn by the seed for the prompt of this id."""

    def drawn(position: int) -> bytes:
        key = "\0".join((seed, prompt, str(position)))
        return blake2b(key.encode(), digest_size=16, person=b"plumb dropout").digest()

    return tuple(sorted(range(1, n + 1), key=drawn))


def variants(prompt: str, n: int, seed: str) -> tuple[tuple[int, ...], ...]:
    """What each round keeps, from all n requirements to one, as positions in rising order: the gold ranking."""
    leaving = order_of_leaving(prompt, n, seed)
    return tuple(tuple(sorted(leaving[k:])) for k in range(n))


def asked(prompt: str, requirements: Sequence[str], language: str) -> str:
    """What a model reads: the prompt, and a numbered list of the requirements that are kept."""
    heading = HEADINGS.get(language.partition("-")[0].lower(), HEADING)
    listed = "\n".join(f"{number}. {text.strip()}" for number, text in enumerate(requirements, start=1))
    return f"{prompt.rstrip()}\n\n{heading}\n{listed}"

"""What asking models costs. Tokens are counted by the server; before that they can only be reckoned."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil

import regex

MILLION = 1_000_000
HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
CHARACTERS_A_TOKEN = 4  # of what is not written in those scripts; of these about one each


@dataclass(frozen=True, slots=True)
class Price:
    """Per million tokens."""

    input: Decimal
    output: Decimal
    currency: str


def reckoned_tokens(text: str) -> int:
    """About how many tokens a model makes of a text: no two count alike, so this is no more than an estimate."""
    han = len(HAN.findall(text))
    return han + ceil((len(text) - han) / CHARACTERS_A_TOKEN)


def cost(tokens_in: int, tokens_out: int, price: Price) -> Decimal:
    return (tokens_in * price.input + tokens_out * price.output) / MILLION

"""What asking models costs."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.costs import Price, cost, reckoned_tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("word", 1), ("words", 2), ("写一座桥", 4), ("写 a bridge", 1 + 3)]
)
def test_tokens_are_reckoned_from_characters(text, tokens):
    assert reckoned_tokens(text) == tokens


@given(st.text(max_size=50), st.text(max_size=50))
def test_a_longer_text_has_no_fewer_tokens(one, other):
    assert (
        reckoned_tokens(one) <= reckoned_tokens(one + other) <= reckoned_tokens(one) + reckoned_tokens(other)
    )


def test_a_price_is_for_a_million_tokens():
    price = Price(Decimal("2.50"), Decimal(10), "USD")
    assert cost(1_000_000, 200_000, price) == Decimal("4.50")
    assert cost(3, 1, price) == Decimal("0.0000175")

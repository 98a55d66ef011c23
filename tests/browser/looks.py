"""The looks in which pages are examined: theme, language and width."""

from itertools import product

import pytest

LOOKS = list(product(["light", "dark"], ["en", "zh-hans"], [1440, 390]))
# Both themes, languages and widths; the scoring page, where people spend their days, is looked at in all looks.
OPPOSITE_LOOKS = [LOOKS[0], LOOKS[-1]]


def in_looks(looks: list[tuple[str, str, int]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("look", looks, indirect=True, ids=lambda look: "-".join(map(str, look)))

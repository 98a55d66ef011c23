"""How the checks by program went in each variant of a dropout: a figure beside the golden order, never the order.

If models do as they are asked, the share of all checks that hold falls from variant to variant, while of those that
were asked for it stays high.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """Of one text: whether each check of a requirement holds, of those asked for and of those left out."""

    variant: int
    asked: tuple[bool, ...]
    left_out: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """Means over texts of the share that holds, 0 to 1; None where no text has such a check. `texts` have any."""

    variant: int
    texts: int
    of_all: float | None
    of_asked: float | None
    of_left_out: float | None


def means(found: Iterable[Held]) -> tuple[Mean, ...]:
    """By variant, in rising order; without those of which no text has a check."""
    by_variant: dict[int, list[Held]] = defaultdict(list)
    for each in found:
        if each.asked or each.left_out:
            by_variant[each.variant].append(each)
    return tuple(
        Mean(
            variant=variant,
            texts=len(texts),
            of_all=_mean([(*text.asked, *text.left_out) for text in texts]),
            of_asked=_mean([text.asked for text in texts]),
            of_left_out=_mean([text.left_out for text in texts]),
        )
        for variant, texts in sorted(by_variant.items())
    )


def _mean(texts: Sequence[Sequence[bool]]) -> float | None:
    shares = [sum(text) / len(text) for text in texts if text]
    return sum(shares) / len(shares) if shares else None

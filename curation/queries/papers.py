"""What the papers print of their own pairs, to be set beside a project's.

WritingPreferenceBench: 'Beyond Correctness: Evaluating Subjective Writing Preferences Across Cultures', Table 3.
LitBench: 'LitBench: A Benchmark and Dataset for Reliable Evaluation of Creative Writing', section on its data.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WRITING_PREFERENCE_BENCH, LITBENCH = "WritingPreferenceBench", "LitBench"


@dataclass(frozen=True, slots=True)
class Printed:
    """A mean and its standard deviation as a paper prints them, with as many places."""

    mean: str
    sd: str


# By primary language, then by measure. Lengths of the Chinese pairs are in no table.
MEANS: Mapping[str, Mapping[str, Printed]] = {
    "en": {
        "length_chosen": Printed("1450.3", "1801.9"),
        "length_rejected": Printed("839.9", "593.4"),
        "score_chosen": Printed("2.913", "0.296"),
        "score_rejected": Printed("1.602", "0.553"),
    },
    "zh": {
        "score_chosen": Printed("2.560", "0.589"),
        "score_rejected": Printed("1.115", "0.567"),
    },
}
PAIRS: Mapping[str, int] = {"en": 1200, "zh": 600}
LONGER_BEFORE = "65.25"  # per cent of LitBench's pairs before it pruned them

"""Which program wrote a file, and how its records become rows of plain columns.

A layout is recognised by the columns and keys of the first records, never by the name of the file.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.layouts import batches, mtbench, preferences, published, wpb
from annotation.domain.layouts.argilla import ARGILLA, ARGILLA_FLAT
from annotation.domain.layouts.columns import rating_columns
from annotation.domain.layouts.doccano import DOCCANO, DOCCANO_CSV
from annotation.domain.layouts.label_studio import LABEL_STUDIO, LABEL_STUDIO_MIN
from annotation.domain.layouts.layout import Layout, Skipped, always, dotted, row
from annotation.domain.layouts.mturk import MTURK
from annotation.domain.layouts.potato import POTATO, POTATO_STATE
from annotation.domain.records import InputError, Record
from annotation.domain.sentences import say

__all__ = ["LAYOUTS", "Layout", "Skipped", "by_key", "rating_columns", "recognise"]


def _plain(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        yield row(record, dotted(record.values))


GENERIC = Layout(
    key="generic", name=say("Rows and columns"), fits=lambda samples: True, unfold=_plain, known=always()
)

# The first that fits is taken: the narrower a shape, the earlier it stands.
LAYOUTS = (
    LABEL_STUDIO,
    LABEL_STUDIO_MIN,
    ARGILLA,
    ARGILLA_FLAT,
    POTATO_STATE,
    POTATO,
    MTURK,
    batches.OPENAI_BATCH,
    batches.ANTHROPIC_BATCH,
    mtbench.VOTES,
    mtbench.PAIRS,
    mtbench.SINGLE,
    mtbench.ANSWERS,
    wpb.RESPONSES,
    wpb.SCORES,
    wpb.PAIRS,
    published.LITBENCH,
    published.LITBENCH_IDS,
    published.WRITING_PROMPTS,
    published.WEVAL,
    preferences.PANDALM,
    preferences.PREFERENCES,
    preferences.TWO_ANSWERS,
    preferences.CONVERSATIONS,
    preferences.INSTRUCTIONS,
    DOCCANO,
    DOCCANO_CSV,
    GENERIC,
)


def recognise(samples: Sequence[Record], *, name: str) -> Layout:
    """The layout of a file, by its first records, of which 50 are enough; the generic one where no other fits.

    `name` is that of the file; it decides nothing, because people rename files.
    """
    return next(layout for layout in LAYOUTS if layout.fits(samples))


def by_key(key: str) -> Layout:
    """The layout with this key; InputError where there is none."""
    for layout in LAYOUTS:
        if layout.key == key:
            return layout
    raise InputError(say("there is no layout {key}", key=key), column="layout")

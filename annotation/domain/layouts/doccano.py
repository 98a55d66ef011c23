"""doccano: {id, text, label ["2"], Comments []} a line, or as CSV with label A#B; one file per member.

Only the name of the file tells who annotated, unless all members stand together in `all`.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotation.domain.field_map import Source, as_key
from annotation.domain.layouts.layout import (
    Known,
    Layout,
    Skipped,
    column,
    dotted,
    every,
    items,
    joined,
    row,
    skipped,
    without,
)
from annotation.domain.records import Record
from annotation.domain.sentences import say

COMMENTS = "Comments"
OF_EVERYBODY = ("all.", "all_", "all-")  # how the file of a collaborative project begins


def _rows(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        value = record.values.get("label")
        label = "#".join(map(as_key, value)) if isinstance(value, list) else as_key(value)
        if not label:
            yield skipped(record, say("nobody has annotated this text"))
            continue
        comments = record.values.get(COMMENTS)
        said = joined(items(comments), "\n") if isinstance(comments, list) else as_key(comments)
        facts = dotted(without(record.values, "label", COMMENTS))
        yield row(record, {**facts, "label": label, "comments": said})


def _known(flat: Sequence[Record], names: Sequence[str]) -> Known:
    of_everybody = any(name.lower().startswith(OF_EVERYBODY) for name in names)
    return {
        "text": column("text"),
        "score": column("label"),
        "annotator": None if of_everybody else Source(file_name=True),
        "justification": column("comments"),
    }


def _are_lines(samples: Sequence[Record]) -> bool:
    labels = [record.values.get("label") for record in samples]
    of_texts = all(isinstance(label, list) and all(isinstance(one, str) for one in label) for label in labels)
    return every(samples, "id", "text", "label") and of_texts


def _is_table(samples: Sequence[Record]) -> bool:
    if not every(samples, "id", "text", "label") or not all(record.cells for record in samples):
        return False
    return every(samples, COMMENTS) or any("#" in as_key(record.values["label"]) for record in samples)


NOTES = (
    say("Who annotated stands only in the name of the file: import one file per annotator"),
    say("Texts without a label are left out"),
)
DOCCANO = Layout(
    key="doccano",
    name=say("doccano, JSONL or JSON"),
    fits=_are_lines,
    unfold=_rows,
    known=_known,
    notes=NOTES,
)
DOCCANO_CSV = Layout(
    key="doccano_csv",
    name=say("doccano, CSV"),
    fits=_is_table,
    unfold=_rows,
    known=_known,
    notes=NOTES,
)

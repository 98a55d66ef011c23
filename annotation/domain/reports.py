"""What became of the rows of an import: counts, and for what was not taken, why and where it stands.

A report is kept as JSON, so that a page can show it in the reader's language later.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.domain import sentences
from annotation.domain.records import InputError

MAX_PROBLEMS = 500  # kept with place and reason; the rest are counted

Sentence = dict[str, object]  # sentences.as_dict


class Unread(InputError):
    """What stopped the reading of a file: of its rows after this place nothing is known."""

    @classmethod
    def of(cls, error: InputError) -> "Unread":
        return cls(error.reason, line=error.line, column=error.column, source=error.source, unit=error.unit)


@dataclass(frozen=True, slots=True)
class Problem:
    """One row that cannot be taken, or a file that cannot be read further (line None)."""

    file: str
    unit: str  # line, row or item
    line: int | None
    column: str
    reason: Sentence

    @classmethod
    def of(cls, error: InputError) -> "Problem":
        return cls(error.source, error.unit, error.line, error.column, sentences.as_dict(error.reason))


@dataclass(slots=True)
class ImportReport:
    """Filled while an import is read. `rows` counts what the files hold, before anything is left out."""

    rows: int = 0
    prompts: int = 0  # new ones, as are the next four
    responses: int = 0
    annotators: int = 0
    scores: int = 0
    revisions: int = 0
    preferences: int = 0  # votes on pairs, first ones and later ones
    genres: int = 0
    unchanged: int = 0  # responses, scores and votes that are stored already, or stand twice in the files
    refused: int = 0
    unread: int = 0  # files that could not be read to their end
    problems: list[Problem] = field(default_factory=list)
    skipped: Counter[str] = field(
        default_factory=Counter
    )  # by reason, of rows that are no data by their layout
    skip_reasons: dict[str, Sentence] = field(default_factory=dict)
    unknown_genres: list[str] = field(default_factory=list)
    flags: Counter[str] = field(default_factory=Counter)  # by check

    def refuse(self, error: InputError) -> None:
        self.refused += 1
        self.unread += isinstance(error, Unread)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem.of(error))

    def skip(self, reason: str) -> None:
        self.rows += 1
        self.skipped[reason] += 1
        self.skip_reasons[reason] = sentences.as_dict(reason)

    @property
    def changes(self) -> int:
        counted = self.prompts + self.responses + self.annotators + self.scores + self.revisions + self.genres
        return counted + self.preferences

    def as_dict(self) -> dict[str, object]:
        counts = {name: getattr(self, name) for name in COUNTS}
        return {
            **counts,
            "problems": [
                {"file": p.file, "unit": p.unit, "line": p.line, "column": p.column, "reason": p.reason}
                for p in self.problems
            ],
            "skipped": [
                {"reason": self.skip_reasons[key], "rows": n} for key, n in self.skipped.most_common()
            ],
            "unknown_genres": list(self.unknown_genres),
            "flags": dict(sorted(self.flags.items())),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "ImportReport":
        """The report that `as_dict` wrote; the keys of `skipped` are templates then."""
        report = cls(**{name: kept.get(name, 0) for name in COUNTS})  # older ones count less
        report.problems = [Problem(**problem) for problem in kept["problems"]]
        for entry in kept["skipped"]:
            key = str(entry["reason"]["template"]).format(**entry["reason"]["values"])
            report.skipped[key] = entry["rows"]
            report.skip_reasons[key] = entry["reason"]
        report.unknown_genres = list(kept["unknown_genres"])
        report.flags = Counter(kept["flags"])
        return report


COUNTS = (
    "rows",
    "prompts",
    "responses",
    "annotators",
    "scores",
    "revisions",
    "preferences",
    "genres",
    "unchanged",
    "refused",
    "unread",
)

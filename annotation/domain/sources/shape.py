"""How a file is written, as far as a reader must know it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.strict_json import shown

FORMATS = ("jsonl", "json", "delimited", "xlsx", "parquet")
OF_TEXT = ("jsonl", "json", "delimited")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "gb18030", "cp1252")
DELIMITERS = (",", ";", "\t", "|")
KEYS = ("format", "encoding", "delimiter", "sheet")


@dataclass(frozen=True, slots=True)
class Shape:
    """`format` is one of FORMATS, `encoding` one of ENCODINGS where the format is a text and else "", `delimiter`
    one of DELIMITERS where it is delimited and else "", `sheet` the name of a sheet of a workbook ("": the first
    with content)."""

    format: str
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> "Shape":
        """The shape that `as_dict` wrote, or that a person chose; InputError where it cannot be one."""
        for key in (*KEYS, *values):
            value = values.get(key, "")
            if key not in KEYS or not isinstance(value, str):
                reason = say("{value} is no part of the shape of a file; leave it out", value=shown(value))
                raise InputError(reason, column=str(key))
        shape = cls(**{key: str(values.get(key, "")) for key in KEYS})
        shape._check()
        return shape

    def _check(self) -> None:
        allowed = {
            "format": FORMATS,
            "encoding": ENCODINGS if self.format in OF_TEXT else ("",),
            "delimiter": DELIMITERS if self.format == "delimited" else ("",),
        }
        for key, choices in allowed.items():
            value = getattr(self, key)
            if value not in choices:
                known = ", ".join(shown(choice) for choice in choices)
                reason = say(
                    "{value} is not possible here; use one of: {known}", value=shown(value), known=known
                )
                raise InputError(reason, column=key)

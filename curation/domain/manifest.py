"""A release as bytes: its rows, its manifest, its checksums. The same arguments give the same bytes everywhere.

Rows are JSON in UTF-8, one a line, keys in a fixed order, no optional keys. Nothing here knows a clock, a machine
or a path. Both doors to a release, from files and from the database, call release_files().
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import orjson

from annotation.domain.material import ResponseRow
from curation.domain import recipe_json
from curation.domain.agreement import Report
from curation.domain.audit.record import Record
from curation.domain.card import CardFacts, card
from curation.domain.judgements import Judgement
from curation.domain.outcome import Curation
from curation.domain.recipes import PairRecipe

FORMAT = 1  # of the folder; raised when a reader of the old one would misread the new one
PAIRS = "data/pairs/{split}.jsonl"
JUDGEMENTS = "data/judgements/test.jsonl"
REJECTED = "rejected.jsonl"
FUNNEL = "funnel.json"
CARD = "README.md"
MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
# Semantic Versioning 2.0.0 without build metadata, which orders nothing.
VERSION = re.compile(
    r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})"
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
)
MAX_VERSION = 40  # characters
LICENCE = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")

DECIMALS = 10  # of a statistic: sums of doubles may differ in the last bits between machines
ROWS_AT_A_TIME = 256
BYTES_AT_A_TIME = 2**18


class ReleaseError(ValueError):
    """A name, a version or a licence that a release cannot bear."""

    code = "bad_release"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Of one file: its size, its lines and its SHA-256."""

    bytes: int
    rows: int
    sha256: str

    def as_dict(self) -> dict[str, object]:
        return {"bytes": self.bytes, "rows": self.rows, "sha256": self.sha256}


class Release(Mapping[str, Iterator[bytes]]):
    """The files of a release, path to content in chunks.

    Each is read once, all in this order: the manifest and the checksums speak of the files before them. `facts`
    fills as they are read.
    """

    def __init__(self) -> None:
        self.facts: dict[str, FileFacts] = {}
        self._chunks: dict[str, Iterator[bytes]] = {}

    def add(self, path: str, content: Iterable[bytes]) -> None:
        self._chunks[path] = self._noted(path, content)

    def __getitem__(self, path: str) -> Iterator[bytes]:
        return self._chunks[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)

    def _noted(self, path: str, content: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks as they are, noting what the file turns out to be."""
        digest, size, rows = sha256(), 0, 0
        for chunk in content:
            digest.update(chunk)
            size += len(chunk)
            rows += chunk.count(b"\n")
            yield chunk
        self.facts[path] = FileFacts(size, rows, digest.hexdigest())


def check_name(name: str) -> str:
    """The name, if a release can bear it."""
    if not NAME.fullmatch(name):
        raise ReleaseError(
            f"the name {name!r} will not do; use up to 60 letters, digits, dots, hyphens and underscores, "
            "starting with a letter or a digit"
        )
    return name


def check_version(version: str) -> str:
    """The version, if it is a semantic one."""
    if not VERSION.fullmatch(version) or len(version) > MAX_VERSION:
        raise ReleaseError(
            f"the version {version!r} will not do; use MAJOR.MINOR.PATCH, such as 0.1.0 or 1.0.0-rc.1"
        )
    return version


def check_licence(licence: str) -> str:
    """The licence's id, or "" where none was chosen."""
    if licence and not LICENCE.fullmatch(licence):
        raise ReleaseError(f"the licence {licence!r} will not do; use an id such as odc-by or cc-by-4.0")
    return licence


def release_files(
    *,
    name: str,
    version: str,
    recipe: PairRecipe,
    responses: Sequence[ResponseRow],
    curation: Curation[Any],
    judgements: Sequence[Judgement],
    agreement: Report,
    code_version: str,
    rubric_version: int | None = None,
    licence: str = "",
    audit: Record | None = None,
    with_funnel: bool = False,
    with_rejected: bool = False,
) -> Release:
    """The files of a release. `responses` are those that could form candidates; `judgements` are sorted, as
    judgements.judgements() gives them; `agreement` is that of all of them; `rubric_version` is None where nobody said.
    `audit` is None where releases are not held against one. ReleaseError on a bad name, version or licence."""
    head = _head(check_name(name), check_version(version), recipe, responses, curation, judgements)
    head["rubric_version"] = rubric_version
    head["code_version"] = code_version
    head["numpy_version"] = np.__version__
    head["agreement"] = rounded(agreement.as_dict())
    head["symmetry"] = [stratum.as_dict() for stratum in curation.symmetry]
    head["funnel"] = curation.funnel.as_dict()
    if audit is not None:
        head["audit"] = rounded(audit.as_dict())
    if with_rejected and curation.rejected.sample is not None:
        head["rejected_sample"] = curation.rejected.sample.as_dict()
    totals = curation.pairs.totals()
    facts = CardFacts(
        name, version, check_licence(licence), recipe, responses, curation, agreement, totals, audit
    )
    release = Release()
    for split, pairs in (curation.splits or {"test": curation.pairs}).items():
        release.add(PAIRS.format(split=split), lines_of(pairs))
    release.add(JUDGEMENTS, lines_of(judgements))
    if with_rejected:
        release.add(REJECTED, lines_of(curation.rejected))
    if with_funnel:
        release.add(FUNNEL, [document(head["funnel"])])
    release.add(CARD, [card(facts).encode()])
    release.add(MANIFEST, manifest_of(release, head, tuple(release)))
    release.add(SUMS, sums_of(release, tuple(release)))
    return release


# --- content ---------------------------------------------------------------------------------------------


def document(value: object) -> bytes:
    """A JSON document for people to open: indented by two, keys in the order given, one line end at the end."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def rounded(value: object) -> object:
    """The value with every double in it rounded to DECIMALS."""
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0  # -0.0 becomes 0.0
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return value


def lines_of(rows: Iterable[object]) -> Iterator[bytes]:
    """A line for each row: the fields of its dataclass, in their order."""
    lines: list[bytes] = []
    size = 0
    for row in rows:
        lines.append(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        size += len(lines[-1])
        if len(lines) == ROWS_AT_A_TIME or size >= BYTES_AT_A_TIME:
            yield b"".join(lines)
            lines.clear()
            size = 0
    yield b"".join(lines)


# --- manifest and checksums ------------------------------------------------------------------------------


def _head(
    name: str,
    version: str,
    recipe: PairRecipe,
    responses: Sequence[ResponseRow],
    curation: Curation[Any],
    judgements: Sequence[Judgement],
) -> dict[str, object]:
    head: dict[str, object] = {
        "format": FORMAT,
        "name": name,
        "version": version,
        "counts": {
            "prompts": len({row.prompt_id for row in responses}),
            "responses": len(responses),
            "annotators": len({row.annotator for row in judgements}),
            "judgements": len(judgements),
            "pairs": len(curation.pairs),
        },
        "recipe": recipe_json.of_manifest(recipe),
        "length_unit": {"setting": recipe.length_unit, **curation.lengths.as_dict()},
    }
    if curation.tokens is not None:
        head["tokens"] = curation.tokens.as_dict()
    return head


def manifest_of(release: Release, head: Mapping[str, object], paths: Sequence[str]) -> Iterator[bytes]:
    yield document({**head, "files": {path: release.facts[path].as_dict() for path in sorted(paths)}})


def sums_of(release: Release, paths: Sequence[str]) -> Iterator[bytes]:
    yield "".join(f"{release.facts[path].sha256}  {path}\n" for path in sorted(paths)).encode()

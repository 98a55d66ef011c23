"""A release in Parquet, in a folder of its own: a copy for those who load columns. What counts is the JSON Lines.

Parquet holds the version of what wrote it, so its bytes are nobody's proof: the card names the manifest that it was
made from.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from curation.domain import recipes
from curation.domain.card_words import wording
from curation.domain.recipes import Weval
from curation.domain.release import tables
from curation.domain.release.contents import JUDGE_COLUMNS, JUDGEMENT_COLUMNS
from curation.domain.release.front_matter import config, features
from curation.domain.release.ranked import GIVEN_COLUMNS, RANKINGS_COLUMNS
from curation.domain.weval_card import CONFIGURATIONS
from curation.services import directory
from curation.services.verification import MANIFEST

OF_GROUP = 100_000  # rows of a row group: a text that occurs in several of them is written in each
AT_A_TIME = 5_000  # rows as Python's own objects
PAGE = (
    64 * 2**20
)  # bytes of a dictionary page: at pyarrow's 1 MiB texts that occur in many pairs are written out
MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
KINDS: Mapping[str, pa.DataType] = {
    tables.TEXT: pa.string(),
    tables.WHOLE: pa.int64(),
    tables.NUMBER: pa.float64(),
    tables.TEXTS: pa.list_(pa.string()),
    tables.WHOLES: pa.list_(pa.int64()),
    tables.TIERS: pa.list_(pa.list_(pa.string())),
    tables.MESSAGES: pa.list_(MESSAGE),
}


def write(folder: Path, out: Path) -> list[str]:
    """Write the copy of the release in `folder` to `out`, and say what stands in it. Verify the release first.

    DirectoryError where `out` cannot be written, or lies in the release.
    """
    content = (folder / MANIFEST).read_bytes()
    manifest = json.loads(content)
    known = _columns(manifest)
    found = {
        path: known[parts[1]]
        for path in sorted(manifest["files"])
        if (parts := path.split("/"))[0] == "data" and parts[1] in known and (folder / path).is_file()
        if manifest["files"][path]["rows"]
    }
    files: dict[str, Iterator[bytes]] = {
        path.removesuffix("jsonl") + "parquet": copied(folder / path, columns)
        for path, columns in found.items()
    }
    files["README.md"] = iter([_card(manifest, sha256(content).hexdigest(), found).encode()])
    directory.write(out, files, inputs=(folder / MANIFEST,))
    return list(files)


def _columns(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    """By configuration, those that a release of this recipe has."""
    recipe = recipes.from_dict(manifest["recipe"])
    found: dict[str, Mapping[str, str]] = {
        "preference": tables.PREFERENCE_COLUMNS,
        "contested": tables.CONTESTED_COLUMNS,
        "unlabelled": tables.UNLABELLED_COLUMNS,
        "judge": JUDGE_COLUMNS,
        "unlabelled_judge": JUDGE_COLUMNS,
    }
    if isinstance(recipe, Weval):
        found |= CONFIGURATIONS
    else:
        found |= {
            "pairs": wording(recipe).columns,
            "judgements": JUDGEMENT_COLUMNS,
            "rankings": RANKINGS_COLUMNS,
            "given_rankings": GIVEN_COLUMNS,
        }
    return {name: {**columns, tables.CANARY: tables.TEXT} for name, columns in found.items()}


def copied(path: Path, columns: Mapping[str, str]) -> Iterator[bytes]:
    """A file of JSON Lines as Parquet, in pieces: a row group is in memory at a time."""
    schema = pa.schema([(name, KINDS[kind]) for name, kind in columns.items()])
    sink = _Sink()
    with pq.ParquetWriter(
        pa.PythonFile(sink, mode="w"), schema, compression="zstd", dictionary_pagesize_limit=PAGE
    ) as writer:
        for group in _groups(path, schema):
            writer.write_table(group, row_group_size=OF_GROUP)
            yield sink.taken()
    yield sink.taken()


def _groups(path: Path, schema: pa.Schema) -> Iterator[pa.Table]:
    batches: list[pa.RecordBatch] = []
    for rows in _pieces(path):
        batches.append(pa.RecordBatch.from_pylist(rows, schema=schema))
        if len(batches) * AT_A_TIME == OF_GROUP:
            yield pa.Table.from_batches(batches)
            batches = []
    if batches:
        yield pa.Table.from_batches(batches)


def _pieces(path: Path) -> Iterator[list[dict[str, Any]]]:
    with path.open("rb") as file:
        while rows := [orjson.loads(line) for line in islice(file, AT_A_TIME)]:
            yield rows


class _Sink:
    """What pyarrow writes to; it holds what has not been taken yet."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def write(self, content: Any) -> int:
        self._waiting.append(bytes(content))
        self._written += len(content)
        return len(content)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def taken(self) -> bytes:
        found = b"".join(self._waiting)
        self._waiting.clear()
        return found


def _card(manifest: Mapping[str, Any], digest: str, found: Mapping[str, Mapping[str, str]]) -> str:
    title = f"{manifest['name']} {manifest['version']}"
    splits: dict[str, list[str]] = {}
    for path in found:
        _, name, file = path.split("/")
        splits.setdefault(name, []).append(file.removesuffix(".jsonl"))
    first = "rankings" if "responses" in splits else "pairs"  # of the recipe weval, orders are what counts
    lines = ["---", f'pretty_name: "{title} (Parquet)"', "configs:"]
    for name, of in splits.items():
        lines += config(name, of, default=name == first, suffix="parquet")
    lines.append("dataset_info:")
    for name, of in splits.items():
        lines += features(name, found[f"data/{name}/{of[0]}.jsonl"])
    text = f"""\
# {title} in Parquet

A copy of the release {title} for those who load columns. What counts is the release, whose `manifest.json` has the
SHA-256 `{digest}`. The bytes of Parquet depend on what wrote them, so they are not signed."""
    return "\n".join([*lines, "---", "", text]) + "\n"

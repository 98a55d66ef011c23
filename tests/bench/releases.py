"""E1 and E2: a release written and verified, beside the least that writing and hashing the same bytes takes."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import orjson
import polars as pl

from curation.domain.card_words import wording
from curation.domain.recipes import WritingPreference
from curation.domain.release.files import Release, lines_of
from curation.domain.release.merkle import Tree
from curation.domain.scored_pairs import Pair
from curation.services import parquet_copies
from tests.bench.measure import Call, Line, Race, Row
from tests.bench.paper import resident
from tests.bench.samples import SEED
from tests.bench.sizes import Sizes
from tests.children import ROOT

CANARY = "7b0c6f7e-9d6e-4c33-9a55-0d8b5f3f2c11"
PATH = "data/pairs/test.jsonl"
FLOOR, ORJSON, VERIFIED = "write and SHA-256 of ready bytes", "orjson of ready dicts", "verified"
LETTERS = 1_300  # of a text
IDS = 5  # times the floor, of rows without texts
OF_TEXT = 20  # pairs that each text stands in
MOST_MIB = 1_200


def races(sizes: Sizes) -> Iterator[Race]:
    yield _written(list(pairs(sizes.many_texts, letters=0)), "ids and numbers", IDS, sizes)
    yield _written(list(pairs(sizes.texts, letters=LETTERS)), "with two texts", 3.5, sizes)


def pairs(count: int, *, letters: int) -> Iterator[Pair]:
    """Pairs as recipes make them; texts are shared as they are in a project, and made once."""
    random = np.random.default_rng(SEED)
    bank = [
        bytes(random.integers(97, 123, letters, dtype=np.uint8)).decode() if letters else ""
        for _ in range(max(2, count // OF_TEXT))
    ]
    for number in range(count):
        one, other = number % len(bank), (7 * number + 1) % len(bank)
        yield Pair(
            id=f"p{number // 10:07}:r{one:07}:r{other:07}",
            prompt_id=f"p{number // 10:07}",
            chosen=f"r{one:07}",
            rejected=f"r{other:07}",
            votes_for=3,
            votes_against=0,
            ties=0,
            k=3,
            gap=(4, 3),
            mean_chosen=8 / 3,
            mean_rejected=4 / 3,
            length_chosen=240,
            length_rejected=231,
            flags=(),
            genre="poetry",
            language="en",
            chosen_model="one",
            rejected_model="other",
            prompt="",
            chosen_text=bank[one],
            rejected_text=bank[other],
        )


def _written(rows: Sequence[Pair], what: str, target: float, sizes: Sizes) -> Race:
    dicts = [asdict(row) for row in rows]
    content = b"".join(lines_of(rows, CANARY))
    return Race(
        size=f"{len(rows):,} pairs",
        calls={
            FLOOR: Call(partial(_to_disk, [content]), sizes.runs),
            ORJSON: Call(partial(_plainly, dicts), sizes.runs),
            "lines": Call(lambda: _to_disk(lines_of(rows, CANARY)), sizes.runs),
            "written": Call(partial(_as_release, rows), sizes.runs),
            VERIFIED: Call(partial(_verified, content), sizes.runs),
        },
        rows=[
            Row("E1", f"{what}: JSON Lines, SHA-256", "lines", FLOOR, target, is_measured=True),
            Row("E1", "the same", "lines", ORJSON, 1.2),
            Row("E1", "the same and its Merkle root", "written", FLOOR, None),
            Row("E1", "verified, SHA-256 and Merkle root", VERIFIED, FLOOR, 2),
        ],
        differences=lambda results: iter([("E1", _differs(rows, dicts))]),
    )


def _to_disk(chunks: Iterable[bytes]) -> str:
    digest = sha256()
    with tempfile.TemporaryFile() as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        file.flush()
    return digest.hexdigest()


def _plainly(dicts: Sequence[dict]) -> str:
    return _to_disk(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in dicts)


def _as_release(rows: Sequence[Pair]) -> str:
    release = Release()
    release.add(PATH, lines_of(rows, CANARY))
    with tempfile.TemporaryFile() as file:
        file.writelines(release[PATH])
        file.flush()
    return release.facts[PATH].merkle_root


def _verified(content: bytes) -> str:
    """What verifying does with the bytes of a file of records."""
    digest, tree, rest = sha256(), Tree(), b""
    for start in range(0, len(content), 2**20):
        chunk = content[start : start + 2**20]
        digest.update(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        tree.extend(lines)
    return tree.root()


def _differs(rows: Sequence[Pair], dicts: Sequence[dict]) -> float:
    """Whether the bytes are those that a plain writer has, but for the canary."""
    plain = sha256()
    for row in dicts:
        plain.update(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    ours = sha256()
    for chunk in lines_of(rows):
        ours.update(chunk)
    return float(ours.digest() != plain.digest())


def parquet(sizes: Sizes) -> Iterator[Line]:
    """The copy in Parquet beside that of polars: bytes."""
    rows = [asdict(row) for row in pairs(sizes.texts, letters=LETTERS)]
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as name:
        source, theirs = Path(name) / "pairs.jsonl", Path(name) / "peer.parquet"
        with source.open("wb") as file:
            file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
        ours = sum(map(len, parquet_copies.copied(source, wording(WritingPreference()).columns)))
        pl.DataFrame(rows).write_parquet(theirs, compression="zstd")
        peers = theirs.stat().st_size
    yield Line(
        case="E1",
        what="with two texts: the copy in Parquet",
        size=f"{len(rows):,} pairs",
        ours=ours / 2**20,
        peer="polars, zstd",
        peers=peers / 2**20,
        ratio=ours / peers,
        target=1.2,
        unit="MiB",
    )


# --- E2 --------------------------------------------------------------------------------------------------


def lines(sizes: Sizes) -> Iterator[Line]:
    """A process that writes many pairs with both texts: what it holds of them."""
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as folder:
        command = [sys.executable, "-m", "tests.bench.releases", str(sizes.many_texts), folder]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ)
        mib, mib_on_disk, seconds, is_same = map(float, done.stdout.split())
    yield Line(
        case="E2",
        what=f"{mib_on_disk:,.0f} MiB with two texts, process; {seconds:.0f} s CPU",
        size=f"{sizes.many_texts:,} pairs",
        ours=mib,
        peer="what was aimed at",
        peers=MOST_MIB,
        ratio=mib / MOST_MIB,
        target=1,
        differs=1 - is_same,
        unit="MiB",
    )


def main(count: int, folder: Path) -> None:
    """Prints the most MiB resident, the MiB written, CPU seconds, and 1 where the bytes are those of a plain writer."""
    release = Release()
    release.add(PATH, lines_of(pairs(count, letters=LETTERS)))
    with (folder / "pairs.jsonl").open("wb") as file:
        file.writelines(release[PATH])
    used = time.process_time()
    most = resident(os.getpid())
    plain = sha256()
    for row in pairs(count, letters=LETTERS):
        plain.update(orjson.dumps(asdict(row), option=orjson.OPT_APPEND_NEWLINE))
    facts = release.facts[PATH]
    sys.stdout.write(f"{most} {facts.bytes / 2**20} {used} {int(plain.hexdigest() == facts.sha256)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))

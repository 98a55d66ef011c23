"""Verifying a release folder byte by byte.

Only the standard library is used, and for the signature `cryptography` where it is installed, so that this file can
verify a release wherever there is a Python: each release takes it along (services/verify_script.py). It never opens a
path that a file of the release names: it walks the folder and compares what it finds.
"""

import base64
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from curation.domain.release.merkle import Tree, root_of_roots

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    SIGNATURES_ARE_CHECKED = False
else:
    SIGNATURES_ARE_CHECKED = True

PAIRS = "data/pairs/test.jsonl"
OTHER_PAIRS = ("data/pairs/train.jsonl", "data/pairs/heldout.jsonl")  # where there are any
JUDGEMENTS = "data/judgements/test.jsonl"
OTHER_JUDGEMENTS = ("data/judgements/heldout.jsonl",)
REJECTED = "rejected.jsonl"
FUNNEL = "funnel.json"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
SUMS = "SHA256SUMS"

SUM = re.compile(rb"([0-9a-f]{64})  ([^\n\\]+)\n")
CHUNK = 2**20  # bytes
MAX_DOCUMENT = 2**26  # bytes of a manifest; larger ones are not read
FORMATS = (1, 2)  # of releases; the first knew no Merkle roots, signatures or files that are withheld
RECORDS = "data/"


@dataclass(frozen=True)
class Verdict:
    """Whether a folder is the release that it says it is. `path` is the first file that is not, within the
    folder; `reason` says what is wrong with it, or why the folder cannot be read."""

    outcome: Literal["ok", "differs", "bad signature", "unreadable"]
    path: str = ""
    reason: str = ""
    files: int = 0
    pairs: int = 0
    withheld: int = 0  # files that the manifest names and that are not here
    signature: str = ""  # what is known of it

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"

    def __str__(self) -> str:
        if self.ok:
            kept = f", withheld: {self.withheld} files" if self.withheld else ""
            return f"verified: {self.files} files{kept}, pairs: {self.pairs}, {self.signature}"
        return ": ".join(part for part in (self.path, self.reason) if part)


@dataclass(frozen=True)
class Facts:
    """Of one file: its size, its lines, its SHA-256, and the Merkle root of its records where it has one."""

    bytes: int
    rows: int
    sha256: str
    merkle_root: str
    withheld: bool


@dataclass(frozen=True)
class Manifest:
    """What verifying needs of a manifest."""

    files: dict[str, Facts]
    pairs: int
    judgements: int
    candidates: int
    accepted: int
    rejected: dict[str, int]
    sampled: tuple[int, int] | None  # rejected candidates in the folder, and all, where not all are
    funnel: object
    merkle_root: str | None  # None in the first format
    public_key: str  # of Ed25519 in base64; "" where nobody signed
    is_explained: bool  # made within the limits of its audit, or with a reason; releases of old speak of none


class _Differs(Exception):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class _BadSignature(Exception):
    pass


class _Unreadable(Exception):
    pass


def verify(folder: Path, *, public_key: str = "") -> Verdict:
    """Recompute every checksum and every count of a release, and check its signature.

    `public_key` in base64 is that of whom the release should be from; without it the one that it names itself is taken,
    which shows that nothing was changed since, not by whom it was made.
    """
    try:
        manifest, missing = _verified(folder)
        signed = _checked_signature(folder, manifest, public_key)
    except _BadSignature as error:
        return Verdict("bad signature", SIGNATURE, str(error))
    except _Differs as difference:
        return Verdict("differs", printable(difference.path), difference.reason)
    except _Unreadable as error:
        return Verdict("unreadable", reason=str(error))
    except OSError as error:
        inside = os.path.relpath(error.filename, folder) if error.filename else "."
        path = "" if inside == "." else printable(inside)
        return Verdict("unreadable", path, error.strerror or type(error).__name__)
    count = len(manifest.files) - missing + 2 + bool(manifest.public_key)
    return Verdict("ok", files=count, pairs=manifest.pairs, withheld=missing, signature=signed)


def printable(text: str) -> str:
    """The text with whatever a terminal would choke on written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _verified(folder: Path) -> tuple[Manifest, int]:
    """The manifest, and how many of its files are withheld and not here."""
    found = _walk(folder)
    if MANIFEST not in found and SUMS not in found:
        raise _Unreadable(f"it is no release: it holds neither {MANIFEST} nor {SUMS}")
    for path in (SUMS, MANIFEST):
        _check_plain(path, found)
    sums = _read_sums(folder)
    manifest = _read_manifest(folder, sums[MANIFEST])
    listed = {path: facts.sha256 for path, facts in manifest.files.items() if not facts.withheld}
    besides = (MANIFEST, SIGNATURE) if manifest.public_key else (MANIFEST,)
    if {path: sums[path] for path in sums if path not in besides} != listed or not {*besides} <= {*sums}:
        raise _Differs(SUMS, f"it does not list the files and checksums of {MANIFEST}")
    if manifest.public_key:
        _check_plain(SIGNATURE, found)
        if sha256(_whole(folder, SIGNATURE)).hexdigest() != sums[SIGNATURE]:
            raise _Differs(SIGNATURE, f"its SHA-256 is not the one in {SUMS}")
    missing = {path for path, facts in manifest.files.items() if facts.withheld} - {*found}
    for path in sorted({*found, *manifest.files} - missing - {SUMS, *besides}, key=os.fsencode):
        _check_file(folder, path, found, manifest)
    _check_counts(folder, manifest)
    return manifest, len(missing)


def _checked_signature(folder: Path, manifest: Manifest, public_key: str) -> str:
    """What can be said of it; _BadSignature where it is not that of the manifest, or not of `public_key`."""
    if not manifest.public_key:
        if public_key:
            raise _BadSignature("the release is not signed")
        return "not signed"
    if public_key and public_key != manifest.public_key:
        raise _BadSignature(f"the release is signed by another key, {manifest.public_key}")
    if not SIGNATURES_ARE_CHECKED:
        return "signature not checked"
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(manifest.public_key, validate=True))
        written = _whole(folder, SIGNATURE)
        if not written.endswith(b"\n"):
            raise ValueError(SIGNATURE)
        key.verify(base64.b64decode(written[:-1], validate=True), _whole(folder, MANIFEST))
    except (InvalidSignature, ValueError) as error:
        raise _BadSignature(
            f"it is not the signature of {MANIFEST} by the key {manifest.public_key}"
        ) from error
    return f"signed by the key {manifest.public_key}"


def _walk(folder: Path) -> dict[str, os.stat_result]:
    """Everything below the folder by its path within it, folders that hold something excepted. Follows no link."""
    found: dict[str, os.stat_result] = {}
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        with os.scandir(folder / inside) as entries:
            names = [entry.name for entry in entries]
        if inside and not names:
            found[inside] = os.lstat(folder / inside)
        for name in names:
            path = f"{inside}/{name}" if inside else name
            status = os.lstat(folder / path)
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)
            else:
                found[path] = status
    return found


def _check_plain(path: str, found: Mapping[str, os.stat_result]) -> None:
    if path not in found:
        raise _Differs(path, "it is missing")
    if stat.S_ISLNK(found[path].st_mode):
        raise _Differs(path, "it is a link; a release holds plain files")
    if not stat.S_ISREG(found[path].st_mode):
        raise _Differs(path, "it is no plain file")


def _chunks(folder: Path, path: str) -> Iterator[bytes]:
    # Should the file have become a link since the walk, it is not followed.
    descriptor = os.open(folder / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _whole(folder: Path, path: str) -> bytes:
    content = b""
    for chunk in _chunks(folder, path):
        content += chunk
        if len(content) > MAX_DOCUMENT:
            raise _Differs(path, f"it is larger than {MAX_DOCUMENT} bytes")
    return content


def _read_sums(folder: Path) -> dict[str, str]:
    """SHA-256 by path. The file has one form only, so that no byte of it can change unseen."""
    content = _whole(folder, SUMS)
    sums: dict[str, str] = {}
    end = 0
    for line in SUM.finditer(content):
        if line.start() != end:
            break
        end = line.end()
        sums[os.fsdecode(line[2])] = line[1].decode("ascii")
    paths = list(sums)
    if end != len(content) or paths != sorted(paths, key=os.fsencode) or content.count(b"\n") != len(paths):
        raise _Differs(SUMS, "it is not in the form of sha256sum, each file once, sorted by path")
    if MANIFEST not in sums or SUMS in sums:
        raise _Differs(SUMS, f"it does not list {MANIFEST}, or lists itself")
    return sums


def _read_manifest(folder: Path, checksum: str) -> Manifest:
    content = _whole(folder, MANIFEST)
    if sha256(content).hexdigest() != checksum:
        raise _Differs(MANIFEST, f"its SHA-256 is not the one in {SUMS}")
    try:
        return _manifest(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _Differs(MANIFEST, "it is not a manifest that this program understands") from error


def _manifest(document: Any) -> Manifest:
    if document["format"] not in FORMATS or isinstance(document["format"], bool):
        raise ValueError(document["format"])
    files = {path: _facts(facts) for path, facts in document["files"].items()}
    if {MANIFEST, SIGNATURE} & {*files}:
        raise ValueError(MANIFEST)
    signature = document.get("signature")
    if signature is not None and signature["algorithm"] != "Ed25519":
        raise ValueError(signature)
    funnel, sample = document["funnel"], document.get("rejected_sample")
    return Manifest(
        files=files,
        pairs=_count(document["counts"]["pairs"]),
        judgements=_count(document["counts"]["judgements"]),
        candidates=_count(funnel["candidates"]),
        accepted=_count(funnel["accepted"]),
        rejected={str(reason): _count(number) for reason, number in funnel["rejected"].items()},
        sampled=None if sample is None else (_count(sample["rows"]), _count(sample["of"])),
        funnel=funnel,
        merkle_root=None if document["format"] == 1 else str(document["merkle_root"]),
        public_key="" if signature is None else str(signature["public_key"]),
        is_explained=_is_explained(document.get("audit")),
    )


def _facts(facts: Any) -> Facts:
    withheld = facts.get("withheld", False)
    if not isinstance(withheld, bool):
        raise ValueError(withheld)
    root = str(facts.get("merkle_root", ""))
    return Facts(_count(facts["bytes"]), _count(facts["rows"]), str(facts["sha256"]), root, withheld)


def _is_explained(audit: Any) -> bool:
    if audit is None:
        return True
    within = audit["state"] == "done" and not audit["exceeded"]
    return within or bool(str(audit["reason"]).strip())


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(value)
    return value


def _check_file(folder: Path, path: str, found: Mapping[str, os.stat_result], manifest: Manifest) -> None:
    if path not in manifest.files:
        if stat.S_ISDIR(found[path].st_mode) and any(
            inside.startswith(f"{path}/") for inside in manifest.files
        ):
            return  # what is missing from this empty folder gets named itself
        raise _Differs(path, "it does not belong to the release")
    _check_plain(path, found)
    listed = manifest.files[path]
    digest, size, rows = sha256(), 0, 0
    tree, rest = Tree() if listed.merkle_root else None, b""
    for chunk in _chunks(folder, path):
        digest.update(chunk)
        size += len(chunk)
        rows += chunk.count(b"\n")
        if tree is not None:
            *lines, rest = (rest + chunk).split(b"\n")
            tree.extend(lines)
    if digest.hexdigest() != listed.sha256:
        raise _Differs(path, f"its SHA-256 is not the one in {MANIFEST if listed.withheld else SUMS}")
    if tree is not None and tree.root() != listed.merkle_root:
        raise _Differs(MANIFEST, f"it gives another Merkle root than the records of {path} have")
    if (size, rows) != (listed.bytes, listed.rows):
        raise _Differs(MANIFEST, f"it counts other bytes or rows than {path} has")


def _check_counts(folder: Path, manifest: Manifest) -> None:
    _check_roots(manifest)
    of_pairs = [PAIRS, *(path for path in OTHER_PAIRS if path in manifest.files)]
    judged = [JUDGEMENTS, *(path for path in OTHER_JUDGEMENTS if path in manifest.files)]
    for paths, count in ((of_pairs, manifest.pairs), (judged, manifest.judgements)):
        if paths[0] not in manifest.files:
            raise _Differs(paths[0], "it is missing")
        rows = sum(manifest.files[path].rows for path in paths)
        if rows != count:
            raise _Differs(MANIFEST, f"it counts {count} where {' and '.join(paths)} has {rows} rows")
    if manifest.accepted != manifest.pairs:
        raise _Differs(MANIFEST, "the funnel accepts another number than there are pairs")
    if manifest.accepted + sum(manifest.rejected.values()) != manifest.candidates:
        raise _Differs(MANIFEST, "the funnel does not add up")
    if not manifest.is_explained:
        raise _Differs(MANIFEST, "it is outside the limits of its audit and gives no reason")
    if REJECTED in manifest.files:
        _check_rejected(_reasons(folder), manifest)
    if FUNNEL in manifest.files and _document(folder, FUNNEL) != manifest.funnel:
        raise _Differs(FUNNEL, f"it is not the funnel of {MANIFEST}")


def _check_roots(manifest: Manifest) -> None:
    if manifest.merkle_root is None:
        return
    rootless = [
        path for path in manifest.files if path.startswith(RECORDS) and not manifest.files[path].merkle_root
    ]
    if rootless:
        raise _Differs(MANIFEST, f"it gives no Merkle root of {printable(rootless[0])}")
    roots = {path: facts.merkle_root for path, facts in manifest.files.items() if facts.merkle_root}
    if root_of_roots(roots) != manifest.merkle_root:
        raise _Differs(MANIFEST, "its Merkle root is not that of its files")


def _check_rejected(reasons: Counter[str], manifest: Manifest) -> None:
    if manifest.sampled is None:
        if reasons != {reason: count for reason, count in manifest.rejected.items() if count}:
            raise _Differs(REJECTED, "its reasons are not those of the funnel")
        return
    rows, of = manifest.sampled
    if reasons.total() != rows or of != sum(manifest.rejected.values()):
        raise _Differs(REJECTED, f"it is not the sample that {MANIFEST} says it is")
    if any(count > manifest.rejected.get(reason, 0) for reason, count in reasons.items()):
        raise _Differs(REJECTED, "a reason occurs more often than the funnel has it")


def _reasons(folder: Path) -> Counter[str]:
    """How often each reason occurs. It is the last value of a row, so rows need not be parsed."""
    reasons: Counter[bytes] = Counter()
    rest = b""
    for chunk in _chunks(folder, REJECTED):
        *lines, rest = (rest + chunk).split(b"\n")
        reasons.update(line.rpartition(b":")[2] for line in lines)
    return Counter({reason.strip(b'"}').decode(errors="replace"): count for reason, count in reasons.items()})


def _document(folder: Path, path: str) -> object:
    try:
        return json.loads(_whole(folder, path))
    except (ValueError, RecursionError) as error:
        raise _Differs(path, "it is not JSON") from error

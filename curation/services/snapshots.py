"""The judgements of one instant, kept as bytes, so that a run can be repeated after the project has moved on.

A snapshot is a list of parts, one for each bucket of prompts (domain/shards/buckets.py) that has responses; its digest
is that of the list, which holds those of the parts. Snapshots of earlier versions hold everything themselves.
"""

import gzip
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import IO

import orjson
from django.conf import settings
from django.db import transaction

from annotation.domain.material import ResponseRow
from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import Project, Response
from annotation.services import seals
from curation.domain.release.ranked import GivenRanking, RankedPrompt
from curation.domain.shards.buckets import BUCKETS, bucket_of
from curation.models import Snapshot, SnapshotPart
from curation.queries import graded
from curation.queries import material as stored
from curation.queries.material import LiveScore

HELD = 2**23  # bytes of lines in memory before they are set aside on disk


@dataclass(frozen=True)
class Material:
    """A snapshot unfolded, or a part of one."""

    responses: tuple[ResponseRow, ...]
    scores: tuple[LiveScore, ...]
    removed: int
    ranked: tuple[RankedPrompt, ...] = ()  # where all of it is unfolded

    @property
    def rubric_versions(self) -> tuple[int, ...]:
        return tuple(sorted({score.rubric_version for score in self.scores}))


# --- taking ----------------------------------------------------------------------------------------------


@transaction.atomic
def take(project: Project, *, now: datetime) -> Snapshot:
    """The snapshot of this instant; an unchanged project gives the one it has. Of the rows, those of one bucket are in
    memory at a time."""
    seals.note_snapshot(project, now=now)
    settings.RUNS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.RUNS_DIR) as file:
        found = _Buckets(file)
        # Judgements first: a text that came later has none here, and scores of one that was removed since are left out.
        for prompt, score in stored.each_live_score(project):
            found.put(bucket_of(prompt), asdict(score))
        for ranked in graded.ranked(project):
            found.put(bucket_of(ranked.prompt_id), _told(ranked))
        removed = 0
        for state, row in stored.each_response(project):
            if state == Response.State.ACTIVE:
                text = {"response": row.id, "prompt": row.prompt_id, "sha256": _digest(row)}
                found.put(bucket_of(row.prompt_id), text)
            removed += state == Response.State.REMOVED
        return _kept(project, found, removed, now=now)


def _kept(project: Project, found: "_Buckets", removed: int, *, now: datetime) -> Snapshot:
    lines: list[dict[str, object]] = [{"removed": removed}]
    n_responses = n_scores = 0
    for bucket, texts, scores, ranked in found.all():
        if texts:
            content = _as_lines([*texts, *scores, *ranked])
            lines.append({"bucket": bucket, "sha256": sha256(content).hexdigest()})
            n_responses += len(texts)
            n_scores += len(scores)
    content = _as_lines(lines)
    snapshot, is_new = Snapshot.objects.get_or_create(
        project=project,
        digest=sha256(content).hexdigest(),
        defaults={
            "content": gzip.compress(content, mtime=0),
            "n_responses": n_responses,
            "n_scores": n_scores,
            "taken_at": now,
        },
    )
    for bucket, texts, scores, ranked in found.all() if is_new else ():
        if texts:
            content = _as_lines([*texts, *scores, *ranked])
            SnapshotPart.objects.create(
                snapshot=snapshot,
                bucket=bucket,
                digest=sha256(content).hexdigest(),
                content=gzip.compress(content, mtime=0),
            )
    return snapshot


def _as_lines(rows: Iterable[object]) -> bytes:
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


class _Buckets:
    """Rows set aside in a file until all of one bucket are there."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.waiting: dict[int, list[bytes]] = defaultdict(list)
        self.held = 0
        self.places: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def put(self, bucket: int, row: dict) -> None:
        line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        self.waiting[bucket].append(line)
        self.held += len(line)
        if self.held > HELD:
            self._set_aside()

    def _set_aside(self) -> None:
        for bucket, lines in self.waiting.items():
            content = b"".join(lines)
            self.places[bucket].append((self.file.seek(0, 2), len(content)))
            self.file.write(content)
        self.waiting.clear()
        self.held = 0

    def all(self) -> Iterator[tuple[int, list[dict], list[dict], list[dict]]]:
        """Of every bucket its responses, their scores, and what was ranked, each in the order of their ids' bytes."""
        self._set_aside()
        for bucket in range(BUCKETS):
            rows = [orjson.loads(line) for line in self._lines(bucket)]
            texts = sorted((row for row in rows if "sha256" in row), key=lambda row: row["response"].encode())
            standing = {row["response"] for row in texts}
            scores = [row for row in rows if row.get("response_id") in standing]
            ranked = sorted((row for row in rows if "ranked" in row), key=lambda row: row["ranked"].encode())
            yield bucket, texts, sorted(scores, key=_place), ranked

    def _lines(self, bucket: int) -> Iterator[bytes]:
        for start, size in self.places.get(bucket, ()):
            self.file.seek(start)
            yield from self.file.read(size).splitlines()


def _place(score: dict) -> tuple[bytes, bytes]:
    return score["response_id"].encode(), score["annotator"].encode()


# --- reading ---------------------------------------------------------------------------------------------


def load(snapshot: Snapshot) -> Material:
    """All of it, in the order of the ids' bytes. DomainError where it or its material is not as it was."""
    content = _opened(snapshot, snapshot.digest)
    head, *rows = [orjson.loads(line) for line in content.splitlines()]
    for part in _parts(snapshot, rows):
        rows += part
    texts = stored.response_rows(snapshot.project)
    responses = (_text(row, texts) for row in rows if "response" in row)
    scores = (_score(row) for row in rows if "score" in row)
    return Material(
        responses=tuple(sorted(responses, key=lambda row: row.id)),
        scores=tuple(sorted(scores, key=lambda score: (score.response_id, score.annotator))),
        removed=head["removed"],
        ranked=tuple(_ranked(row) for row in rows if "ranked" in row),
    )


def removed(snapshot: Snapshot) -> int:
    """How many responses were removed then."""
    head = _opened(snapshot, snapshot.digest).splitlines()[0]
    return orjson.loads(head)["removed"]


def load_part(part: SnapshotPart) -> Material:
    """What curation reads of one bucket."""
    rows = _rows(part)
    ids = [row["response"] for row in rows if "response" in row]
    texts = stored.response_rows(part.snapshot.project, ids)
    return Material(
        responses=tuple(_text(row, texts) for row in rows if "response" in row),
        scores=tuple(_score(row) for row in rows if "score" in row),
        removed=0,
    )


def load_prompts(snapshot: Snapshot, prompts: Collection[str]) -> Material:
    """What curation reads of these prompts alone."""
    rows = list(_rows_of(snapshot, prompts))
    ids = [row["response"] for row in rows if "response" in row]
    texts = stored.response_rows(snapshot.project, ids)
    standing = {*ids}
    return Material(
        responses=tuple(_text(row, texts) for row in rows if "response" in row),
        scores=tuple(_score(row) for row in rows if row.get("response_id") in standing),
        removed=0,
    )


def responses_of(snapshot: Snapshot, prompts: Collection[str]) -> set[str]:
    """The ids of the responses to these prompts that were material then."""
    return {row["response"] for row in _rows_of(snapshot, prompts) if "response" in row}


def _rows_of(snapshot: Snapshot, prompts: Collection[str]) -> Iterator[dict]:
    """Of these prompts the responses, and scores that may be of others too."""
    _head, *rows = [orjson.loads(line) for line in _opened(snapshot, snapshot.digest).splitlines()]
    buckets = {bucket_of(prompt) for prompt in prompts}
    for part in (rows, *_parts(snapshot, [row for row in rows if row.get("bucket") in buckets])):
        for row in part:
            if "score" in row or row.get("prompt") in prompts:
                yield row


def scores_by_prompt(snapshot: Snapshot) -> Iterator[tuple[str, LiveScore]]:
    """Every score with the id of its prompt, part by part."""
    for part in snapshot.parts.all().iterator():
        rows = _rows(part)
        prompts = {row["response"]: row["prompt"] for row in rows if "response" in row}
        for row in rows:
            if "score" in row:
                yield prompts[row["response_id"]], _score(row)


def _parts(snapshot: Snapshot, listed: list[dict]) -> Iterator[list[dict]]:
    wanted = {row["bucket"]: row["sha256"] for row in listed if "bucket" in row}
    found = {part.bucket: part for part in snapshot.parts.all()}
    for bucket, digest in wanted.items():
        if bucket not in found or found[bucket].digest != digest:
            raise _damaged(snapshot)
        yield _rows(found[bucket])


def _rows(part: SnapshotPart) -> list[dict]:
    return [orjson.loads(line) for line in _opened(part, part.digest).splitlines()]


def _opened(kept: Snapshot | SnapshotPart, digest: str) -> bytes:
    content = gzip.decompress(bytes(kept.content))
    if sha256(content).hexdigest() != digest:
        raise _damaged(kept)
    return content


def _damaged(kept: Snapshot | SnapshotPart) -> DomainError:
    reason = say("The snapshot {name} is damaged. Start a new run.", name=kept.digest[:12])
    return DomainError("snapshot_damaged", reason)


def _digest(row: ResponseRow) -> str:
    """Names all of a response and its prompt that curation or a release reads."""
    read = (row.prompt_id, row.text, row.prompt, row.language, row.genre, row.length)
    return sha256(orjson.dumps(read)).hexdigest()


def _text(row: dict[str, str], texts: dict[str, ResponseRow]) -> ResponseRow:
    found = texts.get(row["response"])
    if found is None or _digest(found) != row["sha256"]:
        reason = say(
            "The response {id} or its prompt is no longer as it was. Start a new run.", id=row["response"]
        )
        raise DomainError("material_changed", reason)
    return found


def _score(row: dict) -> LiveScore:
    return LiveScore(**{**row, "at": datetime.fromisoformat(row["at"]) if row["at"] else None})


def _told(prompt: RankedPrompt) -> dict[str, object]:
    given = [{"annotator": row.annotator, "tiers": row.tiers, "at": row.at} for row in prompt.given]
    kept = {name: prompt.kept[name] for name in sorted(prompt.kept)}
    return {"ranked": prompt.prompt_id, "requirements": prompt.requirements, "kept": kept, "given": given}


def _ranked(row: dict) -> RankedPrompt:
    given = [
        GivenRanking(
            each["annotator"],
            tuple(map(tuple, each["tiers"])),
            datetime.fromisoformat(each["at"]) if each["at"] else None,
        )
        for each in row["given"]
    ]
    return RankedPrompt(row["ranked"], row["requirements"], row["kept"], given)

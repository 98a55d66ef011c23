"""The judgements of one instant, kept as bytes, so that a run can be repeated after the project has moved on."""

import gzip
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256

import orjson
from django.db import transaction

from annotation.domain.material import ResponseRow
from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import Project
from annotation.services import seals
from curation.models import Snapshot
from curation.queries import material as stored
from curation.queries.material import LiveScore


@dataclass(frozen=True)
class Material:
    """A snapshot unfolded."""

    responses: tuple[ResponseRow, ...]
    scores: tuple[LiveScore, ...]
    removed: int

    @property
    def rubric_versions(self) -> tuple[int, ...]:
        return tuple(sorted({score.rubric_version for score in self.scores}))


@transaction.atomic
def take(project: Project, *, now: datetime) -> Snapshot:
    """The snapshot of this instant; an unchanged project gives the one it has."""
    seals.note_snapshot(project, now=now)
    # Scores first: a text that came later has none here, and scores of one that was removed since are left out.
    found = stored.live_scores(project)
    texts, removed = stored.standing_responses(project)
    scores = [score for score in found if score.response_id in texts]
    content = b"".join(
        orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        for row in (
            {"removed": removed},
            *({"response": key, "sha256": _digest(texts[key])} for key in sorted(texts, key=str.encode)),
            *(asdict(score) for score in sorted(scores, key=_place)),
        )
    )
    snapshot, _ = Snapshot.objects.get_or_create(
        project=project,
        digest=sha256(content).hexdigest(),
        defaults={
            "content": gzip.compress(content, mtime=0),
            "n_responses": len(texts),
            "n_scores": len(scores),
            "taken_at": now,
        },
    )
    return snapshot


def _place(score: LiveScore) -> tuple[bytes, bytes]:
    return score.response_id.encode(), score.annotator.encode()


def load(snapshot: Snapshot) -> Material:
    content = gzip.decompress(bytes(snapshot.content))
    if sha256(content).hexdigest() != snapshot.digest:
        reason = say("The snapshot {name} is damaged. Start a new run.", name=snapshot.digest[:12])
        raise DomainError("snapshot_damaged", reason)
    head, *rows = [orjson.loads(line) for line in content.splitlines()]
    texts = stored.response_rows(snapshot.project)
    responses = tuple(_text(row, texts) for row in rows if "sha256" in row)
    scores = tuple(_score(row) for row in rows if "score" in row)
    return Material(responses=responses, scores=scores, removed=head["removed"])


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

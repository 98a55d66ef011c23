"""Rows of files into a project: examined as a whole first, then stored in chunks; a second time without effect.

Three strolls over the rows, whatever brings them: `examine` looks at each alone and against the others,
`weigh` at what is stored of its scores, `store` writes. Memory holds some 200 bytes a row and one chunk.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction

from annotation.domain.ledger import Ledger, folded
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError, Record
from annotation.domain.reports import ImportReport
from annotation.domain.scoring import ScoreRow
from annotation.domain.sentences import say
from annotation.errors import DomainError
from annotation.models import Import, Project, Response, User
from annotation.services import journal, seals
from annotation.services.intake_material import MaterialIntake, content_of, findings
from annotation.services.intake_scores import Fresh, Key, ScoreIntake

IMPORTER_VERSION = 1
CHUNK = 500
MAX_ROWS = 1_000_000
# Texts that a mere check runs the triage checks on; they take milliseconds each.
TRIAGED_IN_A_CHECK = 20_000

REFUSED, NEW, KNOWN = 0, 1, 2  # what became of a row's response


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says, with the records that know the places of its values."""

    record: Record
    response: ResponseRow | None = None
    scores: tuple[tuple[ScoreRow, Record], ...] = ()

    @property
    def place(self) -> str:
        return f"{self.record.source}, {self.record.unit} {self.record.line}"[:300]


Rows = Callable[[], Iterator[Row | InputError]]
Progress = Callable[[int], None]


class Intake:
    """One import. `rows` gives the same rows each time it is called; a row that cannot be read is its error."""

    def __init__(
        self,
        project: Project,
        rows: Rows,
        *,
        of: Import,
        genres: str = "refuse",
        now: datetime,
        progress: Progress = lambda rows: None,
    ) -> None:
        self.project = project
        self.rows = rows
        self.progress = progress
        self.report = ImportReport()
        self.errors: list[InputError] = []  # the first few, for callers that raise them
        self.material = MaterialIntake(project, "", now, of=of, genres=genres)
        self.judgements = ScoreIntake(project, "", now, of=of, keep_names=of.keep_names)
        self.example = ""  # an id of the project, for a sentence about one that is not
        self.stored = Ledger()
        for name in project.responses.exclude(source=of.pk).values_list("external_id", flat=True).iterator():
            self.stored.meet(name)
            self.example = self.example or name
        self.met = Ledger()
        self.met_prompts = Ledger()
        for name in project.prompts.exclude(source=of.pk).values_list("external_id", flat=True).iterator():
            self.met_prompts.meet(name)
        self.acts = Ledger()
        self.several: set[Key] = set()  # judgements with more than one act in the files
        self.annotators: dict[str, str] = {}  # as first written, by folded name
        self.refused_responses: set[str] = set()
        self.became = bytearray()  # by row

    # --- First: each row alone, and against the others ---

    def examine(self, *, triaged: int = 0) -> None:
        """Find every row that cannot be taken. `triaged`: how many texts to run the triage checks on."""
        for chunk in _chunks(self.rows()):
            self._limit(len(chunk))
            good = [row for row in chunk if isinstance(row, Row) and row.response]
            self.material.look_up([row.response for row in good if row.response])
            for row in chunk:
                self.became.append(self._examine(row, triaged))
            self.report.rows += len(chunk)
            self.progress(self.report.rows)
        self.report.unknown_genres = list(self.material.missed_genres.values())[:100]
        if self.material.unknown_genres == "add":
            self.report.genres = len(self.material.missed_genres)
        self.report.annotators = sum(
            1 for name in self.annotators.values() if self.judgements.member(name) is None
        )

    def _limit(self, more: int) -> None:
        if self.report.rows + more > MAX_ROWS:
            raise InputError(
                say("the files hold more than {most} rows; import them in parts", most=f"{MAX_ROWS:,}")
            )

    def _examine(self, row: Row | InputError, triaged: int) -> int:
        try:
            if isinstance(row, InputError):
                raise row
            # A row is taken whole or not at all, so its scores are looked at before its response is noted.
            own = row.response.id if row.response else ""
            for score, record in row.scores:
                self._check_score(score, record, own)
            became = self._examine_response(row, row.response, triaged) if row.response else KNOWN
            for score, _record in row.scores:
                self._note_score(score)
        except InputError as error:
            self._refuse(error)
            return REFUSED
        return became

    def _refuse(self, error: InputError) -> None:
        self.report.refuse(error)
        if len(self.errors) < 10:
            self.errors.append(error)

    def _examine_response(self, row: Row, response: ResponseRow, triaged: int) -> int:
        try:
            return self._compare(row, response, triaged)
        except InputError as error:
            self.refused_responses.add(response.id)
            raise _placed(error, row.record) from error

    def _compare(self, row: Row, response: ResponseRow, triaged: int) -> int:
        self._refuse_lookalike(self.stored, response.id, "id")
        self._refuse_lookalike(self.met_prompts, response.prompt_id, "prompt_id")
        is_new_prompt = response.prompt_id not in self.material.prompts
        is_new = self.material.is_new(response)
        self.met_prompts.meet(response.prompt_id, line=row.record.line)
        self.report.prompts += is_new_prompt
        content = content_of(response)
        met = self.met.find(response.id, content)
        if met is not None:
            self._refuse_lookalike(self.met, response.id, "id")
            if not met.same_content:
                raise row.record.error(
                    "id",
                    say(
                        "the response '{id}' stands on line {line} with another content; "
                        "give one of them another id or delete it",
                        id=response.id,
                        line=met.line,
                    ),
                )
            self.report.unchanged += not row.scores
            return KNOWN
        self.met.meet(response.id, content, line=row.record.line)
        if not is_new:
            self.report.unchanged += not row.scores
            return KNOWN
        if self.report.responses < triaged:
            self.report.flags.update(finding.check for finding in findings(response))
        self.report.responses += 1
        return NEW

    def _refuse_lookalike(self, known: Ledger, name: str, column: str) -> None:
        found = known.find(name)
        if found is None or found.same_name:
            return
        if found.line:
            reason = say(
                "'{name}' differs only in case or Unicode form from an id on line {line}; write both the same, "
                "or tell them apart",
                name=name,
                line=found.line,
            )
        else:
            reason = say(
                "'{name}' differs only in case or Unicode form from an id that is stored; write both the same, "
                "or tell them apart",
                name=name,
            )
        raise InputError(reason, column=column)

    def _check_score(self, score: ScoreRow, record: Record, own: str) -> None:
        """`own` is the id of the response in the same row."""
        known = self.met.has(score.response_id) and score.response_id not in self.refused_responses
        if score.response_id != own and not known and not self.stored.has(score.response_id):
            raise record.error("response_id", self._no_response(score.response_id))
        first = self.annotators.get(folded(score.annotator)) or self.judgements.stored_name(score.annotator)
        if first and first != score.annotator:
            raise record.error(
                "annotator",
                say(
                    "'{name}' differs only in case or Unicode form from '{other}'; write both the same",
                    name=score.annotator,
                    other=first,
                ),
            )

    def _no_response(self, name: str) -> str:
        if not self.example:
            return say("there is no response '{id}'; import its text first, or leave the row out", id=name)
        return say(
            "there is no response '{id}'; import its text first, or leave the row out. "
            "Ids of the project look like '{example}'",
            id=name,
            example=self.example,
        )

    def _note_score(self, score: ScoreRow) -> None:
        self.annotators.setdefault(folded(score.annotator), score.annotator)
        key = (score.response_id, score.annotator)
        if self.acts.meet("\0".join(key)) is not None:
            self.several.add(key)

    # --- Then: scores against what is stored, and all of it into the database ---

    def weigh(self) -> None:
        """Find scores that contradict stored ones or each other, and count the new ones."""
        if self.acts and self.judgements.work is None and not self.project.rubrics.exists():
            raise DomainError(
                "no_rubric", "This project has no rubric. Write one before scores are imported."
            )
        for fresh, _places in self._weighed(self.rows, count=True):
            self.report.scores += sum(1 for one in fresh if not one.before)
            self.report.revisions += sum(len(one.acts) - (not one.before) for one in fresh)

    def store(self) -> None:
        """Write what was found to be new; each chunk is a transaction of its own. After examine and weigh."""
        number = 0
        for chunk in _chunks(self.rows()):
            new = [
                (row.response, row.place)
                for place, row in enumerate(chunk, start=number)
                if isinstance(row, Row) and row.response and self.became[place] == NEW
            ]
            number += len(chunk)
            with transaction.atomic():
                seals.hold(self.project)
                self.progress(number)  # refuses where another attempt has taken over
                self.material.store(new)
        for fresh, places in self._weighed(self.rows, count=False):
            with transaction.atomic():
                seals.hold(self.project)
                self.progress(number)
                # An annotator joins with a first score, so that nobody is left behind without one.
                self.judgements.join(one.key[1] for one in fresh)
                self.judgements.store(fresh, places)

    def _weighed(self, rows: Rows, *, count: bool) -> Iterator[tuple[list[Fresh], dict[int, str]]]:
        """Chunk by chunk what is new of the scores, and the places of the acts by their identity."""
        if not self.acts:
            return
        several: dict[Key, list[tuple[ScoreRow, Record]]] = {}
        number = 0
        for chunk in _chunks(rows()):
            single: dict[Key, list[tuple[ScoreRow, Record]]] = {}
            for place, row in enumerate(chunk, start=number):
                if not isinstance(row, Row) or self.became[place] == REFUSED:
                    continue
                for score, record in row.scores:
                    key = (score.response_id, score.annotator)
                    (several if key in self.several else single).setdefault(key, []).append((score, record))
            number += len(chunk)
            yield self._sorted_out(single, count=count)
        for keys in _parts(list(several)):
            yield self._sorted_out({key: several[key] for key in keys}, count=count)

    def _sorted_out(
        self, judgements: dict[Key, list[tuple[ScoreRow, Record]]], *, count: bool
    ) -> tuple[list[Fresh], dict[int, str]]:
        self.judgements.look_up(judgements)
        found: list[Fresh] = []
        places: dict[int, str] = {}
        for key, acts in sorted(judgements.items()):
            try:
                fresh = self.judgements.sort_out(key, [score for score, _ in acts])
            except InputError as error:
                # Which of the acts is right is not known, so none is taken; the one that is blamed comes first.
                if count:
                    blamed = [act for act in acts if act[0].line == error.line]
                    for _score, record in [*blamed, *(act for act in acts if act not in blamed)]:
                        self._refuse(_placed(error, record))
                continue
            new = fresh.acts if fresh else ()
            if count:
                self.report.unchanged += len(acts) - len(new)
            if fresh:
                found.append(fresh)
                places.update({id(s): f"{r.source}, {r.unit} {r.line}"[:300] for s, r in acts})
        return found, places


def _placed(error: InputError, record: Record) -> InputError:
    """The error with the place and the column's name as the file has them."""
    return record.error(error.column, error.reason)


def _chunks(rows: Iterator[Row | InputError]) -> Iterator[list[Row | InputError]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _parts(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))


def conclude(brought: Import, report: ImportReport, *, by: User | None, now: datetime) -> None:
    """Make what was stored count, in the caller's transaction."""
    seals.hold(brought.project)
    stored = Import.objects.filter(pk=brought.pk, state=Import.State.STORING)
    if stored.update(state=Import.State.STORED, stored_at=now) != 1:
        raise DomainError("not_storing", "This import is not being stored.")
    Response.objects.filter(source=brought.pk, state=Response.State.INCOMING).update(
        state=Response.State.ACTIVE
    )
    brought.refresh_from_db()
    counts = {key: value for key, value in report.as_dict().items() if isinstance(value, int)}
    files = [{"name": file["name"], "sha256": file["sha256"]} for file in brought.files]
    journal.record(
        "import.stored", by=by, at=now, project=brought.project, subject=brought.pk, files=files, **counts
    )

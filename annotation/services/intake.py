"""Rows of files into a project: examined as a whole first, then stored in chunks; a second time without effect.

Three strolls over the rows, whatever brings them: `examine` looks at each alone and against the others,
`weigh` at what is stored of its scores and votes, `store` writes. Memory holds some 200 bytes a row and one chunk; acts
of one judgement that stand far apart wait for each other on disk.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain import voting
from annotation.domain.ledger import Ledger, folded
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError, Record
from annotation.domain.reports import ImportReport
from annotation.domain.scoring import ScoreRow
from annotation.domain.sentences import say
from annotation.domain.spill import Act
from annotation.errors import DomainError
from annotation.models import Import, Project, Response, User
from annotation.services import journal, seals
from annotation.services.intake_acts import Acts
from annotation.services.intake_material import MaterialIntake, content_of, findings
from annotation.services.intake_preferences import PreferenceIntake
from annotation.services.intake_scores import ScoreIntake

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
    scores: tuple[Act, ...] = ()
    votes: tuple[Act, ...] = ()
    about: tuple[ResponseRow, ...] = ()  # what the vote compares, where the texts come with it

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
        self.scores = Acts(self.judgements)
        self.votes = Acts(PreferenceIntake(project, now, of=of, people=self.judgements))
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
                self._check_response(score.response_id, "response_id", record, own)
                self._check_annotator(score, record)
            for vote, record in row.votes:
                self._check_pair(vote, record, row.about)
                self._check_annotator(vote, record)
            became = self._examine_response(row, row.response, triaged) if row.response else KNOWN
            for score, _record in row.scores:
                self._note(self.scores, score)
            for vote, _record in row.votes:
                self._note(self.votes, vote)
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

    def _check_response(self, name: str, column: str, record: Record, own: str) -> None:
        """Refuse what is said of a response that is not there; `own` is that of the same row."""
        known = self.met.has(name) and name not in self.refused_responses
        if name != own and not known and not self.stored.has(name):
            raise record.error(column, self._no_response(name))

    def _check_pair(self, vote: ScoreRow, record: Record, about: Sequence[ResponseRow]) -> None:
        sides = ("first", "second")
        for name, column in zip(voting.pair_of(vote), () if about else sides, strict=False):
            self._check_response(name, column, record, "")
        for compared, column in zip(about, sides, strict=False):
            met = self.met.find(compared.id, content_of(compared))
            if met is None or not met.same_content:
                reason = say(
                    "'{id}' stands elsewhere with another text, and the vote is about the one here",
                    id=compared.id,
                )
                raise record.error(column, reason)

    def _check_annotator(self, score: ScoreRow, record: Record) -> None:
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

    def _note(self, acts: Acts, act: ScoreRow) -> None:
        self.annotators.setdefault(folded(act.annotator), act.annotator)
        acts.note(act)

    # --- Then: scores against what is stored, and all of it into the database ---

    def weigh(self) -> None:
        """Find scores that contradict stored ones or each other, and count the new ones."""
        if self.scores.met or self.votes.met:
            self.judgements.rubric()
        for fresh, _places in self.scores.weighed(self._acts(lambda row: row.scores), refuse=self._refuse):
            self.report.scores += sum(1 for one in fresh if not one.before)
            self.report.revisions += sum(len(one.acts) - (not one.before) for one in fresh)
        for fresh, _places in self.votes.weighed(self._acts(lambda row: row.votes), refuse=self._refuse):
            self.report.preferences += sum(len(one.acts) for one in fresh)
        self.report.unchanged += self.scores.unchanged + self.votes.unchanged

    def store(self) -> None:
        """Write what was found to be new; each chunk is a transaction of its own. After examine and weigh."""
        if NEW in self.became:
            self._store_material()
        self._store_acts(self.scores, lambda row: row.scores)
        self._store_acts(self.votes, lambda row: row.votes)

    def _store_material(self) -> None:
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

    def _store_acts(self, acts: Acts, of: Callable[[Row], Sequence[Act]]) -> None:
        for fresh, places in acts.weighed(self._acts(of), refuse=lambda error: None):
            with transaction.atomic():
                seals.hold(self.project)
                self.progress(self.report.rows)
                # An annotator joins with a first score or vote, so that nobody is left behind without one.
                self.judgements.join(one.key[1] for one in fresh)
                acts.target.store(fresh, places)

    def _acts(self, of: Callable[[Row], Sequence[Act]]) -> Iterator[list[Act]]:
        """Chunk by chunk the acts of the rows that were not refused."""
        number = 0
        for chunk in _chunks(self.rows()):
            taken = enumerate(chunk, start=number)
            yield [
                act
                for place, row in taken
                if isinstance(row, Row) and self.became[place] != REFUSED
                for act in of(row)
            ]
            number += len(chunk)


def _placed(error: InputError, record: Record) -> InputError:
    """The error with the place and the column's name as the file has them."""
    return record.error(error.column, error.reason)


def _chunks(rows: Iterator[Row | InputError]) -> Iterator[list[Row | InputError]]:
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def conclude(brought: Import, report: ImportReport, *, by: User | None, now: datetime) -> None:
    """Make what was stored count, in the caller's transaction."""
    seals.hold(brought.project)
    stored = Import.objects.filter(pk=brought.pk, state=Import.State.STORING)
    if stored.update(state=Import.State.STORED, stored_at=now) != 1:
        raise DomainError("not_storing", _("This import is not being stored."))
    Response.objects.filter(source=brought.pk, state=Response.State.INCOMING).update(
        state=Response.State.ACTIVE
    )
    brought.refresh_from_db()
    counts = {key: value for key, value in report.as_dict().items() if isinstance(value, int)}
    if not report.preferences:
        del counts["preferences"]
    files = [{"name": file["name"], "sha256": file["sha256"]} for file in brought.files]
    journal.record(
        "import.stored", by=by, at=now, project=brought.project, subject=brought.pk, files=files, **counts
    )

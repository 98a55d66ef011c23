"""Scores of one file: people, slots and append-only scores in a round that is closed to everybody else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.hashers import make_password

from annotation.domain.records import InputError
from annotation.domain.scoring import ScoreRow, by_judgement, in_order
from annotation.errors import DomainError
from annotation.models import Assignment, Membership, Project, Round, Score, User
from annotation.services.membership import free_pseudonyms

CHUNK = 500
ROUND = "Imported scores"

Key = tuple[int, int]  # primary keys of response and annotator


@dataclass(frozen=True)
class Stored:
    """How many were new: annotators, first scores, and later scores that replace an earlier one."""

    annotators: int = 0
    scores: int = 0
    revisions: int = 0


class ScoreIntake:
    """One import of scores, with what the project holds already loaded in a few queries."""

    def __init__(self, project: Project, source: str, now: datetime) -> None:
        self.project = project
        self.source = source
        self.now = now

    def add(self, rows: Sequence[ScoreRow], responses: Mapping[str, int]) -> Stored:
        """Store what is new in `rows`; `responses` gives the primary key of each response by its id."""
        if not rows:
            return Stored()
        annotators, joined = self._annotators({row.annotator for row in rows})
        work = self._round()
        history = _history(work)
        fresh: list[tuple[Key, int, list[ScoreRow]]] = []
        for (response, annotator), acts in sorted(by_judgement(rows).items()):
            key = responses[response], annotators[annotator]
            before = [ScoreRow(response, annotator, value, at) for value, at in history.get(key, ())]
            new = self._new(before, acts)
            if new:
                fresh.append((key, len(before), new))
        self._store(work, fresh)
        firsts = sum(1 for _, before, _ in fresh if not before)
        return Stored(joined, firsts, sum(len(new) for _, _, new in fresh) - firsts)

    def _new(self, before: list[ScoreRow], acts: list[ScoreRow]) -> list[ScoreRow]:
        """Of one annotator's acts on one response those that come after what is stored and differ from it."""
        ordered = in_order([*before, *acts], source=self.source)
        known, new = ordered[: len(before)], ordered[len(before) :]
        if not before:
            return new
        last = before[-1].at
        early = [row for row in new if row.at <= last]
        if [row.score for row in known] != [row.score for row in before]:
            early = [row for row in ordered if row.line]
        if early:
            raise self._too_early(early[0])
        return new

    def _too_early(self, row: ScoreRow) -> InputError:
        return InputError(
            f"'{row.annotator}' has a later score for '{row.response_id}' stored already; "
            "an earlier one cannot be put before it, so leave this row out",
            line=row.line,
            column="at",
            source=self.source,
        )

    def _store(self, work: Round, fresh: Sequence[tuple[Key, int, list[ScoreRow]]]) -> None:
        slots = _Slots(work)
        for start in range(0, len(fresh), CHUNK):
            chunk = fresh[start : start + CHUNK]
            slots.take(key for key, _, _ in chunk)
            Score.objects.bulk_create(
                Score(
                    round=work,
                    response_id=key[0],
                    annotator_id=key[1],
                    assignment_id=slots.taken[key],
                    rubric_id=work.rubric_id,
                    revision=revision,
                    value=row.score,
                    justification=row.justification,
                    at=row.at,
                    recorded_at=self.now,
                )
                for key, before, new in chunk
                for revision, row in enumerate(new, start=before + 1)
            )

    def _round(self) -> Round:
        """The round that holds what came from files. Locked: nobody scores in it, its scores count."""
        found = self.project.rounds.filter(name=ROUND).first()
        if found is not None and found.purpose != Round.Purpose.LIVE:
            raise DomainError(
                "round_exists", f"The round '{ROUND}' of this project is not a live one. Rename it first."
            )
        return found or self._new_round()

    def _new_round(self) -> Round:
        rubric = self.project.rubrics.order_by("-version").first()
        if rubric is None:
            raise DomainError(
                "no_rubric", "This project has no rubric. Write one before scores are imported."
            )
        return Round.objects.create(
            project=self.project,
            name=ROUND,
            purpose=Round.Purpose.LIVE,
            state=Round.State.LOCKED,
            rubric=rubric,
            created_at=self.now,
            opened_at=self.now,
            locked_at=self.now,
        )

    def _annotators(self, names: set[str]) -> tuple[dict[str, int], int]:
        """(primary key of the membership by the file's name for the annotator, how many of them are new)."""
        members = {one.external_id: one for one in self.project.memberships.exclude(external_id="")}
        for name in sorted(names & members.keys()):
            if members[name].role != Membership.Role.ANNOTATOR:
                raise DomainError(
                    "not_an_annotator", f"'{name}' takes part in this project, but not as an annotator."
                )
        new = sorted(names - members.keys())
        for member in self._join(new):
            members[member.external_id] = member
        return {name: members[name].pk for name in names}, len(new)

    def _join(self, names: Sequence[str]) -> list[Membership]:
        """Accounts that nobody can sign in to, since the file says nothing of the people but a name."""
        pseudonyms = free_pseudonyms(self.project, len(names))
        users = User.objects.bulk_create(
            User(username=f"{self.project.slug}.{alias}", password=make_password(None), date_joined=self.now)
            for alias in pseudonyms
        )
        return Membership.objects.bulk_create(
            Membership(
                project=self.project,
                user=user,
                role=Membership.Role.ANNOTATOR,
                pseudonym=alias,
                external_id=name,
                joined_at=self.now,
            )
            for user, alias, name in zip(users, pseudonyms, names, strict=True)
        )


class _Slots:
    """The slots of a round by response and annotator; every judgement has one, and it is done."""

    def __init__(self, work: Round) -> None:
        self.work = work
        self.taken: dict[Key, int] = {}
        self.last: dict[int, int] = {}
        rows = work.assignments.values_list("pk", "response_id", "annotator_id", "slot")
        for pk, response, annotator, slot in rows.iterator():
            self.taken[response, annotator] = pk
            self.last[response] = max(slot, self.last.get(response, 0))

    def take(self, keys: Iterable[Key]) -> None:
        missing = [key for key in keys if key not in self.taken]
        new = Assignment.objects.bulk_create(self._next(*key) for key in missing)
        self.taken.update(zip(missing, (one.pk for one in new), strict=True))

    def _next(self, response: int, annotator: int) -> Assignment:
        self.last[response] = slot = self.last.get(response, 0) + 1
        return Assignment(
            round=self.work,
            response_id=response,
            annotator_id=annotator,
            slot=slot,
            state=Assignment.State.DONE,
        )


def _history(work: Round) -> dict[Key, list[tuple[int, datetime | None]]]:
    """(score, time) of every revision, in their order."""
    history: dict[Key, list[tuple[int, datetime | None]]] = {}
    rows = work.scores.order_by("revision").values_list("response_id", "annotator_id", "value", "at")
    for response, annotator, value, at in rows.iterator():
        history.setdefault((response, annotator), []).append((value, at))
    return history

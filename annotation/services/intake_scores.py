"""Scores from files: people, slots and append-only scores in a round that is closed to everybody else."""

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.domain.ledger import folded
from annotation.domain.scoring import ScoreRow, additions
from annotation.domain.sentences import say
from annotation.domain.spill import Key
from annotation.errors import DomainError
from annotation.models import Assignment, Import, Membership, Project, Round, Rubric, Score, User
from annotation.queries.rounds import IMPORTED
from annotation.services import slots
from annotation.services.intake_acts import Fresh
from annotation.services.membership import free_pseudonyms

CHUNK = 500

Place = tuple[int, int]  # primary keys of response and annotator
Stored = tuple[int, datetime | None, str]  # score, time and justification


class ScoreIntake:
    """One import of scores. All acts of one judgement come in one chunk: look up, sort out, store."""

    def __init__(
        self,
        project: Project,
        source: str,
        now: datetime,
        *,
        of: Import | None = None,
        keep_names: bool = True,
    ) -> None:
        self.project = project
        self.source = source
        self.now = now
        self.of = of
        self.keep_names = keep_names
        self.work = project.rounds.filter(name=IMPORTED).first()
        if self.work is not None and self.work.purpose != Round.Purpose.LIVE:
            raise DomainError(
                "round_exists",
                _("The round 'Imported scores' of this project is not a live one. Rename it first."),
            )
        self.members = {one.external_id: one for one in project.memberships.exclude(external_id="")}
        self.names = {folded(name): name for name in self.members if not name.startswith("#")}
        self.responses: dict[str, int] = {}
        self.history: dict[Place, list[Stored]] = {}

    # --- Looking up and sorting out ---

    def look_up(self, keys: Iterable[Key]) -> None:
        """Load what is stored of these judgements, in a few queries."""
        keys = list(keys)
        names = {response for response, _ in keys}
        self.responses = dict(
            self.project.responses.filter(external_id__in=names).values_list("external_id", "pk")
        )
        members = {found.pk for found in map(self.member, {name for _, name in keys}) if found}
        self.history = _history(self.work, self.responses.values(), members) if self.work else {}

    def member(self, name: str) -> Membership | None:
        """The annotator a file calls so; one known by name is found where names are not kept, and the other
        way round."""
        found = self.members.get(name) or self.members.get(self.pseudonym(name))
        if found is not None and found.role != Membership.Role.ANNOTATOR:
            reason = say("'{name}' takes part in this project, but not as an annotator.", name=name)
            raise DomainError("not_an_annotator", reason)
        return found

    def stored_name(self, name: str) -> str:
        """How a name that was kept, and that a reader would take for this one, is written; "" for none."""
        return self.names.get(folded(name), "")

    def pseudonym(self, name: str) -> str:
        """What is kept of a name so that a second import finds the annotator, and nobody reads who it is."""
        if not self.project.pseudonym_key:
            return name
        content = folded(name).encode()
        return "#" + hmac.new(self.project.pseudonym_key.encode(), content, "sha256").hexdigest()

    def sort_out(self, key: Key, acts: Sequence[ScoreRow]) -> Fresh | None:
        """What is new of one annotator's acts on one response; InputError where it cannot be put in order."""
        response, annotator = key
        member = self.member(annotator)
        place = (self.responses.get(response, 0), member.pk if member else 0)
        before = [ScoreRow(response, annotator, *stored) for stored in self.history.get(place, ())]
        new = additions(before, acts, source=self.source)
        return Fresh(key, len(before), new) if new else None

    # --- Storing ---

    def join(self, names: Iterable[str]) -> int:
        """Make those of these annotators who are not there yet; returns how many. In a transaction.

        Nobody can sign in to their accounts, since a file says nothing of the people but a name.
        """
        if not self.keep_names and not self.project.pseudonym_key:
            self.project.pseudonym_key = secrets.token_hex(32)
            self.project.save(update_fields=["pseudonym_key"])
        new = sorted(name for name in set(names) if self.member(name) is None)
        pseudonyms = free_pseudonyms(self.project, len(new))
        users = User.objects.bulk_create(
            User(username=f"{self.project.slug}.{alias}", password=make_password(None), date_joined=self.now)
            for alias in pseudonyms
        )
        joined = Membership.objects.bulk_create(
            Membership(
                project=self.project,
                user=user,
                role=Membership.Role.ANNOTATOR,
                pseudonym=alias,
                external_id=name if self.keep_names else self.pseudonym(name),
                joined_at=self.now,
            )
            for user, alias, name in zip(users, pseudonyms, new, strict=True)
        )
        self.members.update({one.external_id: one for one in joined})
        return len(joined)

    def store(self, fresh: Sequence[Fresh], places: Mapping[int, str]) -> None:
        """Store what was sorted out; `places` says by the identity of each act where it stands. In a transaction,
        after `join` and `look_up`."""
        if not fresh:
            return
        if self.work is None:
            self.work = self._new_round()
        for start in range(0, len(fresh), CHUNK):
            self._store(fresh[start : start + CHUNK], places)

    def _store(self, chunk: Sequence[Fresh], places: Mapping[int, str]) -> None:
        taken = _Slots(self.work, [self._place(one.key) for one in chunk])
        taken.take(self._place(one.key) for one in chunk)
        Score.objects.bulk_create(
            Score(
                round=self.work,
                response_id=self._place(one.key)[0],
                annotator_id=self._place(one.key)[1],
                assignment_id=taken.taken[self._place(one.key)],
                rubric_id=self.work.rubric_id,
                revision=revision,
                value=row.score,
                justification=row.justification,
                at=row.at,
                recorded_at=self.now,
                source=self.of,
                source_place=places.get(id(row), ""),
            )
            for one in chunk
            for revision, row in enumerate(one.acts, start=one.before + 1)
        )

    def _place(self, key: Key) -> Place:
        """Of a judgement whose annotator has joined."""
        response, annotator = key
        member = self.members.get(annotator) or self.members[self.pseudonym(annotator)]
        return self.responses[response], member.pk

    def rubric(self) -> Rubric:
        """The newest, under which what comes from files is put; DomainError where there is none."""
        rubric = self.project.rubrics.order_by("-version").first()
        if rubric is None:
            raise DomainError(
                "no_rubric", _("This project has no rubric. Write one before scores are imported.")
            )
        return rubric

    def _new_round(self) -> Round:
        """The round that holds what came from files. Locked: nobody scores in it, its scores count."""
        return Round.objects.create(
            project=self.project,
            name=IMPORTED,
            purpose=Round.Purpose.LIVE,
            state=Round.State.LOCKED,
            rubric=self.rubric(),
            annotators_per_response=self.project.annotators_per_response,
            created_at=self.now,
            opened_at=self.now,
            locked_at=self.now,
        )


class _Slots:
    """The slots of some responses in a round; every judgement has one, and it is done."""

    def __init__(self, work: Round, places: Iterable[Place]) -> None:
        self.work = work
        responses, annotators = map(set, zip(*places, strict=True))
        rows = work.assignments.filter(response__in=responses)
        self.last: dict[int, int] = dict(rows.values_list("response").annotate(last=Max("slot")))
        own = rows.filter(annotator__in=annotators)
        self.taken: dict[Place, int] = {
            (response, annotator): pk
            for pk, response, annotator in own.values_list("pk", "response_id", "annotator_id")
        }

    def take(self, places: Iterable[Place]) -> None:
        missing = [place for place in places if place not in self.taken]
        prompts = slots.prompts_of({response for response, _annotator in missing})
        new = Assignment.objects.bulk_create(
            self._next(response, prompts[response], annotator) for response, annotator in missing
        )
        self.taken.update(zip(missing, (one.pk for one in new), strict=True))

    def _next(self, response: int, prompt: int, annotator: int) -> Assignment:
        self.last[response] = slot = self.last.get(response, 0) + 1
        return slots.of_response(
            self.work, response, prompt, slot, annotator_id=annotator, state=Assignment.State.DONE
        )


def _history(work: Round, responses: Iterable[int], members: Iterable[int]) -> dict[Place, list[Stored]]:
    """What every revision says, in their order."""
    history: dict[Place, list[Stored]] = {}
    rows = work.scores.filter(response__in=list(responses), annotator__in=list(members)).order_by("revision")
    for response, annotator, *stored in rows.values_list(
        "response_id", "annotator_id", "value", "at", "justification"
    ):
        history.setdefault((response, annotator), []).append(tuple(stored))
    return history

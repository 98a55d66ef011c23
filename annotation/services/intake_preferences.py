"""Votes on pairs from files: append-only preferences in a round of their own, which nothing that reads scores reads."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.domain import voting
from annotation.domain.records import InputError
from annotation.domain.scoring import ScoreRow, additions
from annotation.domain.spill import Key
from annotation.errors import DomainError
from annotation.models import Import, Preference, Project, Round
from annotation.queries.rounds import IMPORTED_PREFERENCES
from annotation.services.intake_acts import Fresh
from annotation.services.intake_scores import ScoreIntake

Place = tuple[int, int, int]  # primary keys of two responses, the smaller first, and of the annotator


class PreferenceIntake:
    """One import of votes. `people` knows the annotators, who join with their first score or vote."""

    def __init__(self, project: Project, now: datetime, *, of: Import, people: ScoreIntake) -> None:
        self.project = project
        self.now = now
        self.of = of
        self.people = people
        self.work = project.rounds.filter(name=IMPORTED_PREFERENCES).first()
        if self.work is not None and self.work.kind != Round.Kind.PAIRS:
            raise DomainError(
                "round_exists",
                _("The round 'Imported preferences' of this project is not one of pairs. Rename it first."),
            )
        self.responses: dict[
            str, tuple[int, int]
        ] = {}  # primary keys of response and prompt, by the response's id
        self.history: dict[Place, list[Preference]] = {}

    # --- Looking up and sorting out ---

    def look_up(self, keys: Iterable[Key]) -> None:
        """Load what is stored of these judgements, in a few queries."""
        keys = list(keys)
        names = {name for pair, _annotator in keys for name in pair.split(voting.JOIN)}
        found = self.project.responses.filter(external_id__in=names)
        self.responses = {
            name: (pk, prompt) for name, pk, prompt in found.values_list("external_id", "pk", "prompt")
        }
        self.history = {}
        if self.work is not None:
            self._load_history({name for _pair, name in keys})

    def _load_history(self, names: Iterable[str]) -> None:
        responses = [pk for pk, _prompt in self.responses.values()]
        stored = self.work.preferences.filter(
            response_a__in=responses,
            response_b__in=responses,
            annotator__in=[found.pk for found in map(self.people.member, names) if found],
        )
        for one in stored.order_by("revision"):
            place = _place(one.response_a_id, one.response_b_id, one.annotator_id)
            self.history.setdefault(place, []).append(one)

    def sort_out(self, key: Key, acts: Sequence[ScoreRow]) -> Fresh | None:
        """What is new of one annotator's votes on one pair; InputError where it cannot be put in order."""
        pair, annotator = key
        before = [self._as_act(one, pair, annotator) for one in self._stored(pair, annotator)]
        try:
            new = additions(before, acts)
        except InputError as error:
            column = {"score": "preferred"}.get(error.column, error.column)
            raise InputError(voting.told(error), line=error.line, column=column) from error
        return Fresh(key, len(before), new) if new else None

    def _stored(self, pair: str, annotator: str) -> list[Preference]:
        member = self.people.member(annotator)
        responses = [self.responses[name][0] for name in pair.split(voting.JOIN) if name in self.responses]
        if member is None or len(responses) != 2:
            return []
        return self.history.get(_place(*responses, member.pk), [])

    def _as_act(self, one: Preference, pair: str, annotator: str) -> ScoreRow:
        first, second = pair.split(voting.JOIN)
        if self.responses[first][0] != one.response_a_id:
            first, second = second, first
        return voting.vote(
            first,
            second,
            annotator=annotator,
            preferred=one.preferred,
            at=one.at,
            justification=one.justification,
        )

    # --- Storing ---

    def store(self, fresh: Sequence[Fresh], places: Mapping[int, str]) -> None:
        """Store what was sorted out; `places` says by the identity of each act where it stands. In a transaction,
        after `look_up`, and after the annotators have joined."""
        if not fresh:
            return
        if self.work is None:
            self.work = self._new_round()
        Preference.objects.bulk_create(
            self._preference(one, revision, act, places)
            for one in fresh
            for revision, act in enumerate(one.acts, start=one.before + 1)
        )

    def _preference(self, one: Fresh, revision: int, act: ScoreRow, places: Mapping[int, str]) -> Preference:
        (first, prompt), (second, other) = (self.responses[name] for name in voting.pair_of(act))
        if prompt != other:
            raise DomainError(
                "two_prompts", _("A vote compares responses to two prompts. Leave its row out of the file.")
            )
        return Preference(
            round=self.work,
            prompt_id=prompt,
            annotator=self.people.member(one.key[1]),
            response_a_id=first,
            response_b_id=second,
            preferred=voting.preferred_of(act),
            revision=revision,
            justification=act.justification,
            at=act.at,
            recorded_at=self.now,
            source=self.of,
            source_place=places.get(id(act), ""),
        )

    def _new_round(self) -> Round:
        """The round that holds what came from files. Locked: nobody votes in it."""
        return Round.objects.create(
            project=self.project,
            name=IMPORTED_PREFERENCES,
            purpose=Round.Purpose.LIVE,
            kind=Round.Kind.PAIRS,
            state=Round.State.LOCKED,
            rubric=self.people.rubric(),
            annotators_per_response=self.project.annotators_per_response,
            created_at=self.now,
            opened_at=self.now,
            locked_at=self.now,
        )


def _place(one: int, other: int, annotator: int) -> Place:
    return min(one, other), max(one, other), annotator

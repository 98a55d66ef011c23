"""A project's judgements as columns, read in bulk: a fixed number of queries, whatever their number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Q, QuerySet
from numpy.typing import NDArray

from annotation.domain.reach import primary
from annotation.models import (
    ConsensusItem,
    Import,
    Membership,
    Project,
    Prompt,
    RankedResponse,
    Ranking,
    Response,
    Round,
    Score,
)
from annotation.queries import consensus
from curation.domain.columns import UNKNOWN, Columns, Names, Rankings, Scores, coded

Integers = NDArray[np.int64]
Purpose = Round.Purpose


@dataclass(frozen=True)
class _Keys:
    """Primary keys in the order of the names that stand for them, so that a key's code is found by search."""

    ascending: Integers
    code: Integers

    @classmethod
    def of(cls, named: dict[int, int]) -> "_Keys":
        keys = np.fromiter(named.keys(), np.int64, len(named))
        order = np.argsort(keys)
        return cls(keys[order], np.fromiter(named.values(), np.int64, len(named))[order])

    def knows(self, keys: Integers) -> NDArray[np.bool_]:
        if not len(self.ascending):
            return np.zeros(len(keys), dtype=np.bool_)
        return self.ascending[self._places(keys)] == keys

    def codes(self, keys: Integers) -> NDArray[np.int32]:
        return self.code[self._places(keys)].astype(np.int32) if len(keys) else np.empty(0, np.int32)

    def _places(self, keys: Integers) -> Integers:
        return np.minimum(np.searchsorted(self.ascending, keys), len(self.ascending) - 1)


def columns(project: Project) -> Columns:
    """What counts at this instant: active responses, annotators whose data were not withdrawn, the newest revisions.

    Where an annotator scored a response in several live rounds, the latest round counts, as in `material.live_scores`.
    """
    # Judgements first: what they are of, and who gave them, was there before them.
    mixed_into = dict(project.rounds.order_by("pk").values_list("pk", "mixed_into"))
    live, gold, repeat = (
        _scores(project, purpose) for purpose in (Purpose.LIVE, Purpose.GOLD, Purpose.REPEAT)
    )
    ranked = _rankings(project)
    agreed = _agreed(project)

    responses = _rows(project.responses.filter(state=Response.State.ACTIVE), "pk", "external_id", "prompt")
    prompts = _rows(project.prompts, "pk", "external_id", "language", "genre__parent__key", "genre__key")
    people = _rows(
        project.memberships.filter(role=Membership.Role.ANNOTATOR).exclude(state=Membership.State.WITHDRAWN),
        "pk",
        "pseudonym",
    )
    genre_of_prompt = {pk: macro or own or "" for pk, _name, _language, macro, own in prompts}
    language_of_prompt = {pk: primary(language) for pk, _name, language, _macro, _own in prompts}
    codes_of = {
        "prompts": coded(name for _pk, name, *_rest in prompts),
        "responses": coded(name for _pk, name, _prompt in responses),
        "annotators": coded(name for _pk, name in people),
        "languages": coded(language_of_prompt.values()),
        "genres": coded(genre for genre in genre_of_prompt.values() if genre),
        "rounds": {str(pk): code for code, pk in enumerate(mixed_into)},
    }
    keys = _Coding(
        prompt=_Keys.of({pk: codes_of["prompts"][name] for pk, name, *_rest in prompts}),
        response=_Keys.of({pk: codes_of["responses"][name] for pk, name, _prompt in responses}),
        annotator=_Keys.of({pk: codes_of["annotators"][name] for pk, name in people}),
        # Gold items and repeats are of the round that they were mixed into.
        round=_Keys.of({pk: codes_of["rounds"][str(into or pk)] for pk, into in mixed_into.items()}),
    )
    set_aside = frozenset(consensus.set_aside(project).values_list("pk", flat=True)).difference(
        live[:, 0].tolist()
    )
    by_name = sorted(responses, key=lambda row: row[1].encode())
    in_order = sorted(prompts, key=lambda row: row[1].encode())
    gold_scores = keys.scores(gold)
    gold_scores, gold_value = _with_what_is_agreed(gold_scores, keys.agreed(agreed))
    return Columns(
        names=Names(**{kind: tuple(names) for kind, names in codes_of.items()}),
        prompt_of=keys.prompt.codes(np.array([prompt for *_rest, prompt in by_name], dtype=np.int64)),
        is_material=np.array([pk not in set_aside for pk, *_rest in by_name], dtype=np.bool_),
        genre_of=np.array(
            [codes_of["genres"].get(genre_of_prompt[pk], UNKNOWN) for pk, *_rest in in_order], dtype=np.int32
        ),
        language_of=np.array(
            [codes_of["languages"][language_of_prompt[pk]] for pk, *_rest in in_order], dtype=np.int32
        ),
        live=_of_the_latest_round(keys.scores(live)),
        gold=gold_scores,
        gold_value=gold_value,
        repeat=keys.scores(repeat),
        rankings=keys.rankings(*ranked),
    )


@dataclass(frozen=True)
class _Coding:
    prompt: _Keys
    response: _Keys
    annotator: _Keys
    round: _Keys

    def scores(self, rows: Integers) -> Scores:
        """The newest revision of each judgement, of what is known, in the order of the codes."""
        response, annotator, work, revision, value, at = rows.T
        known = self.response.knows(response) & self.annotator.knows(annotator) & self.round.knows(work)
        found = Scores(
            response=self.response.codes(response[known]),
            annotator=self.annotator.codes(annotator[known]),
            round=self.round.codes(work[known]),
            value=value[known].astype(np.uint8),
            at=at[known],
        )
        order = np.lexsort((revision[known], found.round, found.annotator, found.response))
        return found.where(order[_last_of_each(found, order, "response", "annotator", "round")])

    def agreed(self, rows: Integers) -> Integers:
        """Round, response and agreed score (G, 3), in codes."""
        work, response, value = rows.T
        known = self.round.knows(work) & self.response.knows(response)
        codes = (self.round.codes(work[known]), self.response.codes(response[known]), value[known])
        return np.stack(codes, axis=1).astype(np.int64).reshape(-1, 3)

    def rankings(self, rankings: Integers, ranked: Integers) -> Rankings:
        """The newest revision of each; a ranking that holds a removed response keeps the order of the others."""
        pk, prompt, annotator, work, revision, at = rankings.T
        known = self.prompt.knows(prompt) & self.annotator.knows(annotator) & self.round.knows(work)
        order = np.lexsort((revision, work, annotator, prompt))
        order = order[known[order]]
        same = np.ones(len(order), dtype=np.bool_)
        if len(order) > 1:
            same[:-1] = np.any(rankings[order[1:], 1:4] != rankings[order[:-1], 1:4], axis=1)
        kept = order[same]
        number = _Keys.of({int(key): place for place, key in enumerate(pk[kept])})
        of_kept = ranked[number.knows(ranked[:, 0]) & self.response.knows(ranked[:, 1])]
        return Rankings(
            prompt=self.prompt.codes(prompt[kept]),
            annotator=self.annotator.codes(annotator[kept]),
            round=self.round.codes(work[kept]),
            at=at[kept],
            ranking=number.codes(of_kept[:, 0]),
            response=self.response.codes(of_kept[:, 1]),
            tier=of_kept[:, 2].astype(np.uint8),
            shown=of_kept[:, 3].astype(np.uint8),
        )


def _last_of_each(found: Scores, order: Integers, *by: str) -> NDArray[np.bool_]:
    """Of rows in this order, whether the next one differs in any of the columns."""
    last = np.ones(len(order), dtype=np.bool_)
    if len(order) > 1:
        columns_by = [getattr(found, column)[order] for column in by]
        last[:-1] = np.any([column[1:] != column[:-1] for column in columns_by], axis=0)
    return last


def _of_the_latest_round(found: Scores) -> Scores:
    return found.where(_last_of_each(found, np.arange(len(found)), "response", "annotator"))


def _with_what_is_agreed(gold: Scores, agreed: Integers) -> tuple[Scores, NDArray[np.uint8]]:
    """Scores of gold items of which the agreed score is kept, and that score."""
    value = {(work, response): value for work, response, value in agreed.tolist()}
    found = [value.get(key, UNKNOWN) for key in zip(gold.round.tolist(), gold.response.tolist(), strict=True)]
    wanted = np.array(found, dtype=np.int64).reshape(-1)
    known = wanted != UNKNOWN
    return gold.where(known), wanted[known].astype(np.uint8)


# --- Reading -----------------------------------------------------------------------------------------------


def _scores(project: Project, purpose: str) -> Integers:
    """Response, annotator, round, revision, value, moment (N, 6)."""
    rows = Score.objects.filter(
        Q(source=None) | Q(source__state=Import.State.STORED),
        round__project=project,
        round__purpose=purpose,
        standing=Score.Standing.COUNTED,
    ).values_list("response", "annotator", "round", "revision", "value", "at")
    return _table(((*row[:5], _moment(row[5])) for row in rows.iterator(chunk_size=5000)), 6)


def _rankings(project: Project) -> tuple[Integers, Integers]:
    """Rankings (M, 6) and their responses (K, 4)."""
    counted = Ranking.objects.filter(
        round__project=project, round__purpose=Purpose.LIVE, standing=Score.Standing.COUNTED
    )
    rankings = counted.values_list("pk", "prompt", "annotator", "round", "revision", "at")
    ranked = RankedResponse.objects.filter(ranking__in=counted.values("pk")).order_by("ranking", "shown")
    return (
        _table(((*row[:5], _moment(row[5])) for row in rankings.iterator()), 6),
        _table(ranked.values_list("ranking", "response", "tier", "shown").iterator(), 4),
    )


def _agreed(project: Project) -> Integers:
    items = ConsensusItem.objects.filter(round__project=project, round__purpose=Purpose.GOLD)
    return _table(items.values_list("round", "response", "value").iterator(), 3)


def _rows(found: QuerySet[Prompt] | QuerySet[Response] | QuerySet[Membership], *names: str) -> list[tuple]:
    return list(found.values_list(*names).iterator())


def _table(rows: Iterator[Sequence[int]], width: int) -> Integers:
    flat = np.fromiter((value for row in rows for value in row), dtype=np.int64)
    return flat.reshape(-1, width)


def _moment(at: datetime | None) -> int:
    return UNKNOWN if at is None else int(at.timestamp())

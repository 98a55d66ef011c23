"""What others gave on a case, which an adjudicator sees behind a judgement of their own; and what was decided.

They are called Rater A, B, C, anew in each case: no letter follows anybody from one case to the next.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.domain.names import letters
from annotation.models import (
    AdjudicationCase,
    CategoryVote,
    Membership,
    Preference,
    RankedResponse,
    Round,
    Score,
)
from annotation.queries import adjudication, rubrics
from annotation.queries.splits import counted


@dataclass(frozen=True, slots=True)
class OtherJudgement:
    rater: str  # 'Rater A'
    says: str
    words: str
    note: str = ""  # how to read the words where the rater had other letters than the reader


@dataclass(frozen=True, slots=True)
class Decision:
    value: str  # as a form sends it
    justification: str
    at: datetime
    is_mine: bool
    revision: int = 1


@dataclass(frozen=True, slots=True)
class Judged:
    """What is shown behind one's own judgement."""

    others: tuple[OtherJudgement, ...]
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class _Given:
    says: str
    words: str
    note: str = ""


def judged(case: AdjudicationCase, adjudicator: Membership, *, language: str) -> Judged | None:
    """None before the adjudicator has judged the case alone."""
    if adjudication.own_of(case, adjudicator) is None:
        return None
    given = _given(case, adjudicator, language=language)
    names = _raters(case, given)
    return Judged(
        others=tuple(
            OtherJudgement(names[one], each.says, each.words, each.note)
            for one, each in sorted(given.items(), key=lambda row: (len(names[row[0]]), names[row[0]]))
        ),
        decision=_decision(case, adjudicator),
    )


def _decision(case: AdjudicationCase, reader: Membership) -> Decision | None:
    stored = adjudication.decision_of(case)
    if stored is None:
        return None
    value = adjudication.choice_of(stored, reader)
    return Decision(value, stored.justification, stored.at, stored.adjudicator_id == reader.pk)


def _raters(case: AdjudicationCase, people: Mapping[int, Any]) -> dict[int, str]:
    shuffled = sorted(people, key=lambda one: salted_hmac("plumb.raters", f"{case.token} {one}").digest())
    return {one: _("Rater %(letters)s") % {"letters": letters(number)} for number, one in enumerate(shuffled)}


def _given(case: AdjudicationCase, reader: Membership, *, language: str) -> dict[int, _Given]:
    """By annotator, what counts of what each gave."""
    if case.response_id is None:
        return _votes(case, language)
    if case.other_id is None:
        return _scores(case, language)
    if case.round.kind == Round.Kind.PAIRS:
        return _preferences(case, reader)
    if case.round.kind == Round.Kind.RANKINGS:
        return _rankings(case, reader)
    return _scores_of_both(case, reader)


def _votes(case: AdjudicationCase, language: str) -> dict[int, _Given]:
    rows = counted(CategoryVote.objects.filter(round=case.round_id, prompt=case.prompt_id))
    return {
        vote.annotator_id: _Given(rubrics.name_of(vote.category, language), vote.justification)
        for vote in rows.select_related("category")
    }


def _scores(case: AdjudicationCase, language: str) -> dict[int, _Given]:
    names = {level.value: level.name for level in rubrics.level_texts(case.round.rubric, language)}
    rows = counted(Score.objects.filter(round=case.round_id, response=case.response_id))
    return {
        score.annotator_id: _Given(f"{score.value} {names.get(score.value, '')}".strip(), score.justification)
        for score in rows
    }


def _preferences(case: AdjudicationCase, reader: Membership) -> dict[int, _Given]:
    pair = [case.response_id, case.other_id]
    rows = counted(Preference.objects.filter(round=case.round_id, response_a__in=pair, response_b__in=pair))
    first = adjudication.shown_to(case, reader)[0].pk
    found = {}
    for vote in rows:
        as_read = vote.response_a_id == first
        side = vote.preferred if as_read else adjudication.TURNED.get(vote.preferred, vote.preferred)
        note = "" if as_read else _("Had the texts in the other order: A in these words is your B.")
        found[vote.annotator_id] = _Given(
            adjudication.says_of_side(side), vote.justification, note if vote.justification else ""
        )
    return found


def _scores_of_both(case: AdjudicationCase, reader: Membership) -> dict[int, _Given]:
    """Scores of either text; who scored one alone says nothing of the pair."""
    shown = adjudication.shown_to(case, reader)
    rows = counted(Score.objects.filter(round=case.round_id, response__in=shown))
    by_person: dict[int, dict[int, Score]] = {}
    for score in rows:
        by_person.setdefault(score.annotator_id, {})[score.response_id] = score
    found = {}
    for one, scores in by_person.items():
        if len(scores) < len(shown):
            continue
        both = [scores[response.pk] for response in shown]
        numbers = {"a": both[0].value, "b": both[1].value}
        words = [
            _("On %(letter)s: %(words)s") % {"letter": letter, "words": score.justification}
            for letter, score in zip("AB", both, strict=True)
            if score.justification
        ]
        found[one] = _Given(_("A %(a)d, B %(b)d") % numbers, "\n\n".join(words))
    return found


def _rankings(case: AdjudicationCase, reader: Membership) -> dict[int, _Given]:
    shown = adjudication.shown_to(case, reader)
    rows = RankedResponse.objects.filter(
        Q(response=shown[0]) | Q(response=shown[1]),
        ranking__in=counted(case.round.rankings.filter(prompt=case.prompt_id)),
    )
    newest: dict[int, dict[int, RankedResponse]] = {}
    for row in rows.select_related("ranking").order_by("ranking"):
        newest.setdefault(row.ranking.annotator_id, {})[row.response_id] = row
    found = {}
    for one, ranked in newest.items():
        if len(ranked) < len(shown):
            continue
        first, second = (ranked[response.pk] for response in shown)
        note = _("In these words your A is %(a)s and your B is %(b)s.") % {
            "a": letters(first.shown - 1),
            "b": letters(second.shown - 1),
        }
        words = first.ranking.justification
        found[one] = _Given(_order(first.tier, second.tier), words, note if words else "")
    return found


def _order(first: int, second: int) -> str:
    if first == second:
        return pgettext("of two texts in a ranking", "A and B tied")
    better, worse = ("A", "B") if first < second else ("B", "A")
    return _("%(better)s above %(worse)s") % {"better": better, "worse": worse}

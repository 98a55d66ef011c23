"""What somebody has given in the rounds of work, of every kind: their own answers, and nothing of others.

Gold items and repeats stand under the round into which they were mixed, and look like any other.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, Exists, F, Model, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.domain import rankings, text
from annotation.domain.stages import WORK
from annotation.models import (
    CategoryVote,
    JournalEntry,
    Lease,
    Membership,
    Preference,
    Ranking,
    Response,
    Round,
    Score,
    User,
)
from annotation.queries import options, rubrics, work_time
from annotation.queries.flagging import BEGINNING
from annotation.queries.slots import JUDGEMENTS
from annotation.queries.texts import language_tag

ON_A_PAGE = 25
EITHER_WAY = Q(response_a=OuterRef("response_a"), response_b=OuterRef("response_b")) | Q(
    response_a=OuterRef("response_b"), response_b=OuterRef("response_a")
)
Judgement = Score | Ranking | CategoryVote | Preference
Slot = tuple[int, int, int | None, int | None]  # keys of round, prompt, response and the other one of a pair
# What the journal calls a judgement of each kind.
NAME_OF: Mapping[type[Model], str] = {
    Score: "score",
    Ranking: "ranking",
    CategoryVote: "category_vote",
    Preference: "preference",
}


@dataclass(frozen=True, slots=True)
class OwnRevision:
    answer: str
    justification: str
    at: datetime


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer with every revision of it."""

    kind: str  # Round.Kind
    token: str  # of the hand-out; "" where it came from a file
    project_name: str
    round_name: str
    genre_name: str
    language_tag: str
    beginning: str  # of the text; of the prompt where several texts were judged, or none
    revisions: tuple[OwnRevision, ...]  # newest first
    may_edit: bool
    active: str  # time at work in words; "" where no page has counted it

    @property
    def latest(self) -> OwnRevision:
        return self.revisions[0]


def answers(user: User) -> QuerySet:
    """(kind, key) of the latest revision of each answer, newest first; to be cut into pages."""
    members = Membership.objects.filter(user=user, role=Membership.Role.ANNOTATOR)
    members = members.exclude(state__in=Membership.ENDED)
    found = [_latest(model, members, kind) for kind, model in JUDGEMENTS.items()]
    return found[0].union(*found[1:], all=True).order_by("-moment", "-pk")


def _latest(model: type[Model], members: QuerySet[Membership], kind: str) -> QuerySet:
    newer = model.objects.filter(
        round=OuterRef("round"), annotator=OuterRef("annotator"), revision__gt=OuterRef("revision")
    )
    if model is Preference:
        newer = newer.filter(EITHER_WAY)
    else:
        same = "response" if model is Score else "prompt"
        newer = newer.filter(**{same: OuterRef(same)})
    own = model.objects.filter(annotator__in=members, round__purpose__in=WORK).exclude(Exists(newer))
    return own.annotate(
        kind=Value(kind, output_field=CharField()), moment=Coalesce(F("at"), F("recorded_at"))
    ).values_list("kind", "pk", "moment")


def page(user: User, keys: Sequence[tuple[str, int, datetime]], *, language: str) -> list[OwnAnswer]:
    """The answers named by `answers`, in its order, with names in the reader's language ('en' or 'zh')."""
    latest = {
        (kind, one.pk): one for kind, model in JUDGEMENTS.items() for one in _read(model, _keys(keys, kind))
    }
    chosen = [(kind, latest[kind, key]) for kind, key, _moment in keys]
    earlier = _revisions(chosen)
    tokens = _tokens([one for _kind, one in chosen])
    times = _times(user, [each for group in earlier.values() for each in group])
    words = _Words(language)
    return [
        _answer(kind, one, earlier[kind, one.pk], tokens.get(_slot(one), ""), times, words)
        for kind, one in chosen
    ]


def _keys(keys: Iterable[tuple[str, int, datetime]], wanted: str) -> list[int]:
    return [key for kind, key, _moment in keys if kind == wanted]


def _read(model: type[Model], keys: Sequence[int]) -> list[Judgement]:
    if not keys:
        return []
    return list(_with_parts(model).filter(pk__in=keys))


def _with_parts(model: type[Model]) -> QuerySet:
    """With whatever is said of a judgement."""
    base = {"round__project", "round__mixed_into"}
    if model is Score:
        return Score.objects.select_related(*base, "response__prompt__genre", "rubric")
    found = model.objects.select_related(*base, "prompt__genre")
    if model is Ranking:
        return found.prefetch_related("responses")
    return found.select_related("category") if model is CategoryVote else found


def _revisions(chosen: Sequence[tuple[str, Judgement]]) -> dict[tuple[str, int], list[Judgement]]:
    """Every revision of these, newest first; only those that were revised are asked about again."""
    found = {(kind, one.pk): [one] for kind, one in chosen}
    places = {
        (kind, _slot(one), one.annotator_id): (kind, one.pk) for kind, one in chosen if one.revision > 1
    }
    for kind, model in JUDGEMENTS.items():
        revised = [one for each, one in chosen if each == kind and one.revision > 1]
        if not revised:
            continue
        own = _with_parts(model).filter(
            annotator__in={one.annotator_id for one in revised}, round__in={one.round_id for one in revised}
        )
        own = own.filter(_of_prompts(model, revised)).exclude(pk__in=[one.pk for one in revised])
        for one in own.order_by("-revision"):
            place = places.get((kind, _slot(one), one.annotator_id))
            if place:
                found[place].append(one)
    return found


def _of_prompts(model: type[Model], revised: Sequence[Judgement]) -> Q:
    if model is Score:
        return Q(response__in={one.response_id for one in revised})
    return Q(prompt__in={one.prompt_id for one in revised})


def _slot(one: Judgement) -> Slot:
    if isinstance(one, Score):
        return one.round_id, one.response.prompt_id, one.response_id, None
    if isinstance(one, Preference):
        return one.round_id, one.prompt_id, *sorted((one.response_a_id, one.response_b_id))
    return one.round_id, one.prompt_id, None, None


def _tokens(chosen: Sequence[Judgement]) -> dict[Slot, str]:
    """Addresses of the hand-outs; a late answer may stand in another slot of its text."""
    leases = Lease.objects.filter(
        annotator__in={one.annotator_id for one in chosen},
        assignment__round__in={one.round_id for one in chosen},
        assignment__prompt__in={_slot(one)[1] for one in chosen},
    )
    parts = ("round", "prompt", "response", "other")
    rows = leases.values_list("token", *(f"assignment__{part}" for part in parts))
    return {tuple(slot): token for token, *slot in rows}


def _times(user: User, judgements: Sequence[Judgement]) -> Mapping[tuple[str, int], int]:
    """Seconds at work, by what the journal calls a judgement and its key."""
    entries = JournalEntry.objects.filter(
        actor=user, at__in={one.recorded_at for one in judgements}, data__has_key="active"
    )
    found: dict[tuple[str, int], int] = defaultdict(int)
    for data in entries.values_list("data", flat=True):
        for name in NAME_OF.values():
            if name in data:
                found[name, data[name]] = data["active"]
    return found


class _Words:
    """Names in one language, read once."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._levels: dict[int, dict[int, str]] = {}

    def score(self, score: Score) -> str:
        if score.rubric_id not in self._levels:
            levels = rubrics.level_texts(score.rubric, self.language)
            self._levels[score.rubric_id] = {level.value: level.name for level in levels}
        name = self._levels[score.rubric_id].get(score.value, "")
        return f"{score.value} {name}".strip()

    def said(self, one: Judgement) -> str:
        if isinstance(one, Score):
            return self.score(one)
        if isinstance(one, Ranking):
            return _order(one)
        if isinstance(one, CategoryVote):
            return rubrics.name_of(one.category, self.language)
        names = {side.value: side.name for side in options.sides(ties_allowed=True)}
        return names[one.preferred]


def _order(ranking: Ranking) -> str:
    """'A > B = C', by the letters under which the annotator had the texts."""
    tiers: dict[int, list[str]] = defaultdict(list)
    for each in ranking.responses.all():
        tiers[each.tier].append(chr(ord("A") + each.shown - 1))
    return rankings.stated([sorted(tiers[tier]) for tier in sorted(tiers)])


def _answer(
    kind: str,
    one: Judgement,
    revisions: Sequence[Judgement],
    token: str,
    times: Mapping[tuple[str, int], int],
    words: _Words,
) -> OwnAnswer:
    work, prompt = one.round, one.response.prompt if isinstance(one, Score) else one.prompt
    host = work.mixed_into or work
    response = one.response if isinstance(one, Score) else None
    shown = response.text if response else prompt.text
    is_open = all(each.state in (Round.State.OPEN, Round.State.PAUSED) for each in (work, host))
    is_there = response is None or response.state == Response.State.ACTIVE
    unit = text.unit_for("auto", prompt.language, prompt.text, shown)
    seconds = [times[key] for each in revisions if (key := (NAME_OF[type(each)], each.pk)) in times]
    return OwnAnswer(
        kind=kind,
        token=token,
        project_name=work.project.name,
        round_name=host.name,
        genre_name=rubrics.name_of(prompt.genre, words.language) if prompt.genre else "",
        language_tag=language_tag(prompt.language, counts_characters=unit == "characters"),
        beginning=" ".join(shown[:BEGINNING].split()),
        revisions=tuple(
            OwnRevision(words.said(each), each.justification, each.at or each.recorded_at)
            for each in revisions
        ),
        may_edit=bool(token) and is_open and is_there,
        active=work_time.briefly(sum(seconds)) if seconds else "",
    )

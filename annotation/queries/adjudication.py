"""The pages of adjudicators: the queue, a case as it is judged alone, and what the others gave, seen afterwards.

No field of these types carries a source, the name or pseudonym of a person, or an id of the material. What others
gave has a type of its own, which is made only behind the adjudicator's own judgement.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain import text
from annotation.domain.reach import primary
from annotation.models import AdjudicationCase, CaseJudgement, Membership, Preference, Response, Round
from annotation.queries import options, preferences, rubrics
from annotation.queries.options import Option
from annotation.queries.people import language_name
from annotation.queries.preferences import ShownText, lettered
from annotation.queries.splits import Split
from annotation.queries.texts import language_tag, paragraphs

OPENING = 110  # characters of a text by which a case is known again
UNKNOWN = "unknown"  # in addresses, for cases of a language that nobody named
TURNED = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True)
class OwnJudgement:
    value: str  # as a form sends it
    justification: str
    at: datetime
    revision: int = 1


@dataclass(frozen=True, slots=True)
class CaseItem:
    """Everything the page shows on which an adjudicator judges a case alone."""

    token: str
    slug: str  # of the project
    round_name: str
    reason: str  # why it is here, in words
    kind: str  # "score", "pair" or "category"
    genre_name: str  # "" where the category is what is asked for
    text_language: str
    counts_characters: bool
    prompt: str
    texts: tuple[ShownText, ...]  # one, or A and B, or none
    options: tuple[Option, ...]
    own: OwnJudgement | None

    @property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)

    @property
    def prompt_paragraphs(self) -> tuple[str, ...]:
        return paragraphs(self.prompt)


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case in the queue."""

    token: str
    kind: str
    reason: str
    round_name: str
    language_tag: str
    opening: str
    opened_at: datetime
    is_begun: bool  # the adjudicator has given a judgement of their own
    decided: str  # what was decided, in words; "" while it waits
    decided_at: datetime | None
    is_mine: bool  # the decision


@dataclass(frozen=True, slots=True)
class Queue:
    waiting: tuple[CaseLine, ...]
    decided: tuple[CaseLine, ...]


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language by which the queue can be narrowed down."""

    key: str  # primary subtag, UNKNOWN for texts that name none
    name: str
    waiting: int


# --- What is asked -------------------------------------------------------------------------------


def kind_of(case: AdjudicationCase) -> str:
    if case.other_id is not None:
        return "pair"
    return "category" if case.response_id is None else "score"


def ties_allowed(case: AdjudicationCase) -> bool:
    """Scores may be equal; votes on pairs and rankings where their round takes ties."""
    return case.round.kind == Round.Kind.SCORES or case.round.ties_allowed


def options_of(case: AdjudicationCase, *, language: str) -> tuple[Option, ...]:
    kind = kind_of(case)
    if kind == "pair":
        return options.sides(ties_allowed=ties_allowed(case))
    if kind == "score":
        return options.scores(case.round.rubric, language)
    return options.categories(case.round.project, language)


def ask_of(case: AdjudicationCase) -> str:
    """What the page says where nothing is chosen."""
    asked = {
        "pair": _("Choose the better text."),
        "score": _("Choose a score from 0 to 3."),
        "category": _("Choose a category."),
    }
    return asked[kind_of(case)]


def shown_to(case: AdjudicationCase, reader: Membership) -> tuple[Response, ...]:
    """The responses of a case as this reader has them, A first."""
    if case.other is not None:
        return preferences.in_order(case.round, reader, (case.response, case.other))
    return () if case.response is None else (case.response,)


def is_turned(case: AdjudicationCase, reader: Membership) -> bool:
    """Whether this reader has the newer response of the pair as A."""
    return case.other_id is not None and shown_to(case, reader)[0].pk != case.response_id


def turned(case: AdjudicationCase, reader: Membership, side: str) -> str:
    """A side as this reader has it, said of the older response and the newer; or the other way round."""
    return TURNED.get(side, side) if is_turned(case, reader) else side


# --- What is stored ------------------------------------------------------------------------------


def own_of(case: AdjudicationCase, adjudicator: Membership) -> CaseJudgement | None:
    return case.judgements.filter(step=CaseJudgement.Step.OWN, adjudicator=adjudicator).first()


def decision_of(case: AdjudicationCase) -> CaseJudgement | None:
    return case.judgements.filter(step=CaseJudgement.Step.DECISION).first()


def choice_of(judgement: CaseJudgement, reader: Membership) -> str:
    """As a form of this reader would send it."""
    if judgement.preferred:
        return turned(judgement.case, reader, judgement.preferred)
    if judgement.value is not None:
        return str(judgement.value)
    return judgement.category.key


def without_case(work: Round, found: Iterable[Split]) -> list[Split]:
    rows = AdjudicationCase.objects.filter(round=work).values_list("prompt", "response", "other")
    known = set(rows)
    return [split for split in found if (split.prompt, split.response, split.other) not in known]


# --- The pages -----------------------------------------------------------------------------------


def item(case: AdjudicationCase, adjudicator: Membership, *, language: str) -> CaseItem:
    prompt, kind = case.prompt, kind_of(case)
    shown = shown_to(case, adjudicator)
    stored = own_of(case, adjudicator)
    unit = text.unit_for("auto", prompt.language, prompt.text, shown[0].text if shown else "")
    genre = prompt.genre if kind != "category" else None
    return CaseItem(
        token=case.token,
        slug=case.round.project.slug,
        round_name=case.round.name,
        reason=case.get_reason_display(),
        kind=kind,
        genre_name=rubrics.name_of(genre, language) if genre else "",
        text_language=prompt.language,
        counts_characters=unit == "characters",
        prompt=prompt.text,
        texts=lettered(shown) if kind == "pair" else tuple(_unlettered(one) for one in shown),
        options=options_of(case, language=language),
        own=_own(stored, adjudicator) if stored else None,
    )


def _unlettered(response: Response) -> ShownText:
    return ShownText("", paragraphs(response.text))


def _own(stored: CaseJudgement, reader: Membership) -> OwnJudgement:
    return OwnJudgement(choice_of(stored, reader), stored.justification, stored.at)


def tongues(cases: QuerySet[AdjudicationCase]) -> tuple[Tongue, ...]:
    """The languages of these cases, by their keys, with how many cases of each wait."""
    is_decided = Q(judgements__step=CaseJudgement.Step.DECISION)
    rows = cases.order_by().values_list("prompt__language")
    waiting: Counter[str] = Counter()
    for language, sent, decided in rows.annotate(
        sent=Count("pk", distinct=True), decided=Count("pk", filter=is_decided, distinct=True)
    ):
        waiting[_key(language)] += sent - decided
    return tuple(
        Tongue(key, _("Unknown language") if key == UNKNOWN else language_name(key), waiting[key])
        for key in sorted(waiting, key=lambda key: (key == UNKNOWN, key))
    )


def in_tongue(cases: QuerySet[AdjudicationCase], key: str) -> QuerySet[AdjudicationCase]:
    found = set(cases.order_by().values_list("prompt__language", flat=True))
    return cases.filter(prompt__language__in=[each for each in found if _key(each) == key])


def _key(language: str) -> str:
    return primary(language) or UNKNOWN


def queue(cases: QuerySet[AdjudicationCase], adjudicator: Membership, *, language: str) -> Queue:
    """These cases, oldest first where they wait and newest decision first where they do not."""
    found = list(
        cases.select_related("round__project", "round__rubric", "prompt", "response", "other")
        .prefetch_related("judgements__category", "judgements__case")
        .order_by("opened_at", "pk")
    )
    lines = [_line(case, adjudicator, language=language) for case in found]
    decided = [line for line in lines if line.decided_at]
    return Queue(
        waiting=tuple(line for line in lines if not line.decided_at),
        decided=tuple(sorted(decided, key=lambda line: line.decided_at or line.opened_at, reverse=True)),
    )


def _line(case: AdjudicationCase, adjudicator: Membership, *, language: str) -> CaseLine:
    given: Sequence[CaseJudgement] = case.judgements.all()
    decision = next((one for one in given if one.step == CaseJudgement.Step.DECISION), None)
    shown = shown_to(case, adjudicator)
    words = shown[0].text if shown else case.prompt.text
    unit = text.unit_for("auto", case.prompt.language, case.prompt.text, words)
    has_judged = any(one.adjudicator_id == adjudicator.pk for one in given)
    return CaseLine(
        token=case.token,
        kind=kind_of(case),
        reason=case.get_reason_display(),
        round_name=case.round.name,
        language_tag=language_tag(case.prompt.language, counts_characters=unit == "characters"),
        opening=" ".join(words[: 2 * OPENING].split())[:OPENING],
        opened_at=case.opened_at,
        is_begun=has_judged,
        # Who has not judged the case alone learns that it is decided, not how.
        decided=_in_words(decision, adjudicator, language=language) if decision and has_judged else "",
        decided_at=decision.at if decision else None,
        is_mine=decision is not None and decision.adjudicator_id == adjudicator.pk,
    )


def _in_words(judgement: CaseJudgement, reader: Membership, *, language: str) -> str:
    if judgement.preferred:
        return says_of_side(turned(judgement.case, reader, judgement.preferred))
    if judgement.value is not None:
        return str(judgement.value)
    return rubrics.name_of(judgement.category, language)


def says_of_side(side: str) -> str:
    """What a vote on a pair says, the texts being called as the reader has them."""
    named = {option.value: option.name for option in options.sides(ties_allowed=True)}
    return named[Preference.Preferred(side).value]

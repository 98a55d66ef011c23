"""Votes on pairs, and the page on which an annotator chooses the better of two responses.

The page calls the two A and B, in an order of each annotator's own. No field of its type carries a source, another's
vote or an id of the material.
"""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain import order, reading_time, text
from annotation.models import Lease, Membership, Preference, Response, Round
from annotation.queries import options, rubrics
from annotation.queries import scoring as work_queries
from annotation.queries.options import Option
from annotation.queries.scoring_page import why_closed
from annotation.queries.texts import language_tag, paragraphs


@dataclass(frozen=True, slots=True)
class ShownText:
    letter: str
    paragraphs: tuple[str, ...]

    @property
    def key(self) -> str:
        """As the letter stands in addresses within a page, and on the keyboard."""
        return self.letter.lower()


@dataclass(frozen=True, slots=True)
class OwnChoice:
    """The annotator's own vote as it is stored."""

    value: str  # "a", "b" or "tie", as shown
    justification: str
    at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class ChooseItem:
    """Everything the page shows on which somebody chooses between two texts."""

    token: str
    round_name: str
    round_token: str
    number: int  # of this pair among those done and to do, from 1
    total: int
    genre_name: str
    text_language: str  # BCP 47; "" where unknown
    counts_characters: bool
    prompt: str
    prompt_is_new: bool  # no pair of this prompt has been judged yet, so it still has to be read
    texts: tuple[ShownText, ...]  # A and B
    ties_allowed: bool
    options: tuple[Option, ...]
    justification_minimum: int
    usual_seconds: int  # that reading the two takes
    given: OwnChoice | None
    may_revise: bool
    closed: str  # why nothing is taken any more: "locked", "withdrawn", or ""

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)


def in_order(work: Round, reader: Membership, pair: tuple[Response, Response]) -> tuple[Response, Response]:
    """A pair as this reader has it, A first. The same whenever it is asked, on every machine."""
    first, second = sorted(pair, key=lambda one: order.key(str(work.pk), str(reader.pk), str(one.pk)))
    return first, second


def sides(lease: Lease) -> tuple[Response, Response]:
    """The two responses as the annotator who holds the lease has them, A first."""
    slot = lease.assignment
    return in_order(slot.round, lease.annotator, (slot.response, slot.other))


def preference_of(lease: Lease) -> Preference | None:
    """The newest revision of the annotator's own vote on the pair they were handed."""
    pair = (lease.assignment.response_id, lease.assignment.other_id)
    own = Preference.objects.filter(
        round=lease.assignment.round_id,
        annotator=lease.annotator_id,
        response_a__in=pair,
        response_b__in=pair,
    )
    return own.select_related("response_a", "response_b").order_by("-revision").first()


def unit_of(lease: Lease) -> text.Unit:
    prompt = lease.assignment.prompt
    return text.unit_for("auto", prompt.language, prompt.text, lease.assignment.response.text)


def item(lease: Lease, *, language: str) -> ChooseItem:
    """The page of one lease, the name of the genre in the reader's language ('en' or 'zh')."""
    work, prompt = lease.assignment.round, lease.assignment.prompt
    stored, closed = preference_of(lease), why_closed(lease)
    shown = (stored.response_a, stored.response_b) if stored else sides(lease)
    unit = unit_of(lease)
    host = work.mixed_into or work
    number, total = work_queries.place_of(lease, is_done=stored is not None)
    return ChooseItem(
        token=lease.token,
        round_name=host.name,
        round_token=host.token,
        number=number,
        total=total,
        genre_name=rubrics.name_of(prompt.genre, language) if prompt.genre else "",
        text_language=prompt.language,
        counts_characters=unit == "characters",
        prompt=prompt.text,
        prompt_is_new=not work.preferences.filter(annotator=lease.annotator, prompt=prompt).exists(),
        texts=lettered(shown),
        ties_allowed=work.ties_allowed,
        options=options.sides(ties_allowed=work.ties_allowed),
        justification_minimum=work_queries.justification_minimum(work, unit),
        usual_seconds=sum(reading_time.expected(response.text, unit) for response in shown),
        given=_given(stored) if stored else None,
        may_revise=stored is not None and not closed,
        closed=closed,
    )


def lettered(shown: tuple[Response, ...]) -> tuple[ShownText, ...]:
    return tuple(
        ShownText(letter, paragraphs(response.text)) for letter, response in zip("AB", shown, strict=True)
    )


def _given(stored: Preference) -> OwnChoice:
    return OwnChoice(stored.preferred, stored.justification, stored.at or stored.recorded_at, stored.revision)

"""Rankings, and what the page shows on which somebody ranks the responses to a prompt.

A page names responses by letters, in an order of each annotator's own, and says by a keyed digest which responses it
meant by them. No field of these types carries a source, another's ranking or an id of the material.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.domain import order, rankings, reading_time, text
from annotation.domain.rankings import Tiers
from annotation.models import (
    Draft,
    Lease,
    Prompt,
    RankedResponse,
    Ranking,
    Response,
    Round,
)
from annotation.queries import options, rubrics, scoring, scoring_page
from annotation.queries.texts import language_tag, paragraphs

MOST_LETTER_KEYS = len("ABCDE")  # F flags, as on every page of work
OPENING = 160  # characters by which an annotator knows a text again
# Names in a form: rank-A, and tick-A-2 for the second requirement in text A.
RANK = "rank-"
TICK = "tick-"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of the annotator's own checklist for a text. The tick goes with the draft and is no judgement."""

    number: int
    text: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class TextToRank:
    letter: str
    paragraphs: tuple[str, ...]
    opening: str
    usual_seconds: int  # that reading it takes
    rank: str  # as it stands in the form; "" for none
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class OwnRanking:
    """The annotator's own ranking as it is stored."""

    tiers: Tiers
    justification: str
    at: datetime
    revision: int

    @property
    def stated(self) -> str:
        return rankings.stated(self.tiers)


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in the form when it is shown: as it was sent, drafted or given, or nothing yet."""

    ranks: Mapping[str, str]  # by letter
    ticks: frozenset[str]  # 'A-2'
    justification: str = ""
    read: str = ""  # letters of the texts whose end was reached
    shown: str = ""
    active: str = ""  # seconds at work on this prompt, on pages that are closed by now
    based_on: int = 0  # the revision that it would follow

    @classmethod
    def read_from(cls, data: Mapping[str, Any]) -> "Entry":
        """From the names and values of the form, whoever sent or kept them."""
        words = {name: value for name, value in data.items() if isinstance(value, str)}
        return cls(
            ranks=_after(words, RANK),
            ticks=frozenset(name for name, value in _after(words, TICK).items() if value),
            justification=words.get("justification", "").replace("\r\n", "\n"),
            read=words.get("read", ""),
            shown=words.get("shown", ""),
            active=words.get("active", ""),
            based_on=int(words["based_on"]) if re.fullmatch("[0-9]{1,5}", words.get("based_on", "")) else 0,
        )


@dataclass(frozen=True, slots=True)
class RankingItem:
    """Everything the ranking page shows."""

    token: str
    project_name: str
    round_name: str
    round_token: str
    number: int  # of this prompt among those done and to do, from 1
    total: int
    genre_name: str
    text_language: str  # BCP 47, of prompt and responses; "" where unknown
    prompt: str
    by_requirements: bool  # the order is by how many requirements are satisfied, not by preference
    requirements: tuple[str, ...]  # only where the order is by them
    texts: tuple[TextToRank, ...]
    shown: str  # says which responses the letters mean
    ties_allowed: bool
    guideline: bool  # the rubric of the round has one to read
    justification_minimum: int
    counts_characters: bool  # justification and texts are counted in characters, not words
    given: OwnRanking | None
    entry: Entry
    draft_version: int  # of the draft on the server; 0 for none
    is_editing: bool  # the form is there though a ranking was given
    may_edit: bool
    closed: str  # why no ranking is taken any more: "locked", "withdrawn", or ""

    @property
    def shows_form(self) -> bool:
        return self.is_editing or not self.given

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def letter_keys(self) -> str:
        """Letters of the texts that the key of the letter opens."""
        return "".join(text.letter for text in self.texts[:MOST_LETTER_KEYS])

    @property
    def letters_without_key(self) -> str:
        """Of the texts that the keys for the previous and the next text reach alone."""
        return "".join(text.letter for text in self.texts[MOST_LETTER_KEYS:])

    @property
    def most_by_key(self) -> int:
        """The last place that a digit gives."""
        return min(len(self.texts), options.MOST_KEYS)

    @property
    def given_tiers(self) -> list[list[TextToRank]]:
        """The texts as the stored ranking has them."""
        by_letter = {each.letter: each for each in self.texts}
        return [[by_letter[letter] for letter in tier] for tier in (self.given.tiers if self.given else ())]

    @property
    def places(self) -> range:
        return range(1, len(self.texts) + 1)

    @property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)


def _after(words: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in words.items() if name.startswith(prefix)}


# --- What is stored ------------------------------------------------------------------------------


def rankings_of(lease: Lease) -> QuerySet[Ranking]:
    """The annotator's own rankings of the prompt they were handed, every revision."""
    asked = lease.assignment
    return Ranking.objects.filter(round=asked.round_id, prompt=asked.prompt_id, annotator=lease.annotator_id)


def current(lease: Lease) -> Ranking | None:
    return rankings_of(lease).order_by("-revision").first()


def tiers_of(ranking: Ranking) -> Tiers:
    """The ranking by the letters that its texts had; read from the database."""
    rows = list(RankedResponse.objects.filter(ranking=ranking).values_list("shown", "tier"))
    names = rankings.letters(max((place for place, _tier in rows), default=0))
    return rankings.of_ranks({names[place - 1]: tier for place, tier in rows})


def texts_of(lease: Lease, stored: Ranking | None) -> list[Response]:
    """The responses in the order in which this annotator has them as A, B, C, …

    Those of a ranking stay what they were when it was given, whatever is removed or added later.
    """
    if stored is not None:
        rows = stored.responses.select_related("response").order_by("shown")
        return [row.response for row in rows]
    work, annotator = str(lease.assignment.round_id), str(lease.annotator_id)
    active = Response.objects.filter(prompt=lease.assignment.prompt_id, state=Response.State.ACTIVE)
    return sorted(active, key=lambda one: order.key(work, annotator, str(one.pk)))


def shown(lease: Lease, texts: Sequence[Response]) -> str:
    """Says which responses the letters of a page mean, and tells nobody anything else."""
    meant = " ".join(str(response.pk) for response in texts)
    return salted_hmac("plumb.rankings", f"{lease.token} {meant}", algorithm="sha256").hexdigest()[:32]


def unit_of(prompt: Prompt, texts: Sequence[Response]) -> text.Unit:
    return text.unit_for("auto", prompt.language, prompt.text, texts[0].text if texts else "")


def why_closed(lease: Lease, responses: Sequence[Response]) -> str:
    """'withdrawn' or 'locked' where no ranking is taken under the lease any more; "" where one is."""
    return scoring_page.why_closed(lease) or ("" if len(responses) > 1 else "withdrawn")


# --- The page ------------------------------------------------------------------------------------


def item(
    lease: Lease, *, language: str, sent: Mapping[str, Any] | None = None, edit: bool = False
) -> RankingItem:
    """The page of one lease, the name of its genre in the reader's language ('en' or 'zh').

    `sent` is a form that comes back. `edit` asks for the form though a ranking was given.
    """
    work, prompt = lease.assignment.round, lease.assignment.prompt
    host = work.mixed_into or work
    stored = current(lease)
    responses = texts_of(lease, stored)
    unit = unit_of(prompt, responses)
    closed = why_closed(lease, responses)
    may_edit = stored is not None and not closed
    is_editing = may_edit and (edit or sent is not None)
    means = shown(lease, responses)
    draft = Draft.objects.filter(lease=lease).first()
    entry = _entry(stored, draft, sent=sent, is_editing=is_editing, means=means)
    by_requirements = work.instruction == Round.Instruction.REQUIREMENTS
    asked = tuple(each.text for each in prompt.requirements.all()) if by_requirements else ()
    number, total = scoring.place_of(lease, is_done=stored is not None)
    return RankingItem(
        token=lease.token,
        project_name=work.project.name,
        round_name=host.name,
        round_token=host.token,
        number=number,
        total=total,
        genre_name=rubrics.name_of(prompt.genre, language) if prompt.genre else "",
        text_language=prompt.language,
        prompt=prompt.text,
        by_requirements=by_requirements,
        requirements=asked,
        texts=_to_rank(responses, unit, asked, entry),
        shown=means,
        ties_allowed=work.ties_allowed,
        guideline=rubrics.has_guideline(work.rubric),
        justification_minimum=scoring.justification_minimum(work, unit),
        counts_characters=unit == "characters",
        given=_given(stored) if stored else None,
        entry=entry,
        draft_version=draft.version if draft else 0,
        is_editing=is_editing,
        may_edit=may_edit,
        closed=closed,
    )


def _entry(
    stored: Ranking | None,
    draft: Draft | None,
    *,
    sent: Mapping[str, Any] | None,
    is_editing: bool,
    means: str,
) -> Entry:
    """What was sent, else what was drafted on what is stored, else what is stored.

    Letters that meant other texts when they were ranked rank nothing now; the words stay.
    """
    revision = stored.revision if stored else 0
    content = draft.content if draft and isinstance(draft.content, Mapping) else None
    drafted = Entry.read_from(content) if sent is None and content else None
    entry = Entry.read_from(sent) if sent is not None else drafted
    if entry and (sent is not None or (entry.based_on == revision and (is_editing or not stored))):
        if entry.shown == means:
            return entry
        return Entry(
            {},
            frozenset(),
            justification=entry.justification,
            active=entry.active,
            based_on=entry.based_on,
        )
    if not stored or not is_editing:
        return Entry({}, frozenset(), based_on=revision)
    ranks = {letter: str(rank) for letter, rank in rankings.ranks(tiers_of(stored)).items()}
    read = "".join(ranks)
    return Entry(ranks, frozenset(), stored.justification, read=read, shown=means, based_on=revision)


def _to_rank(
    responses: Sequence[Response], unit: text.Unit, asked: Sequence[str], entry: Entry
) -> tuple[TextToRank, ...]:
    return tuple(
        TextToRank(
            letter=letter,
            paragraphs=paragraphs(response.text),
            opening=" ".join(response.text[: 2 * OPENING].split())[:OPENING],
            usual_seconds=reading_time.expected(response.text, unit),
            rank=entry.ranks.get(letter, ""),
            requirements=tuple(
                Requirement(number, each, f"{letter}-{number}" in entry.ticks)
                for number, each in enumerate(asked, start=1)
            ),
        )
        for letter, response in zip(rankings.letters(len(responses)), responses, strict=True)
    )


def _given(stored: Ranking) -> OwnRanking:
    return OwnRanking(tiers_of(stored), stored.justification, stored.at, stored.revision)

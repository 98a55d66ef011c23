"""Votes on what a prompt is about, and the page on which an annotator votes.

No field of the page's type carries another's vote, the genre that the material names, or an id of the material.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotation.domain import reading_time, text
from annotation.models import CategoryVote, Genre, Lease, Project
from annotation.queries import options, scoring
from annotation.queries.options import Option
from annotation.queries.scoring_page import why_closed
from annotation.queries.texts import language_tag, paragraphs


@dataclass(frozen=True, slots=True)
class OwnVote:
    """The annotator's own vote as it is stored."""

    value: str  # key of the category
    justification: str
    at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class VoteItem:
    """Everything the page shows on which somebody votes for the category of a prompt."""

    token: str
    round_name: str
    round_token: str
    number: int  # of this prompt among those done and to do, from 1
    total: int
    text_language: str  # BCP 47; "" where unknown
    counts_characters: bool
    paragraphs: tuple[str, ...]  # of the prompt
    options: tuple[Option, ...]
    usual_seconds: int  # that reading the prompt takes
    given: OwnVote | None
    may_revise: bool
    closed: str  # why nothing is taken any more: "locked", "withdrawn", or ""

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)


def categories_of(project: Project) -> QuerySet[Genre]:
    return Genre.objects.filter(project=project, parent=None)


def vote_of(lease: Lease) -> CategoryVote | None:
    """The newest revision of the annotator's own vote on the prompt they were handed."""
    asked = lease.assignment
    own = CategoryVote.objects.filter(
        round=asked.round_id, prompt=asked.prompt_id, annotator=lease.annotator_id
    )
    return own.select_related("category").order_by("-revision").first()


def item(lease: Lease, *, language: str) -> VoteItem:
    """The page of one lease, the names of categories in the reader's language ('en' or 'zh')."""
    work, prompt = lease.assignment.round, lease.assignment.prompt
    stored, closed = vote_of(lease), why_closed(lease)
    unit = text.unit_for("auto", prompt.language, prompt.text, "")
    host = work.mixed_into or work
    number, total = scoring.place_of(lease, is_done=stored is not None)
    return VoteItem(
        token=lease.token,
        round_name=host.name,
        round_token=host.token,
        number=number,
        total=total,
        text_language=prompt.language,
        counts_characters=unit == "characters",
        usual_seconds=reading_time.expected(prompt.text, unit),
        paragraphs=paragraphs(prompt.text),
        options=options.categories(work.project, language),
        given=_given(stored) if stored else None,
        may_revise=stored is not None and not closed,
        closed=closed,
    )


def _given(stored: CategoryVote) -> OwnVote:
    return OwnVote(stored.category.key, stored.justification, stored.at, stored.revision)

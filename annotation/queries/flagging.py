"""What an annotator may flag of what is in their hands, and what they have flagged of it already."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.domain import rankings as letters
from annotation.domain import text
from annotation.domain.stages import WORK
from annotation.models import Flag, Lease, Prompt, Response, Round
from annotation.queries import preferences, rankings, scoring_page, slots
from annotation.queries.texts import language_tag

BEGINNING = 160  # characters by which an annotator knows a text again


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that can be flagged."""

    letter: str  # as the page of work names it; "" where there is but one
    beginning: str


@dataclass(frozen=True, slots=True)
class InHand:
    """Everything the page shows on which an annotator flags something."""

    token: str
    round_name: str
    kind: str  # of the round
    text_language: str
    subjects: tuple[Subject, ...]  # that are not flagged yet
    may_skip: bool

    @property
    def is_prompt(self) -> bool:
        return self.kind == Round.Kind.CATEGORIES


def subjects_of(lease: Lease) -> Mapping[str, Response | Prompt]:
    """By the letters of the annotator's own page; by "" where one thing alone is in hand."""
    slot = lease.assignment
    kind = slot.round.kind
    if kind == Round.Kind.SCORES:
        return {"": slot.response}
    if kind == Round.Kind.CATEGORIES:
        return {"": slot.prompt}
    if kind == Round.Kind.PAIRS:
        texts = list(preferences.sides(lease))
    else:
        texts = rankings.texts_of(lease, rankings.current(lease))
    return dict(zip(letters.letters(len(texts)), texts, strict=True))


def flags_on(lease: Lease, subjects: Collection[Response | Prompt]) -> QuerySet[Flag]:
    """The annotator's own flags on these that wait for a decision."""
    responses = [one.pk for one in subjects if isinstance(one, Response)]
    prompts = [one.pk for one in subjects if isinstance(one, Prompt)]
    own = Flag.objects.filter(raised_by=lease.annotator_id, state=Flag.State.OPEN)
    return own.filter(Q(response__in=responses) | Q(prompt__in=prompts))


def has_flagged(lease: Lease) -> bool:
    return flags_on(lease, subjects_of(lease).values()).exists()


def in_hand(lease: Lease) -> InHand:
    work, prompt, subjects = lease.assignment.round, lease.assignment.prompt, subjects_of(lease)
    flagged = set(flags_on(lease, subjects.values()).values_list("response", "prompt"))
    unit = text.unit_for("auto", prompt.language, prompt.text, next(iter(subjects.values())).text)
    return InHand(
        token=lease.token,
        round_name=(work.mixed_into or work).name,
        kind=work.kind,
        text_language=language_tag(prompt.language, counts_characters=unit == "characters"),
        subjects=tuple(
            Subject(letter, " ".join(one.text[:BEGINNING].split()))
            for letter, one in subjects.items()
            if _key(one) not in flagged
        ),
        may_skip=may_skip(lease),
    )


def may_skip(lease: Lease) -> bool:
    """Whether it can go back unanswered: work that is not done, not closed, and no part of the preparation."""
    work = lease.assignment.round
    return work.purpose in WORK and not scoring_page.why_closed(lease) and not slots.is_judged(lease)


def _key(one: Response | Prompt) -> tuple[int | None, int | None]:
    return (one.pk, None) if isinstance(one, Response) else (None, one.pk)

"""The scoring page. What it needs comes as a frozen dataclass that can hold no more.

No field of these types carries a source, another's score, a gold value or an id of the material.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.lookups import IsNull
from django.utils.functional import cached_property
from django.utils.translation import gettext

from annotation.domain import reading_time, text
from annotation.domain.stages import WORK
from annotation.models import Flag, Genre, Lease, Response, Round, Rubric, Score
from annotation.models.prepared import Parameter, prepared
from annotation.queries import rubrics, scoring, slots
from annotation.queries.rubrics import LevelText
from annotation.queries.texts import language_tag, paragraphs

# What the names of marks begin with in a form: mark-GENRE.CRITERION, and mark-CRITERION for those of every genre.
MARK = "mark-"
PEEK = 120  # characters


@dataclass(frozen=True)
class CriterionToRead:
    """A criterion, by keys that are the same in every language and with its text in one."""

    genre: str  # "" for those of every genre
    key: str
    name: str
    question: str
    mark: str  # as it stands in the form; "" for none


@dataclass(frozen=True)
class GivenMark:
    criterion: str
    value: int


@dataclass(frozen=True)
class Given:
    """The annotator's own score, as it stands now."""

    value: int
    justification: str
    at: datetime
    marks: tuple[GivenMark, ...]
    revision: int


@dataclass(frozen=True)
class Entry:
    """What stands in the form when it is shown: as it was sent, drafted or given, or nothing yet."""

    value: str = ""
    justification: str = ""
    marks: tuple[tuple[tuple[str, str], str], ...] = ()  # ((genre key, criterion key), mark)
    active: int = 0  # seconds at work on this text, on pages that are closed by now
    based_on: int = 0  # the revision that it would follow

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Entry":
        """From the names and values of the form, whoever sent or kept them."""
        return cls(
            value=_words(data, "value"),
            justification=_words(data, "justification").replace("\r\n", "\n"),
            marks=tuple(marks_in(data).items()),
            active=_count(data, "active"),
            based_on=_count(data, "based_on"),
        )


@dataclass(frozen=True)
class ScoringItem:
    """Everything the scoring page shows."""

    token: str
    project_name: str
    round_name: str
    round_token: str
    number: int  # of this text among those done and to do, from 1
    total: int
    genre_name: str
    text_language: str  # BCP 47, of prompt and response; "" where unknown
    prompt: str
    prompt_is_new: bool  # no text of this prompt has been scored yet, so it still has to be read
    response: str
    levels: tuple[LevelText, ...]  # 3 first
    universal_criteria: tuple[CriterionToRead, ...]
    genre_criteria: tuple[CriterionToRead, ...]
    takes_marks: bool  # a mark for each criterion may be given beside the score
    guideline: bool  # the rubric of the round has one to read
    flagged: bool  # by this annotator, and nobody has looked at it yet
    justification_minimum: int
    counts_characters: bool  # justification and text are counted in characters, not words
    usual_seconds: int  # that reading the text takes
    given: Given | None
    earlier: (
        Given | None
    )  # the annotator's own score in the first round, where this is the second over the same texts
    entry: Entry
    draft_version: int  # of the draft on the server; 0 for none
    is_editing: bool  # the form is there though a score was given
    may_edit: bool
    closed: str  # why no score is taken any more, as `why_closed` says it; "" where one is

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        return paragraphs(self.response)

    @property
    def peek(self) -> str:
        """The beginning of the prompt, for a line that opens it."""
        return self.prompt if len(self.prompt) <= PEEK else f"{self.prompt[: PEEK - 1]}…"

    @cached_property
    def place(self) -> str:
        return gettext("Item %(number)s of %(total)s") % {"number": self.number, "total": self.total}

    @property
    def shows_form(self) -> bool:
        return self.is_editing or not self.given

    @property
    def done(self) -> int:
        return self.number if self.given else self.number - 1

    @property
    def language_name(self) -> str:
        primary = self.text_language.split("-")[0].lower()
        return {"zh": gettext("Chinese"), "en": gettext("English")}.get(primary, self.text_language)

    @cached_property
    def language_tag(self) -> str:
        return language_tag(self.text_language, counts_characters=self.counts_characters)


@dataclass(frozen=True)
class _Facts:
    """Small things about one hand-out that one query answers."""

    is_scored: bool
    flagged: bool
    knows_prompt: bool
    draft_version: int | None
    draft: Mapping[str, Any] | None


def scoring_item(
    lease: Lease, *, language: str, sent: Mapping[str, Any] | None = None, edit: bool = False
) -> ScoringItem:
    """The page of one lease, its rubric in the reader's language ('en' or 'zh').

    `sent` is a form that comes back. `edit` asks for the form though a score was given.
    """
    work, prompt = lease.assignment.round, lease.assignment.response.prompt
    host = work.mixed_into or work
    response = lease.assignment.response
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    facts = _facts(lease)
    stored = scoring.latest(lease) if facts.is_scored else None
    earlier = scoring.latest(lease, work.follows_id) if work.follows_id else None
    genres = _with_parent(prompt.genre)
    closed = why_closed(lease)
    may_edit = stored is not None and not closed and work.purpose in WORK
    is_editing = may_edit and (edit or sent is not None)
    entry = _entry(stored, facts, sent=sent, is_editing=is_editing)
    criteria = _criteria(work.rubric, genres, language=language, marks=dict(entry.marks))
    number, total = scoring.place_of(lease, is_done=stored is not None)
    return ScoringItem(
        token=lease.token,
        project_name=work.project.name,
        round_name=host.name,
        round_token=host.token,
        number=number,
        total=total,
        genre_name=rubrics.name_of(prompt.genre, language) if prompt.genre else "",
        text_language=prompt.language,
        prompt=prompt.text,
        prompt_is_new=not facts.knows_prompt,
        response=response.text,
        levels=rubrics.level_texts(work.rubric, language),
        universal_criteria=tuple(each for each in criteria if not each.genre),
        genre_criteria=tuple(each for each in criteria if each.genre),
        takes_marks=work.project.criterion_marks,
        guideline=rubrics.has_guideline(work.rubric),
        flagged=facts.flagged,
        justification_minimum=scoring.justification_minimum(work, unit),
        counts_characters=unit == "characters",
        usual_seconds=reading_time.expected(response.text, unit),
        given=_given(stored, genres, language=language) if stored else None,
        earlier=_given(earlier, genres, language=language) if earlier else None,
        entry=entry,
        draft_version=facts.draft_version or 0,
        is_editing=is_editing,
        may_edit=may_edit,
        closed=closed,
    )


def why_closed(lease: Lease) -> str:
    """'withdrawn', 'given_back' or 'locked' where no judgement is taken under the lease any more; "" where one is."""
    slot, work = lease.assignment, lease.assignment.round
    if any(one and one.state == Response.State.REMOVED for one in (slot.response, slot.other)):
        return "withdrawn"
    if slots.is_given_back(lease):
        return "given_back"
    rounds = (work, work.mixed_into or work)
    is_open = all(one.state in (Round.State.OPEN, Round.State.PAUSED) for one in rounds)
    return "" if is_open else "locked"


def _facts(lease: Lease) -> _Facts:
    slot = lease.assignment
    text = {"response": slot.response_id, "prompt": slot.prompt_id, "work": slot.round_id}
    return _Facts(*_read_facts(lease=lease.pk, annotator=lease.annotator_id, **text)[0])


@prepared
def _read_facts(
    *, lease: Parameter, annotator: Parameter, response: Parameter, prompt: Parameter, work: Parameter
) -> QuerySet:
    flags = Flag.objects.filter(raised_by=annotator, response=response, state=Flag.State.OPEN)
    scores = Score.objects.filter(round=work, annotator=annotator)
    # From the few responses of a prompt, not from all scores of the round.
    scored = slots.one_of(scores.filter(response=OuterRef("pk")))
    known = Response.objects.filter(IsNull(scored, False), prompt=prompt)
    found = Lease.objects.filter(pk=lease)
    return found.values_list(
        Exists(scores.filter(response=response)),
        Exists(flags),
        Exists(known),
        "draft__version",
        "draft__content",
    )


def _entry(stored: Score | None, facts: _Facts, *, sent: Mapping[str, Any] | None, is_editing: bool) -> Entry:
    """What was sent, else what was drafted on what is stored, else what is stored."""
    if sent is not None:
        return Entry.read(sent)
    revision = stored.revision if stored else 0
    drafted = Entry.read(facts.draft) if isinstance(facts.draft, Mapping) else None
    if drafted and drafted.based_on == revision and (is_editing or not stored):
        return drafted
    if not stored or not is_editing:
        return Entry(based_on=revision)
    marks = tuple((each, str(mark)) for each, mark in scoring.marks_of(stored).items())
    return Entry(str(stored.value), stored.justification, marks, based_on=revision)


def marks_in(data: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """What a form has for criteria, by (genre key, criterion key), the first "" for every genre."""
    found = {}
    for name in data:
        value = _words(data, name) if name.startswith(MARK) else ""
        if value:
            genre, _dot, key = name.removeprefix(MARK).rpartition(".")
            found[genre, key] = value
    return found


def _words(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _count(data: Mapping[str, Any], name: str) -> int:
    value = _words(data, name)
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def criteria_to_mark(lease: Lease) -> set[tuple[str, str]]:
    """(genre key, criterion key) of what the rubric of the round asks of this text."""
    genres = _with_parent(lease.assignment.response.prompt.genre)
    criteria = _criteria(lease.assignment.round.rubric, genres, language="en")
    return {(criterion.genre, criterion.key) for criterion in criteria}


def _given(score: Score, genres: Sequence[Genre], *, language: str) -> Given:
    marks = scoring.marks_of(score)
    criteria = _criteria(score.rubric, genres, language=language) if marks else ()
    names = {(criterion.genre, criterion.key): criterion.name for criterion in criteria}
    return Given(
        value=score.value,
        justification=score.justification,
        at=score.at or score.recorded_at,
        # The key stands for a criterion of a genre that the prompt has no longer.
        marks=tuple(GivenMark(names.get(each, each[1]), mark) for each, mark in marks.items()),
        revision=score.revision,
    )


def _criteria(
    rubric: Rubric,
    genres: Sequence[Genre],
    *,
    language: str,
    marks: Mapping[tuple[str, str], str] | None = None,
) -> tuple[CriterionToRead, ...]:
    """Universal criteria, then those of these genres in their order, each in the language, else in the other."""
    of = "".join(f":{genre.pk}={genre.key}" for genre in genres)
    found = rubrics.kept(rubric, f"criteria:{language}{of}", lambda: _read_criteria(rubric, genres, language))
    return (
        tuple(replace(each, mark=marks.get((each.genre, each.key), "")) for each in found) if marks else found
    )


def _read_criteria(rubric: Rubric, genres: Sequence[Genre], language: str) -> tuple[CriterionToRead, ...]:
    keys = {None: "", **{genre.pk: genre.key for genre in genres}}
    found: dict[tuple[str, str], CriterionToRead] = {}
    rows = [row for row in rubrics.criterion_rows(rubric) if row[0] in keys]
    for genre, key, written_in, name, question in sorted(rows, key=lambda row: list(keys).index(row[0])):
        each = (keys[genre], key)
        if each not in found or written_in == language:
            found[each] = CriterionToRead(*each, name, question, "")
    return tuple(found.values())


def _with_parent(genre: Genre | None) -> list[Genre]:
    """The criteria of a macro-category are those of its types too."""
    return [level for level in (genre and genre.parent, genre) if level]

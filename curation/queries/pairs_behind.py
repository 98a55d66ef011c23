"""The candidates behind a number of a what-if, and one of them with its texts, its votes and what each rule said."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain.text import unit_for
from annotation.models import Response
from annotation.queries.imports import said_of
from annotation.queries.rubrics import name_of
from annotation.queries.texts import language_tag, paragraphs
from curation.domain import behind, candidates, pair_story
from curation.domain.candidates import Candidate
from curation.domain.charts import Cell, Column, Table
from curation.domain.recipes import WritingPreference
from curation.models import WhatIf, WhatIfBar
from curation.queries import what_if_names
from curation.queries.recipe_page import TITLES
from curation.queries.what_if_page import Numbers

AT_A_TIME = 50
COLUMNS = (
    "prompt_id",
    "chosen",
    "rejected",
    "outcome",
    "k",
    "votes_for",
    "votes_against",
    "ties",
    "gap",
    "length_chosen",
    "length_rejected",
    "length_difference",
    "bucket",
    "priority",
    "scores_chosen",
    "scores_rejected",
)

STATES = {
    pair_story.PASSED: gettext_lazy("passed"),
    pair_story.OFF: gettext_lazy("off"),
    pair_story.DECIDED: gettext_lazy("decided"),
    pair_story.NOT_REACHED: gettext_lazy("not asked"),
}


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """`place` counts from 1 in the bar. `gap` is in lowest terms, "" where nobody scored both."""

    place: int
    prompt: str
    chosen: str
    rejected: str
    outcome: str
    is_accepted: bool
    k: int
    votes_for: int
    votes_against: int
    ties: int
    gap: str
    length_chosen: int
    length_rejected: int
    difference: int
    bucket: int | None
    priority: int
    unit: str  # of the lengths, "" where the response is gone

    @property
    def signed_difference(self) -> str:
        return what_if_names.signed(self.difference)


@dataclass(frozen=True, slots=True)
class BarPage:
    key: str
    title: str
    total: int
    kept: int
    lines: tuple[CandidateLine, ...]
    page: int
    pages: int

    @property
    def is_part(self) -> bool:
        """Whether more stand behind the number than were kept."""
        return self.kept < self.total

    @property
    def before(self) -> int:
        return self.page - 1

    @property
    def after(self) -> int:
        return self.page + 1


@dataclass(frozen=True, slots=True)
class VoteLine:
    """The scores of one annotator; None where there is none."""

    pseudonym: str
    chosen: int | None
    rejected: int | None
    vote: str
    revised: bool


@dataclass(frozen=True, slots=True)
class StepLine:
    label: str
    state: str
    shown: str
    words: str

    @property
    def says_more(self) -> bool:
        """Whether its words tell more than its state does."""
        return self.state in (pair_story.PASSED, pair_story.DECIDED)


@dataclass(frozen=True, slots=True)
class TextPart:
    """One of the two texts. `pk` is None where the response is gone since."""

    pk: int | None
    name: str
    is_chosen: bool
    source_model: str
    length: int
    mean: str
    paragraphs: tuple[str, ...]
    tag: str

    @property
    def is_chinese(self) -> bool:
        return self.tag.startswith("zh")


@dataclass(frozen=True, slots=True)
class PairPage:
    line: CandidateLine
    has_side: bool  # whether the scores prefer one
    prompt: str
    tag: str
    genre: str
    language: str
    texts: tuple[TextPart, ...]
    votes: tuple[VoteLine, ...]
    steps: tuple[StepLine, ...]
    before: int | None  # places of its neighbours in the bar
    after: int | None


def table(kept: WhatIfBar) -> Table:
    """All that are kept, for a file: with every score, its annotator under the pseudonym."""
    rows = candidates.from_bytes(bytes(kept.content))
    return Table(
        tuple(Column(name, name) for name in COLUMNS),
        tuple(tuple(Cell(str(value), value) for value in _row(each)) for each in rows),
    )


def _row(each: Candidate) -> tuple[str | int | None, ...]:
    tally, gap = each.tally, pair_story.gap(each)
    return (
        each.prompt,
        each.chosen,
        each.rejected,
        each.reason or behind.ACCEPTED,
        tally.k,
        tally.votes_for,
        tally.votes_against,
        tally.ties,
        pair_story.fraction(gap) if gap is not None else None,
        each.length_chosen,
        each.length_rejected,
        each.difference,
        each.bucket,
        str(each.priority),
        _given((name, chosen) for name, chosen, _rejected, _revised in each.scores),
        _given((name, rejected) for name, _chosen, rejected, _revised in each.scores),
    )


def _given(scores: Iterable[tuple[str, int | None]]) -> str:
    return " ".join(f"{name}={score}" for name, score in scores if score is not None)


def bar_page(kept: WhatIfBar, numbers: Numbers, *, page: int) -> BarPage:
    """A page that there is not is the nearest that there is."""
    rows = candidates.from_bytes(bytes(kept.content))
    pages = max(1, -(-len(rows) // AT_A_TIME))
    page = min(max(page, 1), pages)
    start = (page - 1) * AT_A_TIME
    shown = rows[start : start + AT_A_TIME]
    units = _units(kept.what_if, _responses(kept.what_if, [each.chosen for each in shown]))
    return BarPage(
        key=kept.key,
        title=title(kept.key, numbers),
        total=kept.total,
        kept=kept.kept,
        lines=tuple(
            _line(each, place, units.get(each.chosen, "")) for place, each in enumerate(shown, start + 1)
        ),
        page=page,
        pages=pages,
    )


def title(key: str, numbers: Numbers) -> str:
    """What the number is of, in words."""
    if key == behind.rule(behind.ACCEPTED):
        return _("Accepted pairs")
    named = {line.bar: line.label for line in (*numbers.rules, *numbers.cells)}
    named |= {line.bar: _("Chosen text %(how)s") % {"how": line.label} for line in numbers.groups}
    named |= {
        line.bar_after: _("Accepted, chosen text %(how)s") % {"how": line.label} for line in numbers.groups
    }
    return named.get(key, key)


def pair_page(found: WhatIf, kept: WhatIfBar, place: int, *, language: str) -> PairPage | None:
    """None where there is no such place. `language` is the reader's, for the name of the genre."""
    rows = candidates.from_bytes(bytes(kept.content))
    if not 1 <= place <= len(rows):
        return None
    each = rows[place - 1]
    responses = _responses(found, [each.chosen, each.rejected])
    first = next(iter(responses.values()), None)
    prompt = first.prompt if first else None
    recipe = WritingPreference.from_parameters(found.parameters)
    return PairPage(
        line=_line(each, place, _units(found, responses).get(each.chosen, "")),
        has_side=bool(each.tally.gap),
        prompt=prompt.text if prompt else "",
        tag=_tag(first) if first else "",
        genre=name_of(prompt.genre, language) if prompt and prompt.genre else "",
        language=what_if_names.tongue(prompt.language) if prompt else "",
        texts=tuple(_texts(each, responses)),
        votes=tuple(_votes(each)),
        steps=tuple(_steps(each, recipe)),
        before=place - 1 if place > 1 else None,
        after=place + 1 if place < len(rows) else None,
    )


def _responses(found: WhatIf, names: Sequence[str]) -> Mapping[str, Response]:
    rows = found.project.responses.filter(external_id__in=names).select_related("prompt__genre")
    return {row.external_id: row for row in rows}


def _units(found: WhatIf, responses: Mapping[str, Response]) -> Mapping[str, str]:
    """In what the length of each is counted, in words."""
    setting = WritingPreference.from_parameters(found.parameters).length_unit
    return {name: what_if_names.unit([_unit(setting, row)]) for name, row in responses.items()}


def _unit(setting: str, row: Response) -> str:
    counted = unit_for(setting, row.prompt.language, row.prompt.text, row.text)
    return counted if row.given_length is None else what_if_names.GIVEN


def _line(each: Candidate, place: int, unit: str) -> CandidateLine:
    tally, gap = each.tally, pair_story.gap(each)
    return CandidateLine(
        place=place,
        prompt=each.prompt,
        chosen=each.chosen,
        rejected=each.rejected,
        outcome=what_if_names.rule(each.reason) if each.reason else _("Accepted"),
        is_accepted=not each.reason,
        k=tally.k,
        votes_for=tally.votes_for,
        votes_against=tally.votes_against,
        ties=tally.ties,
        gap=pair_story.fraction(gap) if gap is not None else "",
        length_chosen=each.length_chosen,
        length_rejected=each.length_rejected,
        difference=each.difference,
        bucket=each.bucket,
        priority=each.priority,
        unit=unit,
    )


def _texts(each: Candidate, responses: Mapping[str, Response]) -> Sequence[TextPart]:
    tally, made = each.tally, []
    sides = (
        (each.chosen, True, each.length_chosen, tally.sum_chosen),
        (each.rejected, False, each.length_rejected, tally.sum_rejected),
    )
    for name, is_chosen, length, total in sides:
        response = responses.get(name)
        made.append(
            TextPart(
                pk=response.pk if response else None,
                name=name,
                is_chosen=is_chosen,
                source_model=response.source_model if response else "",
                length=length,
                mean=f"{total / tally.k:.2f}" if tally.k else "",
                paragraphs=paragraphs(response.text) if response else (),
                tag=_tag(response) if response else "",
            )
        )
    return made


def _tag(response: Response) -> str:
    prompt = response.prompt
    counts = unit_for("auto", prompt.language, prompt.text, response.text) == "characters"
    return language_tag(prompt.language, counts_characters=counts)


def _votes(each: Candidate) -> Sequence[VoteLine]:
    lines_of = []
    for pseudonym, chosen, rejected, revised in each.scores:
        vote = _("scored one of the two")
        if chosen is not None and rejected is not None:
            vote = _("for") if chosen > rejected else _("against") if chosen < rejected else _("tie, no vote")
        lines_of.append(VoteLine(pseudonym, chosen, rejected, vote, revised))
    return lines_of


def _steps(each: Candidate, recipe: WritingPreference) -> Sequence[StepLine]:
    return [
        StepLine(
            label=str(TITLES[step.reason]),
            state=step.state,
            shown=str(STATES[step.state]),
            words=said_of(step.words),
        )
        for step in pair_story.explain(each, recipe)
    ]

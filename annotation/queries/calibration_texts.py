"""The texts of a closed calibration: who gave what, under letters, and why. Nothing of it is read before the close."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.domain import text
from annotation.domain.scoring import SCALE
from annotation.domain.spread import spread
from annotation.models import Membership, Response, Round, Score
from annotation.queries import calibration, rubrics
from annotation.queries.rubrics import LevelText
from annotation.queries.texts import language_tag, paragraphs

BEGINNING = 90


@dataclass(frozen=True, slots=True)
class Dot:
    letter: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """Who gave 0, 1, 2 and 3, in one round."""

    name: str
    cells: tuple[tuple[Dot, ...], ...]
    own: int | None

    @property
    def count(self) -> int:
        return sum(map(len, self.cells))


@dataclass(frozen=True, slots=True)
class TextLine:
    """A text in the list. `place`, from 1, stands for it in addresses."""

    place: int
    beginning: str
    tag: str
    genre: str
    strips: tuple[Strip, ...]
    spread: float  # in the first round


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody gave in one round, and why."""

    round_name: str
    value: int
    justification: str


@dataclass(frozen=True, slots=True)
class Judge:
    letter: str
    is_own: bool
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class TextPage:
    line: TextLine
    prompt: str
    paragraphs: tuple[str, ...]
    judges: tuple[Judge, ...]
    levels: tuple[LevelText, ...]
    total: int  # texts of the round

    @property
    def is_chinese(self) -> bool:
        return self.line.tag.startswith("zh")


def closed_rounds(first: Round) -> list[tuple[str, Round]]:
    """Of a calibration, with what a page calls them: both where the second is closed too."""
    second = calibration.second_of(first)
    named = [(_("First round"), first), (_("Second round"), second)]
    return [(name, work) for name, work in named if work is not None and work.state == Round.State.LOCKED]


def text_lines(first: Round, *, reader: Membership | None = None) -> list[TextLine]:
    """The widest spread first. An annotator sees the texts that they have scored themselves; a lead sees all."""
    shown = _shown(first, reader)
    closed, scores = _scores(first)
    letters = calibration.letters(first)
    lines = [
        _line(place, response, closed, scores[response.pk], letters, reader) for place, response in shown
    ]
    return sorted(lines, key=lambda line: (-line.spread, line.place))


def response_at(first: Round, place: int, *, reader: Membership | None = None) -> Response | None:
    return dict(_shown(first, reader)).get(place)


def text_page(first: Round, place: int, *, reader: Membership | None = None) -> TextPage | None:
    """None where there is no such text for the reader, or the first round is not closed."""
    response = response_at(first, place, reader=reader)
    if response is None:
        return None
    closed, scores = _scores(first, response)
    letters, given = calibration.letters(first), scores[response.pk]
    return TextPage(
        line=_line(place, response, closed, given, letters, reader),
        prompt=response.prompt.text,
        paragraphs=paragraphs(response.text),
        judges=_judges(closed, given, letters, reader),
        levels=rubrics.level_texts(first.rubric, rubrics.reader_language()),
        total=calibration.responses(first).count(),
    )


def _shown(first: Round, reader: Membership | None) -> list[tuple[int, Response]]:
    """(place, text); nothing before the close, nothing to somebody who did not score it."""
    if not closed_rounds(first):
        return []
    numbered = list(enumerate(calibration.responses(first), start=1))
    if reader is None:
        return numbered
    own = set(first.scores.filter(annotator=reader).values_list("response", flat=True))
    return [(place, response) for place, response in numbered if response.pk in own]


# By round, then by membership.
Given = Mapping[int, Mapping[int, Score]]


def _scores(
    first: Round, response: Response | None = None
) -> tuple[list[tuple[str, Round]], Mapping[int, Given]]:
    closed = closed_rounds(first)
    found: dict[int, dict[int, dict[int, Score]]] = defaultdict(lambda: defaultdict(dict))
    rows = Score.objects.filter(
        round__in=[work for _name, work in closed], revision=1, standing=Score.Standing.COUNTED
    ).exclude(annotator__state=Membership.State.WITHDRAWN)
    for score in rows.filter(response=response) if response else rows:
        found[score.response_id][score.round_id][score.annotator_id] = score
    return closed, found


def _line(
    place: int,
    response: Response,
    closed: Sequence[tuple[str, Round]],
    given: Given,
    letters: Mapping[int, str],
    reader: Membership | None,
) -> TextLine:
    prompt = response.prompt
    unit = text.unit_for("auto", prompt.language, prompt.text, response.text)
    return TextLine(
        place=place,
        beginning=" ".join(response.text[: 2 * BEGINNING].split())[:BEGINNING],
        tag=language_tag(prompt.language, counts_characters=unit == "characters"),
        genre=rubrics.name_of(prompt.genre, rubrics.reader_language()) if prompt.genre else "",
        strips=tuple(_strip(name, given.get(work.pk, {}), letters, reader) for name, work in closed),
        spread=spread([score.value for score in given.get(closed[0][1].pk, {}).values()]),
    )


def _strip(
    name: str, given: Mapping[int, Score], letters: Mapping[int, str], reader: Membership | None
) -> Strip:
    mine = reader.pk if reader else None
    dots = sorted(
        (len(letters.get(member, "–")), letters.get(member, "–"), score.value, member == mine)
        for member, score in given.items()
    )
    return Strip(
        name,
        tuple(
            tuple(Dot(letter, is_own) for _length, letter, value, is_own in dots if value == each)
            for each in SCALE
        ),
        given[mine].value if mine in given else None,
    )


def _judges(
    closed: Sequence[tuple[str, Round]],
    given: Given,
    letters: Mapping[int, str],
    reader: Membership | None,
) -> tuple[Judge, ...]:
    """One's own first, then by letter."""
    said: dict[int, list[Said]] = defaultdict(list)
    for name, work in closed:
        for member, score in given.get(work.pk, {}).items():
            said[member].append(Said(name, score.value, score.justification))
    mine = reader.pk if reader else None
    judges = [Judge(letters.get(member, "–"), member == mine, tuple(each)) for member, each in said.items()]
    return tuple(sorted(judges, key=lambda judge: (not judge.is_own, len(judge.letter), judge.letter)))

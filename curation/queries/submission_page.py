"""The page of a submission: how well the model does in all and by part, what is wrong with its file, and it against
another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.models import Genre, Project
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of
from curation.domain.charts import Cell, Column, Table
from curation.domain.charts.tables import NONE, with_minus
from curation.domain.evaluation.problems import KINDS
from curation.models import Comparison, Submission
from curation.queries.leaderboard import HUMAN, Beside, Rate, baselines

Json = Mapping[str, Any]
ON_A_PAGE = 50
AXES = ("genres", "languages", "strata")
# The heading of a table, and that of its first column.
TITLES = {
    "genres": (gettext_lazy("By genre"), gettext_lazy("Genre")),
    "languages": (gettext_lazy("By language"), gettext_lazy("Language")),
    "strata": (gettext_lazy("By language and genre"), gettext_lazy("Language and genre")),
}
FORMS = {
    "scores": gettext_lazy("scores of responses"),
    "pair_scores": gettext_lazy("scores of pairs"),
    "choices": gettext_lazy("choices in both orders"),
    "rankings": gettext_lazy("rankings"),
}
PROBLEMS = {
    "missing": (
        gettext_lazy("missing"),
        gettext_lazy("the release asks for it, and the file does not have it"),
    ),
    "extra": (gettext_lazy("extra"), gettext_lazy("it is not of this release, and counts nowhere")),
    "unused": (gettext_lazy("unused"), gettext_lazy("a response in none of the pairs; it counts nowhere")),
    "duplicate": (gettext_lazy("duplicate"), gettext_lazy("said twice in the same words; it counts once")),
    "contradictory": (gettext_lazy("contradictory"), gettext_lazy("said twice, otherwise: neither counts")),
    "non_finite": (gettext_lazy("no number"), gettext_lazy("NaN, an infinity or null; it counts as wrong")),
    "no_verdict": (gettext_lazy("no verdict"), gettext_lazy("null in place of a choice; it counts as wrong")),
    "wrong_texts": (
        gettext_lazy("other texts"),
        gettext_lazy("not the texts of its pair or prompt; it counts as wrong"),
    ),
}


@dataclass(frozen=True, slots=True)
class PartLine:
    """Some of the pairs. The values of p are in words."""

    label: str
    pairs: int
    prompts: int
    few: bool
    accuracy: Rate
    ties: int
    unanswered: int
    p: str
    p_holm: str
    binomial: str
    people: Rate


@dataclass(frozen=True, slots=True)
class Axis:
    """Parts of the pairs, with what is said of each."""

    key: str
    title: str
    heading: str
    lines: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SpreadLine:
    """SDs in points; `genres` are how many it is over."""

    label: str
    genres: int
    sd: str
    by_sampling: str
    by_sampling_of_prompts: str
    p: str


@dataclass(frozen=True, slots=True)
class PairsPart:
    """How well it does on the pairs of a split."""

    whole: PartLine
    ties_half: Rate
    wilson: Rate
    exact: Rate
    binomial_k: int
    binomial_n: int
    consistent: Rate
    right_in_both: Rate
    first_preferred: Rate
    has_positions: bool
    beside: tuple[Beside, ...]
    axes: tuple[Axis, ...]
    spreads: tuple[SpreadLine, ...]
    unknown_genre: int


@dataclass(frozen=True, slots=True)
class ProblemCount:
    label: str
    means: str
    test: int
    heldout: int


@dataclass(frozen=True, slots=True)
class ProblemLine:
    label: str
    id: str
    line: int | None
    first: str


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    form: str
    rows: int
    pairs: PairsPart | None
    heldout: PairsPart | None
    heldout_reason: str | None
    counts: tuple[ProblemCount, ...]
    listed: Page
    unlisted: int


@dataclass(frozen=True, slots=True)
class AgainstLine:
    label: str
    difference: str
    interval: str
    p: str
    p_holm: str
    only_first: int
    only_second: int
    mcnemar: str


@dataclass(frozen=True, slots=True)
class AgainstPage:
    """One submission less another."""

    whole: AgainstLine
    axes: tuple[Axis, ...]


# --- a submission ----------------------------------------------------------------------------------------


def submission_page(submission: Submission, *, number: str = "1") -> SubmissionPage:
    """Of one that has a result; `number` is the page of its problems."""
    result: Json = submission.result
    names = names_of(submission.release.project)
    test, heldout = (result["splits"].get(split) for split in ("test", "heldout"))
    problems = [part["predictions"]["problems"] if part else None for part in (test, heldout)]
    listed = Paginator(problems[0]["listed"] if problems[0] else [], ON_A_PAGE).get_page(number)
    listed.object_list = [
        ProblemLine(str(PROBLEMS[each["kind"]][0]), each["id"], each["line"], each["first"])
        for each in listed.object_list
    ]
    return SubmissionPage(
        form=str(FORMS[result["form"]]),
        rows=result["rows"],
        pairs=_pairs(test, names),
        heldout=_pairs(heldout, names),
        heldout_reason=result["reasons"]["heldout"],
        counts=_counts(problems),
        listed=listed,
        unlisted=problems[0]["unlisted"] if problems[0] else 0,
    )


def names_of(project: Project) -> dict[str, dict[str, str]]:
    """By axis what parts are called; of strata either half."""
    language = "zh" if str(get_language()).startswith("zh") else "en"
    return {
        "genres": {genre.key: name_of(genre, language) for genre in Genre.objects.filter(project=project)}
    }


def _name(axis: str, key: str, names: Mapping[str, Mapping[str, str]]) -> str:
    if axis == "genres":
        return names["genres"].get(key, key)
    if axis == "languages":
        return str(language_name(key))
    language, _plus, genre = key.partition("+")
    return f"{language_name(language)} · {names['genres'].get(genre, genre)}"


def _pairs(part: Json | None, names: Mapping[str, Mapping[str, str]]) -> PairsPart | None:
    found = part and part["pairs"]
    if not found:
        return None
    whole = found["overall"]
    independent, position = whole["as_if_independent"], whole["position"]
    people = Beside(
        HUMAN, _("People, against pairs that the others accept"), Rate.of(whole["ceiling"], n="pairs")
    )
    return PairsPart(
        whole=_part(_("All pairs"), whole),
        ties_half=Rate.of(whole["accuracy_ties_half"]),
        wilson=Rate.of(independent["wilson"]),
        exact=Rate.of(independent["exact"]),
        binomial_k=independent["binomial"]["k"],
        binomial_n=independent["binomial"]["n"],
        consistent=Rate.of(position["consistent"]),
        right_in_both=Rate.of(position["right_in_both"]),
        first_preferred=Rate.of(position["first_preferred"]),
        has_positions=position["consistent"] is not None,
        beside=(people, *baselines(whole["baselines"])),
        axes=_axes(found, names, _part),
        spreads=tuple(_spreads(found)),
        unknown_genre=found["unknown_genre"],
    )


def _axes(
    found: Json, names: Mapping[str, Mapping[str, str]], line: Callable[[str, Json], Any]
) -> tuple[Axis, ...]:
    return tuple(
        Axis(
            axis,
            *map(str, TITLES[axis]),
            tuple(line(_name(axis, row["key"], names), row) for row in found[axis]),
        )
        for axis in shown_axes(found)
    )


def shown_axes(found: Json) -> list[str]:
    """Genres within languages only where there are several of both."""
    several = len(found["genres"]) > 1 and len(found["languages"]) > 1
    return [axis for axis in AXES if found[axis] and (axis != "strata" or several)]


def _part(label: str, found: Json) -> PartLine:
    return PartLine(
        label=label,
        pairs=found["pairs"],
        prompts=found["prompts"],
        few=found["few"],
        accuracy=Rate.of(found["accuracy"]),
        ties=found["ties"],
        unanswered=found["unanswered"],
        p=p_shown(found["p"]["p"]),
        p_holm=p_shown(found["p_holm"]),
        binomial=p_shown(found["as_if_independent"]["binomial"]["p"]),
        people=Rate.of(found["ceiling"], n="pairs"),
    )


def _spreads(found: Json) -> list[SpreadLine]:
    by_language = found["spread_by_language"]
    rows = [(_("All pairs"), found["spread"])]
    if len(by_language) > 1:
        rows += [(str(language_name(each["key"])), each) for each in by_language]
    return [_spread(label, each) for label, each in rows if each["sd"] is not None]


def _spread(label: str, found: Json) -> SpreadLine:
    points = [
        NONE if found[key] is None else f"{100 * found[key]:.1f}"
        for key in ("sd", "by_sampling", "by_sampling_of_prompts")
    ]
    return SpreadLine(label, found["genres"], *points, p_shown(found["p"]))


def _counts(problems: Sequence[Json | None]) -> tuple[ProblemCount, ...]:
    test, heldout = ({} if each is None else each["counts"] for each in problems)
    return tuple(
        ProblemCount(*map(str, PROBLEMS[kind]), test.get(kind, 0), heldout.get(kind, 0))
        for kind in KINDS
        if test.get(kind) or heldout.get(kind)
    )


def p_shown(value: float | None) -> str:
    if value is None:
        return NONE
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


PART_COLUMNS = (
    *("split", "axis", "part", "pairs", "prompts", "accuracy", "accuracy_low", "accuracy_high", "ties"),
    *("unanswered", "p_by_prompt", "p_holm", "p_binomial", "human", "human_low", "human_high"),
)


def parts_table(submission: Submission) -> Table:
    """All that the page says by part, for a file, with all digits; parts go by their keys."""
    rows = []
    for split, part in submission.result["splits"].items():
        found = part["pairs"] or {"overall": None}
        named = [("all", {"key": "", **found["overall"]})] if found["overall"] else []
        named += [(axis, row) for axis in AXES for row in found.get(axis, ())]
        rows += [_part_cells(split, axis, row) for axis, row in named]
    return Table(tuple(Column(name, name) for name in PART_COLUMNS), tuple(rows))


def _part_cells(split: str, axis: str, row: Json) -> tuple[Cell, ...]:
    accuracy, people = row["accuracy"], row["ceiling"]
    values = (
        *(split, axis, row["key"], row["pairs"], row["prompts"]),
        *(accuracy["value"], accuracy["low"], accuracy["high"], row["ties"], row["unanswered"]),
        *(row["p"]["p"], row["p_holm"], row["as_if_independent"]["binomial"]["p"]),
        *(people["value"], people["low"], people["high"]),
    )
    return tuple(Cell("", each) for each in values)


# --- one against another ---------------------------------------------------------------------------------


def comparison_of(one: Submission, other: Submission) -> Comparison | None:
    first, second = sorted((one.pk, other.pk), reverse=True)
    return Comparison.objects.filter(first=first, second=second).first()


def others(found: QuerySet[Submission], submission: Submission) -> list[tuple[int, str]]:
    """What it can be compared with, of the submissions that the reader may see."""
    rows = found.filter(state=Submission.State.DONE).exclude(pk=submission.pk).order_by("model", "pk")
    return [(pk, f"{model} ({pk})") for pk, model in rows.values_list("pk", "model")]


def against_page(comparison: Comparison, submission: Submission) -> AgainstPage | None:
    """The submission less the other; None where there are no pairs to compare on."""
    found = comparison.result["pairs"]
    if found is None:
        return None
    names, sign = names_of(submission.release.project), 1 if comparison.first_id == submission.pk else -1
    return AgainstPage(
        whole=_against(_("All pairs"), found["overall"], sign),
        axes=_axes(found, names, lambda label, row: _against(label, row, sign)),
    )


def _against(label: str, found: Json, sign: int) -> AgainstLine:
    """`sign` turns it around."""
    difference, independent = found["difference"], found["as_if_independent"]
    value, *ends = (
        None if difference[key] is None else sign * 100 * difference[key] for key in ("value", "low", "high")
    )
    only = (independent["only_first"], independent["only_second"])[::sign]
    interval = ""
    if None not in ends:
        low, high = (with_minus(end, 1) for end in sorted(ends))
        interval = _("%(low)s to %(high)s") % {"low": low, "high": high}
    return AgainstLine(
        label=label,
        difference=NONE if value is None else with_minus(value, 1),
        interval=interval,
        p=p_shown(found["p"]["p"]),
        p_holm=p_shown(found["p_holm"]),
        only_first=only[0],
        only_second=only[1],
        mcnemar=p_shown(independent["mcnemar"]["p"]),
    )

"""What the page of agreement prints of a report: numbers with names and reasons in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.domain.reach import primary
from annotation.models import Genre, Membership, Project, Round
from annotation.queries.people import language_name
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import name_of
from curation.domain.charts import FEWEST
from curation.models import Figure, Report
from curation.queries.reasons import in_words

Json = Mapping[str, object]
Options = dict[str, list[tuple[str, str]]]

LEVELS = {
    "ordinal": gettext_lazy("Krippendorff's alpha, ordinal"),
    "interval": gettext_lazy("Krippendorff's alpha, interval"),
    "nominal": gettext_lazy("Krippendorff's alpha, nominal"),
}
COEFFICIENTS = {
    "all_equal": gettext_lazy("Percent agreement: all annotators equal"),
    "mean_pairwise": gettext_lazy("Percent agreement: mean of pairs"),
    "fleiss": gettext_lazy("Fleiss' kappa"),
    "fleiss_weighted": gettext_lazy("Fleiss' kappa, quadratic weights"),
    "brennan_prediger": gettext_lazy("Brennan and Prediger"),
    "brennan_prediger_weighted": gettext_lazy("Brennan and Prediger, quadratic weights"),
    "ac1": gettext_lazy("Gwet's AC1"),
    "ac2": gettext_lazy("Gwet's AC2, quadratic weights"),
}
FORMS = {
    "ICC1": gettext_lazy("ICC1: one score, annotators differ"),
    "ICC1k": gettext_lazy("ICC1k: the mean of the scores of a response"),
}
GROUNDS = {
    "drift": gettext_lazy("Severity has moved by %(value)s points in the last two weeks (%(n)s responses)."),
    "self_consistency": gettext_lazy("Only %(value)s of %(n)s repeats have the same score."),
}


# In the order of the page: two beside each other are about as tall.
FIGURES = (
    "genres",
    "ceiling",
    "weeks",
    "languages",
    "severity",
    "use",
    "drift",
    "gold",
    "pairs",
    "gold-of-each",
)
WORST = 20


@dataclass(frozen=True, slots=True)
class Number:
    """A value with its interval, or why there is none. `few`: it rests on too little to be read much into."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    reason: str

    @property
    def few(self) -> bool:
        return self.n is not None and self.n < FEWEST


@dataclass(frozen=True, slots=True)
class Rate:
    """How many scores equal another, and in percent how many that is, and how many are within one level of it."""

    n: int
    same: int
    exact: int
    within_one: int

    @property
    def few(self) -> bool:
        return self.n < FEWEST


@dataclass(frozen=True, slots=True)
class PersonLine:
    """`user` is the account, for a link to the person; None for who only stands for an annotator of a file."""

    pseudonym: str
    name: str
    user: int | None
    scores: int
    severity: Number
    against_rest: Number
    without: Number
    gold: Number
    gold_rate: Rate
    repeats_rate: Rate
    grounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorstLine:
    """A response on which annotators are far apart. `pk` is None where it is gone since."""

    pk: int | None
    response: str
    genre: str
    language: str
    scores: tuple[tuple[str, int], ...]  # name, score


@dataclass(frozen=True, slots=True)
class RankingsPart:
    n: int
    prompts: int
    concordance: Number
    tau: Number
    position: Number
    places: tuple[tuple[int, Number], ...]  # by the place in which a text was shown, the mean of its rank
    with_scores: tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class AgreementPage:
    counts: Json
    alpha: Number
    verdict: str
    gold: Rate
    repeats: Rate
    ceiling: Number
    coefficients: tuple[Number, ...]
    second_opinion: str
    people: tuple[PersonLine, ...]
    rankings: RankingsPart | None
    worst: tuple[WorstLine, ...]

    @property
    def proposals(self) -> tuple[PersonLine, ...]:
        return tuple(person for person in self.people if person.grounds)


def options(project: Project, *, language: str) -> Options:
    """What can be chosen. Names of annotators stand here: the page is for leads."""
    counted = _annotators(project).exclude(state=Membership.State.WITHDRAWN)
    spoken = project.prompts.order_by().values_list("language", flat=True).distinct()
    return {
        "genre": options_of_genres(project, language=language),
        "language": sorted((tag, language_name(tag)) for tag in {primary(tag) for tag in spoken} if tag),
        "annotator": [(key, f"{name} ({key})") for key, name in sorted(_names(counted).items())],
        "round": [
            (str(work.pk), shown_name(work.name))
            for work in project.rounds.filter(purpose=Round.Purpose.LIVE).order_by("pk")
        ],
    }


def agreement_page(project: Project, report: Report, *, language: str) -> AgreementPage:
    """`language` is that of the names of genres, "zh" or "en"."""
    result = report.result
    genres = dict(options_of_genres(project, language=language))
    names, accounts = _names(_annotators(project)), _accounts(project)
    people = _people(result, names, accounts)
    return AgreementPage(
        counts=result["counts"],
        alpha=overall_alpha(result),
        verdict=_verdict(project, result["alpha"]["ordinal"]["value"]),
        gold=rate(result["annotators"], "gold"),
        repeats=rate(result["annotators"], "repeats"),
        ceiling=_number(
            _("Human ceiling"), result["ceiling"]["overall"], result["ceiling"]["overall"]["pairs"]
        ),
        coefficients=tuple(_coefficients(result)),
        second_opinion=_second_opinion(result["second_opinion"]),
        people=people,
        rankings=_rankings(result["rankings"], names),
        worst=_worst(project, result["worst"][:WORST], names, genres),
    )


def options_of_genres(project: Project, *, language: str) -> list[tuple[str, str]]:
    return [
        (genre.key, name_of(genre, language)) for genre in Genre.objects.filter(project=project, parent=None)
    ]


def _annotators(project: Project) -> QuerySet[Membership]:
    return project.memberships.filter(role=Membership.Role.ANNOTATOR)


def _names(members: QuerySet[Membership]) -> dict[str, str]:
    """By pseudonym; the account's own name stands for who gave none."""
    rows = members.values_list("pseudonym", "user__first_name", "user__username")
    return {pseudonym: first or username for pseudonym, first, username in rows}


def _accounts(project: Project) -> dict[str, int]:
    return dict(_annotators(project).values_list("pseudonym", "user"))


def _number(name: object, found: Json, n: int | None) -> Number:
    reason = found.get("reason")
    return Number(
        str(name),
        found["value"],
        found.get("low"),
        found.get("high"),
        n,
        in_words(reason if isinstance(reason, str) else None),
    )


def _verdict(project: Project, value: float | None) -> str:
    if value is None:
        return ""
    if value >= float(project.alpha_good):
        return _("good, by the project's own lines")
    if value >= float(project.alpha_acceptable):
        return _("acceptable, by the project's own lines")
    return _("below what the project calls acceptable")


def overall_alpha(result: Json) -> Number:
    found = result["alpha"]
    return _number(LEVELS["ordinal"], found["ordinal"], found["n_pairable_units"])


def rate(people: Sequence[Json], what: str) -> Rate:
    """Of all annotators together, on `what`: gold or repeats."""
    n, exact, near = (sum(person[what][key] for person in people) for key in ("n", "exact", "within_one"))
    return Rate(n, exact, round(100 * exact / n), round(100 * near / n)) if n else Rate(0, 0, 0, 0)


def figures(report: Report, *, language: str) -> tuple[Json, ...]:
    rows = Figure.objects.filter(report=report, language=language)
    found = dict(rows.values_list("key", "content"))
    return tuple(found[key] for key in FIGURES if key in found)


def _coefficients(result: Json) -> list[Number]:
    found = result["coefficients"]
    rows = [
        _number(name, result["alpha"][level], result["alpha"]["n_pairable_units"])
        for level, name in LEVELS.items()
    ]
    rows += [
        _number(name, found["coefficients"][key], found["n_pairable_units"])
        for key, name in COEFFICIENTS.items()
    ]
    for form, name in FORMS.items():
        one = found["icc"]["forms"][form]
        rows.append(
            _number(
                name, {**one, "low": one["drawn_low"], "high": one["drawn_high"]}, found["icc"]["n_units"]
            )
        )
    return rows


def _second_opinion(found: Json) -> str:
    if not found["n"]:
        return ""
    if not found["converged"]:
        return _(
            "Weighing annotators by how reliable they are (Dawid and Skene) came to no steady result here."
        )
    return ngettext(
        "Weighing annotators by how reliable they are (Dawid and Skene) gives another score than the median for "
        "%(another)s of %(n)s response.",
        "Weighing annotators by how reliable they are (Dawid and Skene) gives another score than the median for "
        "%(another)s of %(n)s responses.",
        found["n"],
    ) % {key: number_format(found[key], force_grouping=True) for key in ("another", "n")}


def _people(result: Json, names: Mapping[str, str], accounts: Mapping[str, int]) -> tuple[PersonLine, ...]:
    without = {row["annotator"]: row for row in result["without"]}
    nothing = {"value": None, "reason": "nothing_shared", "n": 0}
    lines = []
    for person in result["annotators"]:
        pseudonym = person["annotator"]
        severity = person["severity"]
        lines.append(
            PersonLine(
                pseudonym=pseudonym,
                name=names.get(pseudonym, ""),
                user=accounts.get(pseudonym),
                scores=person["scores"],
                severity=_number("", severity["severity"], severity["n"]),
                against_rest=_number("", person["against_rest"], severity["n"]),
                without=_number("", without.get(pseudonym, nothing), without.get(pseudonym, nothing)["n"]),
                gold=_number("", {**person["gold"], "value": person["gold"]["kappa"]}, person["gold"]["n"]),
                gold_rate=rate([person], "gold"),
                repeats_rate=rate([person], "repeats"),
                grounds=tuple(_ground(ground) for ground in person["proposal"]),
            )
        )
    return tuple(lines)


def _ground(ground: Json) -> str:
    value = f"{ground['value']:+.2f}" if ground["statistic"] == "drift" else f"{ground['value']:.0%}"
    return str(GROUNDS[ground["statistic"]]) % {"value": value, "n": ground["n"]}


def _rankings(found: Json, names: Mapping[str, str]) -> RankingsPart | None:
    if not found["n"]:
        return None
    return RankingsPart(
        n=found["n"],
        prompts=found["prompts"],
        concordance=_number(_("Kendall's W, mean over prompts"), found["w"], found["w"]["n"]),
        tau=_number(
            _("Kendall's tau-b between annotators, mean over prompts"), found["tau"], found["tau"]["n"]
        ),
        position=_number(
            _("How often the text shown first is ranked higher"), found["position"], found["position"]["n"]
        ),
        places=tuple(
            (row["shown"], _number("", {"value": row["mean"] if row["n"] else None}, row["n"]))
            for row in found["position"]["places"]
        ),
        with_scores=tuple(
            (names.get(row["annotator"], row["annotator"]), _number(row["annotator"], row, row["n"]))
            for row in found["with_scores"]
        ),
    )


def _worst(
    project: Project, rows: Sequence[Json], names: Mapping[str, str], genres: Mapping[str, str]
) -> tuple[WorstLine, ...]:
    keys = dict(
        project.responses.filter(external_id__in=[row["response"] for row in rows]).values_list(
            "external_id", "pk"
        )
    )
    return tuple(
        WorstLine(
            pk=keys.get(row["response"]),
            response=row["response"],
            genre=genres.get(row["genre"], row["genre"]),
            language=language_name(row["language"]) if row["language"] else "",
            scores=tuple(
                (names.get(pseudonym, pseudonym), score) for pseudonym, score in sorted(row["scores"].items())
            ),
        )
        for row in rows
    )

"""Recipes as a lead reads them: each rule in words, versions, and what was made with them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.queries.imports import said_of
from curation.domain import recipe_json
from curation.domain.recipes import RECIPES, AnyRecipe, WritingPreference
from curation.domain.rules import OF_RANKINGS, OF_SCORES, OF_VOTES, Kind, Rule
from curation.models import Recipe

TITLES = {
    "identical_text": _("Different texts"),
    "insufficient_overlap": _("Annotators in common"),
    "no_gap": _("A preferred side"),
    "direction": _("A majority"),
    "unanimity": _("Unanimity"),
    "gap": _("A gap"),
    "length_ratio": _("Ratio of lengths"),
    "cap_response": _("Pairs of one response"),
    "cap_prompt": _("Pairs of one prompt"),
    "length_symmetry": _("Length symmetry"),
    "quota": _("Quota"),
    "min_upvotes": _("Enough upvotes"),
    "min_words": _("Enough words"),
    "max_tokens": _("Not too many tokens"),
    "upvote_gap": _("Clearly more upvotes"),
    "time": _("Posted later"),
    "split": _("Training and test"),
    "incomplete": _("Complete prompts"),
    "no_ranking": _("A ranked prompt"),
    "tied": _("No tie"),
    "not_adjacent": _("Adjacent tiers"),
}
ABOUT = {
    "writing-preference": _("Pairs from scores of 0 to 3."),
    "litbench": _("Pairs from a community's upvotes."),
    "litbench-without-time-rule": _("The same without the rule of time: an ablation of the paper."),
    "litbench-without-length-filter": _("The same without length symmetry: an ablation of the paper."),
    "weval": _("Rankings by requirement dropout, and pairs from them."),
}
WORKS_ON = {
    OF_SCORES: _("scores: in runs of a project, and in files"),
    OF_VOTES: _("upvotes: in files"),
    OF_RANKINGS: _("rankings: in files, and of a project by the command"),
}
ON = {
    Kind.FILTER: _("on each response"),
    Kind.CANDIDATE: _("on each candidate"),
    Kind.SET: _("on all pairs together"),
}
PARAMETERS = {
    "min_gap": _("Smallest gap"),
    "min_common": _("Annotators in common"),
    "unanimous": _("Unanimous"),
    "max_pairs_per_response": _("Pairs of one response"),
    "max_pairs_per_prompt": _("Pairs of one prompt"),
    "quota": _("Quota of a stratum"),
    "strata": _("Strata"),
    "length_symmetry": _("Length symmetry"),
    "buckets": _("Buckets"),
    "max_length_ratio": _("Greatest ratio of lengths"),
    "length_unit": _("Length is counted in"),
    "seed": _("Seed"),
    "rules": _("Rules"),
}  # those of scores, in the order of their form
VALUES = {
    ("strata", "none"): _("one for all pairs"),
    ("strata", "language"): _("one for each language"),
    ("strata", "language+genre"): _("one for each genre in each language"),
    ("length_unit", "auto"): _("characters for Chinese and the like, words for the rest"),
    ("length_unit", "words"): _("words"),
    ("length_unit", "characters"): _("characters"),
}
SETTINGS = {
    "length_unit": _("Length is counted in"),
    "strata": _("Strata"),
    "seed": _("Seed"),
    "ties": _("People may tie responses"),
    "pairs_from": _("Pairs are of the order"),
}


@dataclass(frozen=True, slots=True)
class RuleLine:
    name: str
    version: int
    title: Promise
    meaning: str
    on: Promise


@dataclass(frozen=True, slots=True)
class RecipeLine:
    """The newest version of a recipe of the project."""

    pk: int
    name: str
    version: int
    created_at: datetime
    rules: tuple[str, ...]
    runs: int  # of all its versions


@dataclass(frozen=True, slots=True)
class ShippedLine:
    """A recipe as it is shipped. One of which a project makes runs is copied there."""

    name: str
    about: Promise
    works_on: Promise
    runs_in_projects: bool


@dataclass(frozen=True, slots=True)
class VersionLine:
    pk: int
    version: int
    created_at: datetime
    runs: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a recipe says: its rules in their order, those it leaves out, its settings, and all of it as JSON."""

    rules: tuple[RuleLine, ...]
    left_out: tuple[RuleLine, ...]
    settings: tuple[tuple[Promise, str], ...]
    json: str


def lines(project: Project) -> tuple[RecipeLine, ...]:
    """The project's recipes by name."""
    found: dict[str, list[Recipe]] = {}
    stored = Recipe.objects.filter(project=project).annotate(n_runs=Count("runs"))
    for recipe in stored.order_by("name", "-version"):
        found.setdefault(recipe.name, []).append(recipe)
    return tuple(
        RecipeLine(
            pk=newest.pk,
            name=newest.name,
            version=newest.version,
            created_at=newest.created_at,
            rules=_names(of(newest)),
            runs=sum(version.n_runs for version in versions),
        )
        for versions in found.values()
        for newest in versions[:1]
    )


def choices(project: Project) -> tuple[tuple[str, str], ...]:
    """Key and name of the newest version of each recipe that a run may take. That with which a project begins comes
    first, under an empty key while it is not stored."""
    newest = {WritingPreference.name: ("", WritingPreference.name)}
    stored = Recipe.objects.filter(project=project).order_by("name", "version")
    for pk, name, version in stored.values_list("pk", "name", "version"):
        newest[name] = str(pk), f"{name} {version}"
    return tuple(newest.values())


def shipped_lines() -> tuple[ShippedLine, ...]:
    return tuple(
        ShippedLine(name, ABOUT[name], WORKS_ON[kind.all_rules], kind is WritingPreference)
        for name, kind in RECIPES.items()
    )


def versions(recipe: Recipe) -> tuple[VersionLine, ...]:
    """All versions of the recipe's name, the newest first."""
    stored = Recipe.objects.filter(project=recipe.project_id, name=recipe.name)
    counted = stored.annotate(n_runs=Count("runs")).order_by("-version")
    return tuple(VersionLine(each.pk, each.version, each.created_at, each.n_runs) for each in counted)


def of(recipe: Recipe) -> WritingPreference:
    return WritingPreference.from_parameters(recipe.parameters)


def content(recipe: AnyRecipe) -> Content:
    held = recipe.rules()
    names = {rule.name for rule in held}
    return Content(
        rules=tuple(rule_line(type(rule), said_of(rule.meaning)) for rule in held),
        left_out=tuple(
            rule_line(rule, meaning_of(rule)) for rule in recipe.all_rules if rule.name not in names
        ),
        settings=tuple((SETTINGS[key], in_words(key, getattr(recipe, key))) for key in recipe.settings),
        json=recipe_json.written(recipe).decode(),
    )


def in_words(name: str, value: object) -> str:
    """A parameter as a page says it."""
    if isinstance(value, list | tuple):
        return ", ".join(str(TITLES[rule]) for rule in value)
    if value is None or isinstance(value, bool):
        return gettext("on") if value else gettext("off")
    return str(VALUES.get((name, str(value)), value))


def rule_line(rule: type[Rule], meaning: str) -> RuleLine:
    return RuleLine(rule.name, rule.version, TITLES[rule.name], meaning, ON[rule.kind])


def meaning_of(rule: type[Rule]) -> str:
    """What a rule means, with a blank for each of its numbers."""
    blanks: dict[str, Any] = dict.fromkeys(rule.parameters(), "…")
    return said_of(rule(**blanks).meaning)


def _names(recipe: AnyRecipe) -> tuple[str, ...]:
    return tuple(rule.name for rule in recipe.rules())

"""Recipes: ordered lists of rules (rules.py), with every parameter that a paper or a page leaves open.

A recipe is written in two ways. As `parameters()` it is flat: one value for each name, which is what a command line
takes and a stored recipe keeps; the parameter `rules` is there only where the list is not the shipped one. As
`as_dict()` it is the list itself, each rule with its version and its parameters, and the settings that belong to no
rule. The latter is what files hold (recipe_json.py); a manifest has both.

A rule that the list leaves out rejects nothing, and the funnel does not name it. A candidate bears the first reason
of the list that applies. Rules on single candidates may stand in any order; those on all pairs together (caps, length
symmetry, quota) follow in an order of their own, for each works on what the one before it left. The shipped lists
name in the funnel also the rules that are switched off, with zeros.

Whatever is left out, a candidate without a preferred side is never a pair, for nothing says which side to choose. So
a list of scores holds `no_gap` or `gap`, either of which rejects it, and a list of votes holds `upvote_gap`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar

from annotation.domain.sentences import say
from curation.domain import rules
from curation.domain.recipe_base import Recipe, left_out, switched_off
from curation.domain.recipe_values import RecipeError, unknown
from curation.domain.rules import Kind, Rule

__all__ = [
    "RECIPES",
    "AnyRecipe",
    "LitBench",
    "PairRecipe",
    "Recipe",
    "RecipeError",
    "Weval",
    "WritingPreference",
    "from_dict",
    "recipe",
]


@dataclass(frozen=True, slots=True)
class WritingPreference(Recipe):
    """Pairs from scores of 0-3."""

    name: ClassVar[str] = "writing-preference"
    version: ClassVar[int] = 1
    all_rules: ClassVar[tuple[type[Rule], ...]] = rules.OF_SCORES
    settings: ClassVar[tuple[str, ...]] = ("length_unit", "strata", "seed")
    one_of: ClassVar[tuple[str, ...]] = ("no_gap", "gap")
    any_order: ClassVar[bool] = True
    neutral: ClassVar[Mapping[str, object]] = {"min_common": 1, "min_gap": Fraction(0)}

    min_gap: Fraction = Fraction(1)
    min_common: int = 2
    unanimous: bool = False
    max_length_ratio: Fraction | None = None
    max_pairs_per_response: int | None = None
    max_pairs_per_prompt: int | None = None
    length_symmetry: bool = True
    length_unit: str = "auto"
    buckets: int = 100
    strata: str = "none"
    quota: int | None = None
    seed: str = "plumb-1"


@dataclass(frozen=True, slots=True)
class LitBench(Recipe):
    """Pairs from a community's upvotes. `min_difference` is a share of the chosen count.

    The rules stand in the shipped order: the one of upvotes says which story is chosen, of which the later ones speak.
    """

    name: ClassVar[str] = "litbench"
    version: ClassVar[int] = 1
    all_rules: ClassVar[tuple[type[Rule], ...]] = rules.OF_VOTES
    settings: ClassVar[tuple[str, ...]] = ("length_unit", "strata", "seed")
    one_of: ClassVar[tuple[str, ...]] = ("upvote_gap",)
    neutral: ClassVar[Mapping[str, object]] = {"min_upvotes": 0, "min_words": 0}

    min_upvotes: int = 10
    min_words: int = 50
    max_tokens: int | None = 2048
    min_difference: Fraction = Fraction(1, 4)
    time_rule: bool = True
    length_symmetry: bool = True
    length_unit: str = "auto"
    buckets: int = 100
    strata: str = "none"
    seed: str = "plumb-1"
    split_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WithoutTimeRule(LitBench):
    """The paper's first ablation (LitBench, Fein et al. 2025): the better story may be the earlier one."""

    name: ClassVar[str] = "litbench-without-time-rule"

    time_rule: bool = False


@dataclass(frozen=True, slots=True)
class WithoutLengthFilter(LitBench):
    """Its second ablation: no pair is pruned, so that the longer story wins more often than not."""

    name: ClassVar[str] = "litbench-without-length-filter"

    length_symmetry: bool = False


@dataclass(frozen=True, slots=True)
class Weval(Recipe):
    """Rankings by requirement dropout, and pairs of them on demand.

    `complete`: prompts whose responses do not keep exactly n, n - 1, ..., 1 of n requirements are left out.
    `ties`: people may tie responses. `pairs` are of tiers that follow each other, or of any two, of the gold order or
    of the combined one: a list with the rules on pairs asks for them, with `not_adjacent` for the former.
    """

    name: ClassVar[str] = "weval"
    version: ClassVar[int] = 1
    all_rules: ClassVar[tuple[type[Rule], ...]] = rules.OF_RANKINGS
    settings: ClassVar[tuple[str, ...]] = ("ties", "pairs_from")

    complete: bool = True
    ties: bool = True
    pairs: str = "none"
    pairs_from: str = "gold"

    def _is_on(self, rule: type[Rule]) -> bool:
        if rule.switch:
            return self.complete
        return self.pairs == "adjacent" if rule is rules.NotAdjacent else self.pairs != "none"

    @classmethod
    def _switch(cls, names: Sequence[str], values: dict[str, Any]) -> None:
        of_pairs = {rule.name for rule in cls.all_rules if rule.kind is Kind.CANDIDATE}
        missing = of_pairs - {*names} - {rules.NotAdjacent.name}
        if of_pairs & {*names} and missing:
            reason = say("pairs need the rules {names} as well; add them", names=", ".join(sorted(missing)))
            raise RecipeError(reason, field="rules")
        asked = "none" if not of_pairs & {*names} else "adjacent" if of_pairs <= {*names} else "all"
        if values.setdefault("pairs", asked) != asked:
            reason = say("the list of rules asks for pairs={asked}; leave pairs out", asked=asked)
            raise RecipeError(reason, field="pairs")
        listed = rules.Incomplete.name in names
        if values.setdefault("complete", listed) is not listed:
            raise (switched_off if listed else left_out)("complete", rules.Incomplete.name)


PairRecipe = WritingPreference | LitBench  # of candidates, which its length symmetry prunes
AnyRecipe = PairRecipe | Weval

RECIPES: Mapping[str, type[AnyRecipe]] = {
    kind.name: kind for kind in (WritingPreference, LitBench, WithoutTimeRule, WithoutLengthFilter, Weval)
}


def recipe(name: str, given: Mapping[str, object]) -> AnyRecipe:
    """The recipe of that name with these parameters."""
    if name not in RECIPES:
        raise unknown("recipe", name, list(RECIPES))
    return RECIPES[name].from_parameters(given)


def from_dict(given: object) -> AnyRecipe:
    """What Recipe.as_dict gave, or a manifest has under `recipe`; RecipeError, with its place, on anything else."""
    if not isinstance(given, Mapping):
        raise RecipeError(say("a recipe is a JSON object with name, version and rules"))
    if "recipe" in given and "format" in given:
        raise RecipeError(say("this is the manifest of a release; give what stands there under recipe"))
    name = given.get("name")
    if not isinstance(name, str):
        reason = say("a recipe needs the name of one of these: {names}", names=", ".join(RECIPES))
        raise RecipeError(reason, place="name")
    if name not in RECIPES:
        raise unknown("recipe", name, list(RECIPES), place="name")
    return RECIPES[name].from_dict(given)

"""Recipes and their parameters as commands take them."""

from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotation.domain.strict_json import printable
from curation.domain import recipe_json, recipes
from curation.domain.recipes import AnyRecipe, RecipeError

JSON = ".json"


def parameters(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE, each name once."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise RecipeError(f"--param {text!r} has no value; write NAME=VALUE")
        if name in found:
            raise RecipeError(f"--param {name} is given twice; give it once")
        found[name] = value
    return found


def name_or_file(given: str) -> str:
    """What --recipe may say: the name of a recipe, or a file that ends in .json."""
    if file_of(given) is None:
        try:
            recipes.recipe(given, {})
        except RecipeError as error:
            raise ArgumentTypeError(f"{error}, or a file that ends in {JSON}") from error
    return given


def file_of(given: str) -> Path | None:
    """The file that --recipe names, or None where it names a recipe."""
    return Path(given) if given.lower().endswith(JSON) else None


def recipe_in(path: Path) -> AnyRecipe:
    """The recipe of a file; RecipeError with its name and the place."""
    name = printable(path.name)
    try:
        with path.open("rb") as file:
            content = file.read(recipe_json.MOST + 1)
    except OSError as error:
        raise RecipeError(
            f"{name}: the file cannot be read ({error.strerror or type(error).__name__})"
        ) from error
    try:
        return recipe_json.read(content)
    except RecipeError as error:
        raise RecipeError(f"{name}: {error}") from error


def changed(recipe: AnyRecipe, given: Mapping[str, object]) -> AnyRecipe:
    """The recipe with these parameters in place of its own. A list of rules says anew which parameters there are."""
    held = {} if "rules" in given else recipe.parameters()
    return type(recipe).from_parameters({**held, **given})

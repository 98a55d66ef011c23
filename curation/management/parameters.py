"""Parameters of a recipe as commands take them."""

from collections.abc import Sequence

from curation.domain.recipes import RecipeError


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

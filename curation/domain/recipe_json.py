"""A recipe as a file of JSON, as pages give it, commands take it, and the manifest of a release holds it."""

from collections.abc import Mapping

import orjson

from annotation.domain.sentences import say
from annotation.domain.strict_json import NO_NUMBER, NotJson, decode, printable
from curation.domain import recipes
from curation.domain.recipe_base import Recipe
from curation.domain.recipe_values import MAX_SHOWN, RecipeError
from curation.domain.recipes import AnyRecipe

MOST = 64 * 1024  # bytes; the longest recipe that anybody means has some three thousand


def written(recipe: Recipe) -> bytes:
    """The file, for people to open: indented by two, with one line end at the end."""
    return orjson.dumps(recipe.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def of_manifest(recipe: Recipe) -> Mapping[str, object]:
    """What a manifest says: the same, and every parameter once more by its name alone, for those who look one up."""
    return {**recipe.as_dict(), "parameters": recipe.parameters()}


def read(content: bytes) -> AnyRecipe:
    """The recipe of a file, whatever its spacing; RecipeError, with its place, on what is none."""
    if len(content) > MOST:
        raise RecipeError(say("the file is larger than a recipe can be ({most} bytes)", most=MOST))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeError(say("the file is not UTF-8; save it as UTF-8")) from error
    try:
        return recipes.from_dict(decode(text))
    except NotJson as error:
        raise _no_json(error, text) from error


def _no_json(error: NotJson, text: str) -> RecipeError:
    if error.syntax:
        line = text.count("\n", 0, int(error.place) - 1) + 1
        return RecipeError(say("line {line} is not valid JSON ({fault})", line=line, fault=error.syntax))
    finite = say("NaN and Infinity are no numbers in JSON; write a finite number")
    reason = finite if error.reason == NO_NUMBER else error.reason
    return RecipeError(reason, place="" if error.place.isdigit() else printable(error.place)[:MAX_SHOWN])

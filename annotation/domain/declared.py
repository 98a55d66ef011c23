"""Declarations that come as JSON, such as a saved mapping, taken strictly: a slip in one is refused with its place."""

from annotation.domain.records import InputError, nearest
from annotation.domain.sentences import say
from annotation.domain.strict_json import fault_of_text, shown


def refused(reason: str, place: str) -> InputError:
    """The error; `place` is the path of keys, with dots."""
    return InputError(reason, column=place)


def object_of(value: object, known: tuple[str, ...], place: str) -> dict[str, object]:
    """An object with no keys but these."""
    if not isinstance(value, dict):
        raise refused(say("{value} is not a JSON object; write it as {{...}}", value=shown(value)), place)
    for name in value:
        if name not in known:
            hint = nearest(str(name), known)
            raise refused(say("there is no {name}{hint}", name=shown(name), hint=hint), place)
    return value


def string(value: object, place: str) -> str:
    """A text that a database would take."""
    if not isinstance(value, str):
        raise refused(say("{value} is not a text; write it as a string in quotes", value=shown(value)), place)
    fault = fault_of_text(value)
    if fault:
        raise refused(fault, place)
    return value


def strings(value: object, place: str) -> tuple[str, ...]:
    """A list of different texts."""
    if not isinstance(value, list | tuple):
        raise refused(say("{value} is not a list; write it as [...]", value=shown(value)), place)
    found = tuple(string(one, place) for one in value)
    for number, one in enumerate(found):
        if one in found[:number]:
            raise refused(say("{name} occurs twice; name each once", name=shown(one)), place)
    return found


def boolean(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise refused(say("{value} is neither true nor false", value=shown(value)), place)
    return value

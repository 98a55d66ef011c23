"""Batch files as the OpenAI interface defines them: a request a line on the way out, a result a line on the way in."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.domain import strict_json
from annotation.domain.sentences import say
from authoring.domain import chat
from authoring.domain.chat import Answer, Failure

ADDRESS = "/v1/chat/completions"
MOST_LINES = 2_000  # of a file, either way: as many as one request of a browser has stored in some seconds
LONGEST_ID = 200
LATE = frozenset({"batch_expired"})
MARK = "\ufeff".encode()


@dataclass(frozen=True, slots=True)
class Result:
    """What a line says of the request that `custom_id` names. `number` is that of the line, from 1."""

    number: int
    custom_id: str
    found: Answer | Failure


@dataclass(frozen=True, slots=True)
class Fault:
    """A line from which nothing is taken, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """Results by what they are about, in the order of the file, and the lines from which nothing is taken."""

    results: tuple[tuple[int, Answer | Failure], ...]
    faults: tuple[Fault, ...]


def request_line(custom_id: str, body: Mapping[str, Any]) -> str:
    """With its line end."""
    told = {"custom_id": custom_id, "method": "POST", "url": ADDRESS, "body": body}
    return json.dumps(told, ensure_ascii=False, allow_nan=False) + "\n"


def read(lines: Iterable[bytes]) -> Iterator[Result | Fault]:
    """Each line that is not blank. Beyond MOST_LINES there is one fault more, and no further line is read."""
    taken = 0
    for number, line in enumerate(lines, start=1):
        content = line.removeprefix(MARK) if number == 1 else line
        if not content.strip():
            continue
        taken += 1
        if taken > MOST_LINES:
            yield Fault(
                number, say("A file holds {most} results at most. Send the rest in another.", most=MOST_LINES)
            )
            return
        try:
            yield _result(number, content)
        except ValueError as error:
            yield Fault(number, error.args[0])


def sort_out(read: Iterable[Result | Fault], known: Mapping[str, int]) -> Sorted:
    """What is taken from a file. Of several lines about one request the first is, of unknown requests none."""
    results: list[tuple[int, Answer | Failure]] = []
    faults: list[Fault] = []
    seen: dict[str, int] = {}
    for each in read:
        if isinstance(each, Fault):
            faults.append(each)
        elif each.custom_id in seen:
            first = seen[each.custom_id]
            faults.append(
                Fault(
                    each.number,
                    say("The same custom_id as in line {first}; that line is taken.", first=first),
                )
            )
        elif each.custom_id not in known:
            shown = strict_json.shown(each.custom_id)
            faults.append(
                Fault(each.number, say("No request of this source has the custom_id {id}.", id=shown))
            )
        else:
            seen[each.custom_id] = each.number
            results.append((known[each.custom_id], each.found))
    return Sorted(tuple(results), tuple(faults))


# --- A line --------------------------------------------------------------------------------------


def _result(number: int, content: bytes) -> Result:
    """ValueError with a sentence where the line is no result."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise ValueError(say("The line is not in UTF-8.")) from error
    told = strict_json.decode(text)
    if not isinstance(told, dict):
        raise ValueError(say("The line is no JSON object."))
    custom_id = told.get("custom_id")
    if not isinstance(custom_id, str) or not 0 < len(custom_id) <= LONGEST_ID:
        raise ValueError(say("The line has no custom_id that is a text."))
    if "body" in told and "response" not in told:
        raise ValueError(say("This is a request. Send the file of results that came of it."))
    return Result(number, custom_id, _named(told.get("id"), _found(told)))


def _found(told: Mapping[str, Any]) -> Answer | Failure:
    error, response = told.get("error"), told.get("response")
    if error is not None:
        return _of_error(error)
    if not isinstance(response, dict):
        raise ValueError(say("The line has neither a response nor an error."))
    status, body = response.get("status_code"), response.get("body")
    if not isinstance(status, int) or isinstance(status, bool) or not 100 <= status <= 599:
        raise ValueError(say("The response has no status_code of HTTP."))
    if status == 200:
        if not isinstance(body, dict):
            raise ValueError(say("The body of the response is no JSON object."))
        return chat.read_answer(body)
    return chat.of_status(status, _written(body), code=_code(body))


def _of_error(error: object) -> Failure:
    """Of a request that the batch never came to, or that went wrong within it."""
    return Failure("timed_out" if _code({"error": error}) in LATE else "refused", detail=_written(error))


def _code(body: object) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def _written(told: object) -> str:
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)


def _named(name: object, found: Answer | Failure) -> Answer | Failure:
    """With the name that the batch gave to a result, by which one failure is told from the next."""
    if isinstance(found, Answer) or not isinstance(name, str) or not name:
        return found
    detail = f"{name[:LONGEST_ID]}: {found.detail}"[: chat.MOST_DETAIL]
    return Failure(found.kind, found.status, detail)

"""What models answered in a batch: OpenAI and Anthropic, one request a line.

OpenAI: {custom_id, response{status_code, body{model, choices[{index, message{content, refusal}, finish_reason}],
usage}}, error}. Anthropic: {custom_id, result{type, message{model, content[{type, text}], stop_reason}}}. A request
that failed is a row with an error and an empty text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.domain.field_map import Source, as_key
from annotation.domain.layouts.layout import (
    SEVERAL,
    Known,
    Layout,
    Skipped,
    column,
    content_of,
    entry,
    every,
    every_is,
    items,
    joined,
    row,
)
from annotation.domain.made_ids import JOIN
from annotation.domain.records import Record
from annotation.domain.sentences import say

COUNTS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
NO_ANSWER = "no answer"
OK = "200"


def _error_of(value: object) -> str:
    """An error as text: its code and its message."""
    error = entry(value)
    if not error:
        return as_key(value)
    inner = entry(error.get("error"))
    if inner:
        return _error_of(inner)
    code = as_key(error.get("code") or error.get("type"))
    return joined((code, as_key(error.get("message"))), ": ") or as_key(error)


# --- OpenAI ------------------------------------------------------------------------------------------------


def _openai(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        response = entry(record.values.get("response"))
        body = entry(response.get("body"))
        status = as_key(response.get("status_code"))
        usage = entry(body.get("usage"))
        about = {
            "custom_id": record.values.get("custom_id"),
            "model": body.get("model"),
            "status_code": response.get("status_code"),
            **{name: usage[name] for name in COUNTS if name in usage},
        }
        error = _error_of(record.values.get("error")) or _error_of(body.get("error"))
        if status not in ("", OK):
            error = error or f"status {status}"
        choices = list(_choices(body)) or [{"sample": "0", "text": "", "finish_reason": ""}]
        for choice in choices:
            refused = (
                joined(("refusal", as_key(choice.get("refusal"))), ": ") if choice.get("refusal") else ""
            )
            missing = "" if choice["text"] else refused or NO_ANSWER
            yield row(record, {**about, **choice, "error": error or missing})


def _choices(body: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for choice in map(entry, items(body.get("choices"))):
        message = entry(choice.get("message"))
        yield {
            "sample": as_key(choice.get("index")),
            "text": content_of(message.get("content")),
            "refusal": message.get("refusal"),
            "finish_reason": choice.get("finish_reason"),
        }
    said = [content_of(entry(one).get("content")) for one in items(body.get("output"))]
    if said:
        why = entry(body.get("incomplete_details")).get("reason")
        yield {"sample": "0", "text": joined(said), "finish_reason": why or body.get("status")}


# --- Anthropic ---------------------------------------------------------------------------------------------


def _anthropic(records: Iterable[Record]) -> Iterator[Record | Skipped]:
    for record in records:
        result = entry(record.values.get("result"))
        message = entry(result.get("message"))
        usage = entry(message.get("usage"))
        kind = as_key(result.get("type"))
        text = content_of(message.get("content"))
        failed = joined((kind, _error_of(result.get("error"))), ": ") if kind != "succeeded" else ""
        values = {
            "custom_id": record.values.get("custom_id"),
            "model": message.get("model"),
            "text": text,
            "finish_reason": message.get("stop_reason"),
            "error": failed or ("" if text else NO_ANSWER),
            **{name: usage[name] for name in COUNTS if name in usage},
        }
        yield row(record, values)


# --- what the ids say --------------------------------------------------------------------------------------


def _known(flat: Sequence[Record], names: Sequence[str]) -> Known:
    """The prompt's id is the id of the request, or its first piece where all have pieces, prompt|model|...

    Scores of others name a response by prompt and model, so it is named after them here, too.
    """
    ids = [as_key(record.values.get("custom_id")) for record in flat]
    pieces = bool(ids) and all(JOIN in one for one in ids)
    known: Known = {
        **SEVERAL,
        "prompt_id": Source(("custom_id",), part=1 if pieces else 0),
        # A request that failed has no model but in its id.
        "model": Source(("custom_id",), part=2) if pieces and _names_model(flat) else column("model"),
        "text": column("text"),
        "finish_reason": column("finish_reason"),
        "error": column("error"),
        "sample": column("sample") if _has_samples(flat) else None,
    }
    counts = tuple(name for name in COUNTS if any(name in record.values for record in flat))
    return {**known, "parameters": column(*counts)} if counts else known


def _names_model(flat: Sequence[Record]) -> bool:
    """Whether the second piece of every id is the model that answered."""
    found = [
        (as_key(record.values.get("custom_id")).split(JOIN)[1].strip(), as_key(record.values.get("model")))
        for record in flat
    ]
    return any(model for _, model in found) and all(piece == model for piece, model in found if model)


def _has_samples(flat: Sequence[Record]) -> bool:
    return any(as_key(record.values.get("sample")) not in ("", "0") for record in flat)


def _is_openai(samples: Sequence[Record]) -> bool:
    return every(samples, "custom_id", "response", "error")


def _is_anthropic(samples: Sequence[Record]) -> bool:
    return every(samples, "custom_id") and every_is(samples, "result", dict)


NOTES = (
    say("Requests that failed are taken with their error, so that they are seen in the triage"),
    say("The file holds no prompts: import them with other responses, or choose the id that they have there"),
)
OPENAI_BATCH = Layout(
    key="openai_batch",
    name=say("OpenAI, output of a batch"),
    fits=_is_openai,
    unfold=_openai,
    known=_known,
    notes=NOTES,
)
ANTHROPIC_BATCH = Layout(
    key="anthropic_batch",
    name=say("Anthropic, results of a batch"),
    fits=_is_anthropic,
    unfold=_anthropic,
    known=_known,
    notes=NOTES,
)

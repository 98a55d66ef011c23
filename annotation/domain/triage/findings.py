"""What a check of a text says, and the list of all checks.

A finding asks a person to look. Nothing is ever removed by one.
"""

from dataclasses import dataclass

from annotation.domain.sentences import Said, say
from annotation.domain.strict_json import printable

TRIAGE_VERSION = 1  # of the rules: raise it with any change that makes another text be flagged

MAX_SCANNED = 60_000  # characters of a text that the checks read, so that no text costs more than that
MAX_EVIDENCE = 80  # characters of a quotation
AROUND = 16  # characters shown before and after a short match


@dataclass(frozen=True, slots=True)
class Check:
    """`key` is stored, `name` and `meaning` are shown."""

    key: str
    name: Said
    meaning: Said


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is the key of a check; `detail` says what was seen and where."""

    check: str
    detail: Said


@dataclass(frozen=True, slots=True)
class Case:
    """One response as the checks see it: `text` and `prompt` are cut to MAX_SCANNED characters."""

    text: str
    prompt: str
    language: str
    finish_reason: str
    error: str
    model: str


CHECKS = (
    Check(
        "finish_reason",
        say("Cut off or stopped"),
        say("The model did not end the text by itself: the finish reason in the file says so."),
    ),
    Check(
        "provider_error",
        say("Error of the provider"),
        say("The file has an error for this response, or the text is the message of an error."),
    ),
    Check(
        "empty",
        say("Empty"),
        say("The text has no letters and no digits, or is mostly white space."),
    ),
    Check(
        "refusal",
        say("Refusal"),
        say("A short text that starts by declining the task."),
    ),
    Check(
        "tell_tale.self_reference",
        say("Speaks of itself as a machine"),
        say("Near its start the text says that its author is an AI."),
    ),
    Check(
        "tell_tale.model_name",
        say("Names a model"),
        say("The text has the name of its source, or of a known model, that the prompt does not have."),
    ),
    Check(
        "tell_tale.think_tag",
        say("Left-over of reasoning"),
        say("The text has a tag such as <think>, which belongs to the reasoning before an answer."),
    ),
    Check(
        "tell_tale.role_label",
        say("Label of a role"),
        say("The text starts with a label such as 'Assistant:' or has a mark of a chat format."),
    ),
    Check(
        "language",
        say("Another language"),
        say("Most of the text is not in the language that is expected."),
    ),
    Check(
        "repetition",
        say("Repetition"),
        say("The text runs in a loop, is a wall of signs, or has a long passage twice."),
    ),
    Check(
        "prompt_echo",
        say("Repeats the prompt"),
        say("The text starts with a long part of the prompt, or is little else."),
    ),
    Check(
        "odd_characters",
        say("Odd characters"),
        say("The text has invisible characters, or characters that stand for a failed conversion."),
    ),
    Check(
        "exact_duplicate",
        say("Duplicate"),
        say(
            "Another response to this prompt, or to one that asks the same, has the same text apart from white space."
        ),
    ),
    Check(
        "near_duplicate",
        say("Near duplicate"),
        say("Another response to this prompt, or to one that asks the same, shares most of its text."),
    ),
    Check(
        "placeholder_prompt",
        say("Placeholder as prompt"),
        say("The prompt asks for nothing: it is empty, one character, or a word such as 'test'."),
    ),
)


def place(start: int) -> int:
    """A position as people count: the first character is 1."""
    return start + 1


def quote(text: str, start: int, end: int) -> str:
    """The evidence at text[start:end] in one printable line of at most MAX_EVIDENCE characters."""
    first = max(0, start - AROUND)
    last = min(len(text), end + AROUND, first + 2 * MAX_EVIDENCE)
    line = printable(" ".join(text[first:last].split()))
    opening = "…" if first else ""
    closing = "…" if last < len(text) else ""
    room = MAX_EVIDENCE - len(opening) - len(closing)
    if len(line) > room:
        line, closing = line[: MAX_EVIDENCE - len(opening) - 1], "…"
    return opening + line + closing

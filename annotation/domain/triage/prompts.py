"""Whether a response says its prompt again."""

import regex

from annotation.domain.sentences import say
from annotation.domain.triage.findings import Case, Finding, quote

# Widths: a Han character counts 2, any other 1, because it says about twice as much.
LONG_RUN = 60  # width of the part of a prompt that a title or an opening would not repeat
RUN_SHARE = 50  # percent of the prompt that the run must be
MOSTLY = 90  # percent of the text's sequences that the prompt has as well
SHORTEST = 60  # width of a text that is compared as a whole
GRAM = 8

WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
LEADING = regex.compile(r"[\s\p{P}\p{S}]+")


def prompt_echo(case: Case) -> Finding | None:
    prompt = _plain(case.prompt)
    text = _plain(case.text)
    if not prompt or not text:
        return None
    run = _common(text, prompt)
    if _width(text[:run]) >= LONG_RUN and 100 * run >= RUN_SHARE * len(prompt):
        evidence = quote(text, 0, run)
        return Finding(
            "prompt_echo",
            say(
                "it starts with {length} characters of the prompt: {evidence}", length=run, evidence=evidence
            ),
        )
    if len(text) <= 2 * len(prompt) and _width(text) >= SHORTEST and _mostly(text, prompt):
        evidence = quote(text, 0, len(text))
        return Finding(
            "prompt_echo", say("nearly all of it stands in the prompt: {evidence}", evidence=evidence)
        )
    return None


def _plain(text: str) -> str:
    """Without marks at the start, in lower case, with single spaces."""
    start = LEADING.match(text)
    return " ".join(text[start.end() if start else 0 :].lower().split())


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _width(text: str) -> int:
    return len(text) + len(WIDE.findall(text))


def _mostly(text: str, prompt: str) -> bool:
    known = {prompt[at : at + GRAM] for at in range(len(prompt) - GRAM + 1)}
    total = len(text) - GRAM + 1
    shared = sum(text[at : at + GRAM] in known for at in range(total))
    return total > 0 and 100 * shared >= MOSTLY * total

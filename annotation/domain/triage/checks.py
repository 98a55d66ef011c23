"""All checks of one text, in the order of CHECKS."""

from annotation.domain.triage.characters import odd_characters
from annotation.domain.triage.delivery import (
    empty,
    finish_reason,
    is_error_message,
    placeholder_prompt,
    provider_error,
)
from annotation.domain.triage.findings import MAX_SCANNED, Case, Finding
from annotation.domain.triage.languages import language
from annotation.domain.triage.model_names import model_name
from annotation.domain.triage.prompts import prompt_echo
from annotation.domain.triage.refusals import refusal
from annotation.domain.triage.repetition import repetition
from annotation.domain.triage.tell_tales import role_label, self_reference, think_tag

OF_DELIVERY = (finish_reason, provider_error, empty)
OF_WRITING = (
    refusal,
    self_reference,
    model_name,
    think_tag,
    role_label,
    language,
    repetition,
    prompt_echo,
    odd_characters,
)


def of_text(
    text: str, *, prompt: str, language: str, finish_reason: str = "", error: str = "", model: str = ""
) -> list[Finding]:
    """What a person should look at in a response; [] where nothing stands out.

    `language` is a tag such as zh, en-GB, or ""; `model` is the name of the source. At most one finding of
    each check. The message of an error is not looked at as a piece of writing.
    """
    case = Case(text[:MAX_SCANNED], prompt[:MAX_SCANNED], language, finish_reason, error, model)
    rules = OF_DELIVERY if is_error_message(case.text) else OF_DELIVERY + OF_WRITING
    return [finding for finding in (rule(case) for rule in rules) if finding]


def of_prompt(text: str) -> list[Finding]:
    """What a person should look at in a prompt before its responses are scored."""
    finding = placeholder_prompt(text[:MAX_SCANNED])
    return [finding] if finding else []

"""What an annotator says of something that should not be judged."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.triage import LONGEST_NOTE, Note
from annotation.queries.flagging import InHand

__all__ = ["LONGEST_NOTE", "WRONG", "WRONG_WITH_A_PROMPT", "FlagForm"]

# The kinds of removal, as somebody says it who has the text before them and nothing else.
WRONG = {
    "grammar": _("The language is so broken that I cannot follow it"),
    "factual": _("It contradicts itself or well-known facts"),
    "prompt_violation": _("It does not do what the prompt asks"),
    "truncated": _("It breaks off, or is no text at all"),
    "wrong_language": _("It is in the wrong language"),
    "duplicate": _("I have read this text before"),
    "identity_leak": _("It gives away who or what wrote it"),
    "other": _("Something else"),
}
WRONG_WITH_A_PROMPT = {
    "grammar": _("The language is so broken that I cannot follow it"),
    "prompt_violation": _("It asks for nothing, or for something that nobody can write"),
    "truncated": _("It breaks off, or is no text at all"),
    "wrong_language": _("It is in the wrong language"),
    "duplicate": _("I have read this prompt before"),
    "other": _("Something else"),
}
UNSAID = _("Choose what is wrong.")
NO_SUBJECT = _("Choose which text you mean.")


class FlagForm(forms.Form):
    subject = forms.ChoiceField(
        required=False, error_messages={"required": NO_SUBJECT, "invalid_choice": NO_SUBJECT}
    )
    kind = forms.ChoiceField(error_messages={"required": UNSAID, "invalid_choice": UNSAID})
    note = Note()
    skip = forms.BooleanField(required=False)

    def __init__(self, *args: Any, item: InHand, **more: Any) -> None:
        super().__init__(*args, **more)
        letters = [subject.letter for subject in item.subjects]
        self.fields["subject"].choices = [(letter, letter) for letter in letters if letter]
        self.fields["subject"].required = any(letters)
        self.fields["kind"].choices = list((WRONG_WITH_A_PROMPT if item.is_prompt else WRONG).items())

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if found.get("kind") == "other" and not found.get("note", "-"):
            self.add_error("note", _("Say what is wrong."))
        return found

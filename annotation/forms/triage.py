"""What the pages of triage send."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from annotation.models import Response
from annotation.services.triage import AT_ONCE, Ticked

LONGEST_NOTE = 2000
KEYS = re.compile(r"[0-9]{1,18}(?:,[0-9]{1,18}){0,99}")
TICK = re.compile(r"[0-9]{1,18}:(?:[0-9]{1,18}(?:,[0-9]{1,18}){0,99})?")
DECISIONS = [(name, name) for name in ("keep", "remove", "restore")]
UNDECIDED = _("Choose what to do.")


class Note(forms.CharField):
    """Words of a person, with one form of line end."""

    def __init__(self) -> None:
        too_long = ngettext_lazy(
            "Write at most %(limit_value)d character; these are %(show_value)d.",
            "Write at most %(limit_value)d characters; these are %(show_value)d.",
            "limit_value",
        )
        super().__init__(required=False, max_length=LONGEST_NOTE, error_messages={"max_length": too_long})

    def to_python(self, value: object) -> str:
        # Browsers send CRLF and count it as one character.
        return super().to_python(value).replace("\r\n", "\n")


class Keys(forms.CharField):
    """Primary keys, as a page wrote them."""

    def to_python(self, value: object) -> tuple[int, ...]:
        text = super().to_python(value)
        if text and not KEYS.fullmatch(text):
            raise ValidationError(_("This page is damaged. Open it again."))
        return tuple(int(key) for key in text.split(",") if key)


class Ticks(forms.MultipleChoiceField):
    """Ticked responses, each with the open flags that the page showed."""

    def __init__(self) -> None:
        super().__init__(error_messages={"required": _("Tick at least one response.")})

    def valid_value(self, value: str) -> bool:
        return bool(TICK.fullmatch(value))

    def clean(self, value: list[str]) -> list[Ticked]:
        sent = super().clean(value)
        if len(sent) > AT_ONCE:
            raise ValidationError(_("At most %(most)d responses at once."), params={"most": AT_ONCE})
        return [_ticked(one) for one in sent]


def _ticked(sent: str) -> Ticked:
    response, _colon, flags = sent.partition(":")
    return Ticked(int(response), tuple(int(key) for key in flags.split(",") if key))


class DecisionForm(forms.Form):
    """What becomes of one response or prompt, and the flags that the person saw when they decided."""

    decision = forms.ChoiceField(
        choices=DECISIONS,
        error_messages={"required": UNDECIDED, "invalid_choice": UNDECIDED},
    )
    kind = forms.ChoiceField(
        choices=Response.RemovalKind.choices,
        required=False,
        error_messages={"invalid_choice": _("Choose a kind of the list.")},
    )
    reason = Note()
    seen = Keys(required=False)

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if found.get("decision") == "remove" and found.get("kind") == "":
            self.add_error("kind", _("Choose why it is removed."))
        return found


class SeveralForm(forms.Form):
    """One decision on the ticked responses of a page. Without a kind, each is removed as its flags propose."""

    decision = DecisionForm.base_fields["decision"]
    kind = DecisionForm.base_fields["kind"]
    reason = Note()
    ticked = Ticks()

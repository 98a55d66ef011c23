"""What the pages send on which somebody chooses one of a few options."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.forms.scoring import LONGEST_JUSTIFICATION
from annotation.queries.options import Option

CHOOSE_A_CATEGORY = _("Choose a category.")
CHOOSE_A_TEXT = _("Choose the better text.")
CHOOSE_A_SCORE = _("Choose a score from 0 to 3.")


class ChoiceForm(forms.Form):
    """One of the options, and why. `based_on` is the revision that is being changed; 0 for a first answer."""

    value = forms.ChoiceField()
    justification = forms.CharField(required=False, max_length=LONGEST_JUSTIFICATION)
    # Seconds at work, as the page counted them.
    active = forms.IntegerField(required=False, min_value=0, max_value=1_000_000)
    based_on = forms.IntegerField(required=False, min_value=0)

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        options: Sequence[Option],
        ask: str | Promise,
        initial: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.options, self.ask = options, ask
        self.fields["value"].choices = [(option.value, option.name) for option in options]
        self.fields["value"].error_messages |= {"required": ask, "invalid_choice": ask}

    def clean_justification(self) -> str:
        # Browsers send CRLF; one form of line end makes a repeated submit equal to the first.
        return self.cleaned_data["justification"].replace("\r\n", "\n")


class DecisionForm(ChoiceForm):
    """A decision, which never goes without its reason."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["justification"].required = True
        self.fields["justification"].error_messages["required"] = _("Write why you decide so.")

"""What is asked of whoever submits a model's predictions for a release."""

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.errors import DomainError
from curation.services.submissions import LONGEST

PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
# Whatever else a service refuses is of the file.
FIELDS = ("model", "family", "note")


class SubmissionForm(forms.Form):
    file = forms.FileField(
        label=_("File of predictions"),
        help_text=_("JSON Lines in UTF-8, up to 64 MB."),
        allow_empty_file=True,  # the service says what it needs
        error_messages={"required": _("Choose a file.")},
    )
    model = forms.CharField(
        max_length=LONGEST["model"],
        label=pgettext_lazy("what is evaluated", "Model"),
        error_messages={"required": _("Write the name of the model.")},
        widget=forms.TextInput(PLAIN),
    )
    family = forms.CharField(
        required=False,
        max_length=LONGEST["family"],
        label=_("Family of models"),
        help_text=_(
            "Models of one family can be told from others on the leaderboard, such as all by one maker."
        ),
        widget=forms.TextInput(PLAIN),
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST["note"],
        label=pgettext_lazy("on a submission", "Note"),
        help_text=_("How it was asked: prompt, sampling, version."),
        widget=forms.Textarea({"rows": 3}),
    )

    def refuse(self, refusal: DomainError) -> None:
        of = refusal.code.partition("_")[0]
        self.add_error(of if of in FIELDS else "file", refusal.message)


class AgainstForm(forms.Form):
    """Which other submission one is compared with."""

    against = forms.TypedChoiceField(coerce=int, label=_("Compare with"))

    def __init__(self, *args: object, others: list[tuple[int, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["against"].choices = others

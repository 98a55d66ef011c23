"""What the page of tokens sends."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import ApiToken, Project, User
from annotation.queries import tokens
from annotation.services.tokens import LONGEST_NAME

MOST_DAYS = 365  # a script that runs for longer gets a new one


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        help_text=_("What it is for, so that you know it again in the list."),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Write what the token is for.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        help_text=_("Never more than you may yourself."),
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ],
        error_messages={"required": _("Choose what the token may do.")},
        widget=forms.CheckboxSelectMultiple,
    )
    project = forms.ModelChoiceField(
        label=_("Project"),
        help_text=_("A token for one project opens no other."),
        queryset=Project.objects.none(),
        empty_label=_("All of mine"),
        to_field_name="slug",
        required=False,
        error_messages={"invalid_choice": _("You have no part in this project.")},
    )
    days = forms.IntegerField(
        label=_("Days until it expires"),
        help_text=_("At most 365."),
        min_value=1,
        max_value=MOST_DAYS,
        initial=90,
        error_messages={
            "required": _("Write a number of days, from 1 to 365."),
            "invalid": _("Write a number of days, from 1 to 365."),
            "min_value": _("Write a number of days, from 1 to 365."),
            "max_value": _("Write a number of days, from 1 to 365."),
        },
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(self, data: object = None, *, user: User) -> None:
        super().__init__(data, auto_id="token_%s")
        self.fields["project"].queryset = tokens.projects(user)
        self.fields["project"].label_from_instance = lambda project: project.name

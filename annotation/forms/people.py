"""What the page of a project's people sends."""

import re
from collections.abc import Mapping, Sequence

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import Membership
from annotation.queries.people import primary_subtag

PRIMARY_SUBTAG = re.compile(r"[a-z]{2,3}")
SEPARATORS = re.compile(r"[\s,;，、；]+")
Languages = Sequence[tuple[str, str]]


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        error_messages={"required": _("Choose a role."), "invalid_choice": _("Choose a role.")},
    )


class LanguagesForm(forms.Form):
    """Ticked languages, and others by their codes; as a list of primary subtags."""

    languages = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": _("Choose languages of the list.")}
    )
    others = forms.CharField(required=False, max_length=200)

    def __init__(self, data: Mapping[str, str] | None = None, *, offered: Languages, **options) -> None:
        super().__init__(data, **options)
        self.fields["languages"].choices = offered

    def clean_others(self) -> list[str]:
        codes = [primary_subtag(tag) for tag in SEPARATORS.split(self.cleaned_data["others"]) if tag]
        for code in codes:
            if not PRIMARY_SUBTAG.fullmatch(code):
                raise ValidationError(
                    _("'%(code)s' is no language code: use two or three letters, such as fr or yue."),
                    params={"code": code[:20]},
                )
        return codes

    def read(self) -> list[str]:
        return [*self.cleaned_data["languages"], *self.cleaned_data["others"]]


class AddForm(RoleForm, LanguagesForm):
    """A role for the account of that name."""

    username = forms.CharField(
        max_length=150, error_messages={"required": _("Write the user name of the account.")}
    )
    begins = forms.ChoiceField(
        label=_("An annotator begins"),
        choices=[
            ("work", _("with the work: qualified already")),
            ("way", _("with the preparation: screening, exam, course, calibration")),
        ],
        required=False,
        widget=forms.RadioSelect,
    )
    field_order = ["username", "role", "languages"]


class NewAccountForm(AddForm):
    """A role for an account that is made for it."""

    full_name = forms.CharField(required=False, max_length=150)

    def clean_full_name(self) -> str:
        return " ".join(self.cleaned_data["full_name"].split())


class ChangeForm(RoleForm):
    """What becomes of one role."""

    action = forms.ChoiceField(
        choices=[(name, name) for name in ("give", "pause", "resume", "end")],
        error_messages={"invalid_choice": _("Choose what to do with the role.")},
    )

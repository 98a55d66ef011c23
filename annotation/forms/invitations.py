"""What the pages around invitations send: inviting, and answering an invitation."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.invitation_lines import LONGEST_NAME
from annotation.forms.people import LanguagesForm, RoleForm

LONGEST_LIST = 200_000  # characters: 500 lines take a good deal less


class InviteForm(RoleForm, LanguagesForm):
    """One person."""

    email = forms.EmailField(
        error_messages={
            "required": _("Write the e-mail address."),
            "invalid": _("This is no e-mail address."),
        }
    )
    full_name = forms.CharField(required=False, max_length=LONGEST_NAME)
    field_order = ["email", "full_name", "role", "languages"]

    def clean_full_name(self) -> str:
        return " ".join(self.cleaned_data["full_name"].split())


class InviteManyForm(RoleForm, LanguagesForm):
    """A pasted list, a line a person."""

    lines = forms.CharField(
        max_length=LONGEST_LIST, error_messages={"required": _("Paste at least one line.")}
    )
    field_order = ["lines", "role", "languages"]


class AcceptForm(forms.Form):
    """Somebody who has an account takes the role up. `agreed` is the version of the text of consent."""

    agreed = forms.IntegerField(required=False)

    def version(self) -> int:
        return self.cleaned_data.get("agreed") or 0


class NewcomerForm(AcceptForm):
    """Somebody who makes an account."""

    full_name = forms.CharField(label=_("Your name (optional)"), required=False, max_length=LONGEST_NAME)
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        error_messages={"required": _("Choose a user name.")},
    )
    # As it was typed: spaces at either end belong to it.
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=4096,
        error_messages={"required": _("Choose a password.")},
    )

    def clean_full_name(self) -> str:
        return " ".join(self.cleaned_data["full_name"].split())

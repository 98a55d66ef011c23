"""What the page of a person's own settings sends."""

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.models import User


class ReaderForm(forms.Form):
    """How the person reads."""

    text_size = forms.ChoiceField(
        label=_("Size of the texts"), choices=User.TextSize.choices, widget=forms.RadioSelect
    )
    text_face = forms.ChoiceField(
        label=_("Type of the texts"), choices=User.TextFace.choices, widget=forms.RadioSelect, required=False
    )
    theme = forms.ChoiceField(
        label=_("Theme"), choices=User.Theme.choices, widget=forms.RadioSelect, required=False
    )
    ui_language = forms.ChoiceField(
        label=_("Language of the pages"),
        choices=[("", _("As the browser asks")), *settings.LANGUAGES],
        widget=forms.RadioSelect,
        required=False,
    )
    shortcuts = forms.BooleanField(
        label=_("Use the single-key shortcuts"),
        help_text=_("0 to 3, E, P and F on the scoring page. Ctrl+Enter works either way."),
        required=False,
    )


class EmailForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        required=False,
        error_messages={"invalid": _("This is no e-mail address.")},
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        max_length=4096,
        error_messages={"required": _("Write your password, so that nobody else changes the address.")},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class CloseForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        max_length=4096,
        error_messages={"required": _("Write your password, so that nobody else closes the account.")},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

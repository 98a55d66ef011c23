"""What the page of a project's text of consent sends."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.markdown import MAX_BYTES


class ConsentForm(forms.Form):
    """The text in both languages, and the version it was written from."""

    based_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    en = forms.CharField(
        label="English",
        max_length=MAX_BYTES,
        error_messages={"required": _("Write the text in both languages.")},
    )
    zh = forms.CharField(
        label="中文",
        max_length=MAX_BYTES,
        error_messages={"required": _("Write the text in both languages.")},
    )

    def bodies(self) -> dict[str, str]:
        return {language: self.cleaned_data[language] for language in ("en", "zh")}

"""The shape of what the pages of imports send: files, how to read them, a name."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain import layouts
from annotation.errors import DomainError
from annotation.models import Import
from annotation.queries.import_drafts import holding_check
from annotation.queries.imports import DELIMITERS, ENCODINGS, FORMATS, said_of


class _ManyFiles(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or more files. What is too much of them is for the service to say."""

    widget = _ManyFiles

    def clean(self, data: Sequence[UploadedFile], initial: object = None) -> list[UploadedFile]:
        if not data:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return list(data)


class UploadForm(forms.Form):
    files = FilesField(error_messages={"required": gettext_lazy("Choose a file.")})


class ShapeForm(forms.Form):
    """How the files are to be read. What does not belong to the format is dropped."""

    format = forms.ChoiceField(choices=list(FORMATS.items()))
    encoding = forms.ChoiceField(
        choices=[("", gettext_lazy("Not a text file")), *ENCODINGS.items()], required=False
    )
    delimiter = forms.ChoiceField(
        choices=[("", gettext_lazy("No cells")), *DELIMITERS.items()], required=False
    )
    sheet = forms.CharField(max_length=100, required=False)
    layout = forms.ChoiceField(choices=[])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["layout"].choices = [(one.key, said_of(one.name)) for one in layouts.LAYOUTS]

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        kind = given.get("format")
        text = kind in ("jsonl", "json", "delimited")
        if text and not given.get("encoding"):
            self.add_error("encoding", _("Choose the encoding of the text."))
        if kind == "delimited" and not given.get("delimiter"):
            self.add_error("delimiter", _("Choose what separates the cells."))
        return {
            **given,
            "encoding": given.get("encoding", "") if text else "",
            "delimiter": given.get("delimiter", "") if kind == "delimited" else "",
            "sheet": given.get("sheet", "") if kind == "xlsx" else "",
        }

    def shape(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("format", "encoding", "delimiter", "sheet")}


class NameForm(forms.Form):
    name = forms.CharField(max_length=100, error_messages={"required": gettext_lazy("Write a name.")})


def refuse_another_check(found: Import, given: object) -> None:
    """DomainError unless `given` is the id of the check that holds: what a person saw is what is imported."""
    check = holding_check(found)
    if check is None or str(given) != str(check.pk):
        raise DomainError(
            "another_check",
            _(
                "Since this page was opened, the files were checked again or are read in another way. "
                "Look at the report, or check all rows, before you import."
            ),
        )

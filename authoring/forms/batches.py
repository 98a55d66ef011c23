"""What the page of batch files sends."""

from typing import BinaryIO

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from authoring.domain.batch_files import MOST_LINES
from authoring.services.batches import MOST_BYTES


class PartForm(forms.Form):
    part = forms.IntegerField(min_value=1, max_value=MOST_LINES)

    def number(self) -> int:
        """0, which no file has, where none is named."""
        return self.cleaned_data["part"] if self.is_valid() else 0


class ResultsForm(forms.Form):
    file = forms.FileField(
        label=_("File of results"),
        help_text=_("JSON Lines in UTF-8, up to 64 MB."),
        allow_empty_file=True,  # of which no line is taken
        error_messages={"required": _("Choose a file.")},
    )

    def clean_file(self) -> BinaryIO:
        """Its lines, without what Django puts around a file: that takes long over long lines."""
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise ValidationError(_now("The file is larger than 64 MB. Split it between two lines."))
        return file.file

"""What the pages of the course send: lessons, what a trainee means to do, posts in threads, active time."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain import markdown
from annotation.forms.projects import NameField, Refusable
from annotation.forms.rubrics import TextField
from annotation.models import ActiveTime, Lesson
from annotation.services import threads, training


class LessonForm(Refusable):
    title = NameField(
        max_length=200,
        label=_("Title"),
        error_messages={"required": _("Give the lesson a title.")},
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    genre = forms.ChoiceField(
        required=False,
        label=_("Genre"),
        help_text=_("Where one is named, only trainees of that genre read the lesson."),
        error_messages={"invalid_choice": _("Choose a genre of the project.")},
    )
    body = TextField(
        max_length=markdown.MAX_BYTES,
        label=_("Text"),
        help_text=_("Markdown: headings, lists, quotations and tables. HTML is shown as it was typed."),
        error_messages={"required": _("Write the lesson.")},
        widget=forms.Textarea({"rows": 20}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        genres: Sequence[tuple[str, str]],
        lesson: Lesson | None = None,
    ) -> None:
        initial = {"version": 0}
        if lesson is not None:
            genre = lesson.genre.key if lesson.genre else ""
            initial = {
                "title": lesson.title,
                "genre": genre,
                "body": lesson.body,
                "version": lesson.version,
            }
        super().__init__(data, initial=initial)
        self.fields["genre"].choices = [("", _("Every genre")), *genres]


class ReflectionForm(Refusable):
    text = TextField(
        max_length=training.LONGEST_REFLECTION,
        label=_("What will you do differently?"),
        error_messages={"required": _("Write a sentence, or go on without one.")},
        widget=forms.Textarea({"rows": 2}),
    )


class CommentForm(Refusable):
    """A post; the paragraphs and criteria that it may be about are those of the text."""

    body = TextField(
        max_length=threads.LONGEST,
        label=_("Your post"),
        help_text=_("Plain text. Cite paragraphs as ¶3."),
        error_messages={"required": _("Write something before you post.")},
        widget=forms.Textarea({"rows": 3}),
    )
    paragraph = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        label=_("Paragraph"),
        error_messages={"invalid_choice": _("The text has no such paragraph.")},
    )
    criterion = forms.ChoiceField(
        required=False,
        label=_("Criterion"),
        error_messages={"invalid_choice": _("The rubric has no such criterion here.")},
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        paragraphs: int,
        criteria: Sequence[tuple[str, str]],
    ) -> None:
        super().__init__(data, auto_id="post-%s")
        numbers = [(str(number), f"¶{number}") for number in range(1, paragraphs + 1)]
        self.fields["paragraph"].choices = [("", _("The whole text")), *numbers]
        self.fields["criterion"].choices = [("", _("None in particular")), *criteria]


class ActiveTimeForm(forms.Form):
    project = forms.SlugField(max_length=60)
    activity = forms.ChoiceField(choices=ActiveTime.Activity.choices)
    load = forms.UUIDField()
    seconds = forms.IntegerField(min_value=0, max_value=10**6)

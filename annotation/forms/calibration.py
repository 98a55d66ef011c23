"""What the pages of calibrations send."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Genre, Membership, Response, Stage
from annotation.queries.people import person_name

MOST_TEXTS = 200
SEED = "1"
LONGEST_REASON = 2000


class DeadlineField(forms.DateTimeField):
    """A moment as the project's clocks show it."""

    widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})

    def __init__(self, **options: object) -> None:
        super().__init__(
            required=False,
            input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"],
            error_messages={"invalid": _("Write a date and a time, such as 2026-03-31 18:00.")},
            **options,
        )
        self.zone = ZoneInfo("UTC")

    def clean(self, value: object) -> datetime | None:
        found = super().clean(value)
        return found.replace(tzinfo=self.zone) if found else None


class TextsForm(forms.Form):
    """Which texts to draw. Nothing chosen: thirty of all."""

    language = forms.ChoiceField(label=_("Language"), required=False)
    genre = forms.ModelMultipleChoiceField(
        label=_("Genres"), queryset=Genre.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    texts = forms.IntegerField(
        label=_("How many texts"),
        help_text=_("Thirty or more: with fewer, the numbers of one annotator say little."),
        min_value=1,
        max_value=MOST_TEXTS,
        error_messages={
            "required": _("Write a number from 1 to 200."),
            "invalid": _("Write a number from 1 to 200."),
            "min_value": _("Write a number from 1 to 200."),
            "max_value": _("Write a number from 1 to 200."),
        },
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        max_length=40,
        help_text=_("The same seed draws the same texts, another draws others."),
    )
    also_worked_on = forms.BooleanField(
        label=_("Also texts of rounds that are over"),
        required=False,
        help_text=_("Whoever scored one of them before cannot take part."),
    )

    def __init__(
        self,
        data: Mapping[str, str] | None,
        *,
        languages: Sequence[tuple[str, str]],
        genres: object,
        genre_name: object,
    ) -> None:
        first = languages[0][0] if languages else ""
        given = data if data and "texts" in data else {"texts": "30", "seed": SEED, "language": first}
        super().__init__(given)
        self.fields["language"].choices = languages
        self.fields["genre"].queryset = genres
        self.fields["genre"].label_from_instance = genre_name


class DraftForm(forms.Form):
    """The round itself: its name, deadline, texts and people."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("Annotators see this name."),
        error_messages={"required": _("Give the calibration a name; annotators see it.")},
    )
    closes_at = DeadlineField(
        label=_("Deadline"),
        help_text=_("From then on it can be closed though somebody is missing. Empty: once all are in."),
    )
    responses = forms.ModelMultipleChoiceField(
        label=_("Texts"),
        queryset=Response.objects.none(),
        error_messages={
            "required": _("Choose one text or more."),
            "invalid_choice": _("Some of these texts are not to be had any more. Draw again."),
        },
    )
    participants = forms.TypedMultipleChoiceField(
        label=_("Who takes part"),
        coerce=int,
        error_messages={
            "required": _("Choose two annotators or more."),
            "invalid_choice": _("Choose annotators of the list."),
        },
    )

    def __init__(
        self,
        data: Mapping[str, str] | None,
        *,
        texts: object,
        people: Sequence[tuple[Membership, str]],
        zone: str,
    ) -> None:
        waiting = [member.pk for member, stage in people if stage == Stage.CALIBRATION]
        super().__init__(data, initial={"participants": waiting})
        self.fields["responses"].queryset = texts
        self.fields["participants"].choices = [(member.pk, member.pseudonym) for member, _stage in people]
        self.fields["closes_at"].zone = ZoneInfo(zone)

    def chosen_people(self) -> list[str]:
        return [str(each) for each in self["participants"].value() or []]

    def cleaned(self) -> dict[str, object]:
        return {**self.cleaned_data, "responses": [each.pk for each in self.cleaned_data["responses"]]}


class OpenForm(forms.Form):
    stop_work = forms.BooleanField(required=False)


class AddForm(OpenForm):
    participant = forms.TypedChoiceField(
        label=_("Annotator"),
        coerce=int,
        error_messages={
            "required": _("Choose an annotator."),
            "invalid_choice": _("Choose an annotator of the list."),
        },
    )

    def __init__(
        self, data: Mapping[str, str] | None = None, *, people: Sequence[tuple[Membership, str]]
    ) -> None:
        super().__init__(data)
        self.fields["participant"].choices = [
            (member.pk, f"{person_name(member.user)} ({member.pseudonym})") for member, _stage in people
        ]


class CloseForm(forms.Form):
    reason = forms.CharField(
        label=_("Why it is closed before all are in"), required=False, max_length=LONGEST_REASON
    )


class SecondForm(forms.Form):
    closes_at = DeadlineField(
        label=_("Deadline"),
        help_text=_("From then on it can be closed though somebody is missing. Empty: once all are in."),
    )

    def __init__(self, data: Mapping[str, str] | None = None, *, zone: str) -> None:
        super().__init__(data)
        self.fields["closes_at"].zone = ZoneInfo(zone)


class DecisionForm(forms.Form):
    """About one annotator after a close."""

    to = forms.ChoiceField(
        choices=[(Stage.ACTIVE, Stage.ACTIVE.label), (Stage.TRAINING, Stage.TRAINING.label)],
        error_messages={"required": _("Choose what happens."), "invalid_choice": _("Choose what happens.")},
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": _("Say why; the reason is kept with the record.")},
    )

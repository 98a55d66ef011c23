"""What authors of exams and courses send: an item's score, split and reasons, and the texts of their own items."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.domain.scoring import SCALE
from annotation.models import ConsensusItem, Genre

LONGEST_TEXT = 65_536  # bytes are counted elsewhere; this bounds what is kept of one text
MOST_EXPERTS = 1000
SCORES = [(str(value), str(value)) for value in reversed(SCALE)]


class ItemForm(forms.Form):
    """Kind, score, how many experts gave which score (all empty: not known), and the reasons."""

    kind = forms.ChoiceField(
        label=pgettext_lazy("of an item", "Kind"),
        error_messages={"required": _("Choose what kind of item this is.")},
    )
    value = forms.TypedChoiceField(
        label=_("Consensus score"),
        choices=SCORES,
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a score from 0 to 3.")},
    )
    rationale = forms.CharField(
        label=_("Rationale"),
        help_text=_("Why this score and not the next one. ¶2 points to the second paragraph of the text."),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        kinds: Sequence[tuple[str, str]],
        item: ConsensusItem | None = None,
        prefix: str | None = None,
    ) -> None:
        super().__init__(data, prefix=prefix, initial=_as_sent(item) if item else None)
        self.fields["kind"].choices = kinds
        if len(kinds) == 1:
            self.fields["kind"].initial = kinds[0][0]
        for value in SCALE:
            self.fields[f"split_{value}"] = forms.IntegerField(
                label=str(value),
                required=False,
                min_value=0,
                max_value=MOST_EXPERTS,
                error_messages={"invalid": _("Use a whole number.")},
            )

    @property
    def split_fields(self) -> list[forms.BoundField]:
        return [self[f"split_{value}"] for value in reversed(SCALE)]

    def split(self) -> list[int]:
        """[] where nothing was said."""
        counts = [self.cleaned_data[f"split_{value}"] for value in SCALE]
        return [count or 0 for count in counts] if any(counts) else []

    def given(self) -> dict[str, object]:
        """Arguments of the service."""
        kept = {name: self.cleaned_data[name] for name in ("kind", "value")}
        return {**kept, "rationale": self.cleaned_data["rationale"].strip(), "split": self.split()}


def _as_sent(item: ConsensusItem) -> dict[str, object]:
    counts = item.split or [None] * len(SCALE)
    return {
        "kind": item.kind,
        "value": str(item.value),
        "rationale": item.rationale,
        **{f"split_{value}": counts[value] for value in SCALE},
    }


class OwnItemForm(ItemForm):
    """An item with prompt and response of the author's own."""

    genre = forms.ChoiceField(label=_("Genre"), required=False)
    language = forms.ChoiceField(label=_("Language"))
    prompt_text = forms.CharField(
        label=_("Prompt"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Write the prompt.")},
    )
    response_text = forms.CharField(
        label=_("Response"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 10}),
        error_messages={"required": _("Write or paste the text to be scored.")},
    )

    def __init__(
        self,
        *args: Mapping[str, str] | None,
        genres: Sequence[tuple[Genre, str]],
        languages: Sequence[tuple[str, str]],
        **options: object,
    ) -> None:
        super().__init__(*args, **options)
        self.genres = {genre.key: genre for genre, _name in genres}
        self.fields["genre"].choices = [("", _("None")), *((genre.key, name) for genre, name in genres)]
        self.fields["language"].choices = languages

    def texts(self) -> dict[str, object]:
        """Arguments of the service, beside those of the item."""
        return {
            "genre": self.genres.get(self.cleaned_data["genre"]),
            **{name: self.cleaned_data[name] for name in ("language", "prompt_text", "response_text")},
        }


class TakeForm(forms.Form):
    """Items out of the scores of another round."""

    scored = forms.TypedChoiceField(
        label=_("Round"), coerce=int, error_messages={"required": _("Choose a round.")}
    )
    kind = forms.ChoiceField(label=pgettext_lazy("of an item", "Kind"))
    least = forms.IntegerField(
        label=_("Scored by at least"),
        help_text=_("More than half of them must have given the same score."),
        min_value=1,
        max_value=MOST_EXPERTS,
        initial=3,
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        rounds: Sequence[tuple[int, str]],
        kinds: Sequence[tuple[str, str]],
    ) -> None:
        super().__init__(data, prefix="take")
        self.fields["scored"].choices = rounds
        self.fields["kind"].choices = kinds

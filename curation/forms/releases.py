"""What is asked before a release is frozen, yanked, or opened to a reader."""

from collections.abc import Sequence
from fractions import Fraction

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.domain.names import tidy
from annotation.models import User
from annotation.services.refusals import FieldsRefused
from curation.domain import terms as stated
from curation.domain.audit.record import LONGEST_REASON
from curation.domain.release.described import LICENCES
from curation.domain.release_checks import AUDIT, Lines
from curation.domain.terms import LONGEST_NOTE, LONGEST_STATEMENT, MOST_HELD_OUT, Statements
from curation.queries.freeze_words import TITLES
from curation.services.freezing import WAIVERS, Asked

PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
LICENCE = r"\A[a-z0-9][a-z0-9.-]{0,39}\Z"  # as curation/domain/manifest.py has it


def _reason(check: str) -> str:
    """Of several on a page, each says of which check it is."""
    of_check = pgettext_lazy("a field and its check", "{field} ({check})")
    return format_lazy(of_check, field=_("Reason for freezing all the same"), check=TITLES[check])


def whole(label: str, *, most: int) -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=most,
        label=label,
        widget=forms.NumberInput({"class": "short", "inputmode": "numeric"}),
        error_messages={"invalid": _("Write a whole number, or leave it empty.")},
    )


def _waiver(check: str) -> forms.CharField:
    return forms.CharField(
        required=False,
        max_length=LONGEST_REASON,
        label=_reason(check),
        help_text=_("It is written into the release, where every reader sees it."),
        widget=forms.Textarea({"rows": 2, "required": True}),
    )


class StatementField(forms.CharField):
    """What the team says of its annotators, in plain words."""

    def __init__(self, **options: object) -> None:
        super().__init__(
            required=False, max_length=LONGEST_STATEMENT, widget=forms.Textarea({"rows": 3}), **options
        )

    def to_python(self, value: object) -> str:
        return stated.written(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if stated.fault(value) == stated.UNSEEN:
            message = _("This holds an invisible character. Delete it, or type the text anew.")
            raise forms.ValidationError(message, code=stated.UNSEEN)


class FreezeForm(forms.Form):
    """What a release is asked to be, and what its checks are held against: whether that is well formed.

    What stands for and against the release is for services/freezing.py to say, whose facts give the options: `failing`
    are checks that take a reason of their own, `reason` is that of the audit, and where it `follows` an earlier version
    somebody has to say what changed.
    """

    PLAN = ("target", "floor", "name", "heldout", "heldout_percent")  # what checks depend on
    OTHER = "other"
    WAIVER = "waiver_"  # before the name of a check

    target = whole(_("Pairs of each genre and language, at least"), most=1_000_000)
    floor = forms.DecimalField(
        required=False,
        min_value=-1,
        max_value=1,
        max_digits=4,
        decimal_places=3,
        label=_("Krippendorff's alpha (ordinal), at least"),
        widget=forms.NumberInput({"class": "short", "step": "0.001"}),
        error_messages={"invalid": _("Write a number such as 0.4 or 0.667, or leave it empty.")},
    )
    name = forms.CharField(
        max_length=60,
        label=_("Name"),
        help_text=_("Releases of one name are versions of each other."),
        widget=forms.TextInput(PLAIN),
    )
    version = forms.CharField(max_length=40, label=_("Version"), widget=forms.TextInput(PLAIN))
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        label=_("What changed, in words"),
        help_text=_("It is written into the release, where every reader sees it."),
        widget=forms.Textarea({"rows": 3}),
    )
    licence = forms.ChoiceField(
        required=False,
        label=_("Licence"),
        choices=[
            ("", _("None stated")),
            *((key, f"{found.title} ({key})") for key, found in LICENCES.items()),
            (OTHER, _("Another…")),
        ],
    )
    licence_other = forms.RegexField(
        LICENCE,
        required=False,
        max_length=40,
        label=_("Another licence, by its id"),
        help_text=_("As SPDX writes it, in lower case: artistic-2.0."),
        error_messages={
            "invalid": _("Use lower-case letters, digits, dots and hyphens, such as artistic-2.0.")
        },
        widget=forms.TextInput(PLAIN),
    )
    contested = forms.BooleanField(
        required=False,
        label=_("Include contested candidates"),
        help_text=_("Candidates that the rules rejected leave with it, in a part of their own."),
    )
    heldout = forms.ChoiceField(
        required=False,
        label=_("Held out"),
        choices=[
            ("", _("Nothing")),
            ("labels", _("Labels: the texts are public, which one is chosen is not")),
            ("all", _("All: texts and labels are for those on its access list")),
        ],
        widget=forms.RadioSelect,
    )
    heldout_percent = whole(_("Percent of prompts that are held out"), most=MOST_HELD_OUT)
    annotators = StatementField(
        label=_("Who annotated"),
        help_text=_("Such as their languages, countries and practice in writing; no names."),
    )
    training = StatementField(
        label=_("How they were trained"), help_text=_("Such as guidelines, a course, an exam, a calibration.")
    )
    pay = StatementField(
        label=_("What they were paid"), help_text=_("Such as the rate for an hour, or that they volunteered.")
    )
    reason = forms.CharField(
        required=False,
        max_length=LONGEST_REASON,
        label=_reason(AUDIT),
        help_text=_(
            "The run is not within the limits of its audit, or has none. The reason is written into the release, where "
            "every reader sees it."
        ),
        widget=forms.Textarea({"rows": 3}),
    )
    confirm = forms.CharField(
        max_length=60,
        label=_("To confirm, type the name of the release"),
        error_messages={"required": _("Type the name of the release here.")},
        widget=forms.TextInput(PLAIN),
    )

    def __init__(
        self,
        *args: object,
        failing: Sequence[str] = (),
        needs_reason: bool = False,
        follows: bool = False,
        **kwargs: object,
    ) -> None:
        super().__init__(*args, **kwargs)
        if not needs_reason:
            del self.fields["reason"]
        if follows:
            self.fields["note"].widget.attrs["required"] = True
        for check in failing:
            self.fields[f"{self.WAIVER}{check}"] = _waiver(check)

    def clean(self) -> dict[str, object]:
        found = super().clean()
        if found.get("heldout") and "heldout_percent" not in self.errors and not found.get("heldout_percent"):
            self.add_error("heldout_percent", _("Say how many percent of the prompts are held out."))
        if (
            found.get("licence") == self.OTHER
            and not found.get("licence_other")
            and "licence_other" not in self.errors
        ):
            self.add_error("licence_other", _("Write the id of the licence."))
        if "name" in found and "confirm" in found and found["confirm"] != found["name"]:
            self.add_error("confirm", _("This is not the name of the release, which is %s.") % found["name"])
        return found

    def waiver_of(self, check: str) -> forms.BoundField | None:
        return self._if_asked(f"{self.WAIVER}{check}")

    def reason_field(self) -> forms.BoundField | None:
        return self._if_asked("reason")

    def _if_asked(self, name: str) -> forms.BoundField | None:
        return self[name] if name in self.fields else None

    def asked(self) -> Asked:
        """As far as it is well formed; the rest is as not given."""
        given = self.cleaned_data
        licence = given.get("licence", "")
        heldout = given.get("heldout", "")
        floor = given.get("floor")
        return Asked(
            name=given.get("name", ""),
            version=given.get("version", ""),
            note=given.get("note", "").replace("\r\n", "\n"),
            licence=given.get("licence_other", "") if licence == self.OTHER else licence,
            contested=given.get("contested", False),
            heldout=heldout,
            heldout_percent=(given.get("heldout_percent") or 0) if heldout else 0,
            lines=Lines(given.get("target"), None if floor is None else Fraction(floor)),
            statements=Statements(
                **{name: given.get(name, "") for name in ("annotators", "training", "pay")}
            ),
            reason=given.get("reason", ""),
            waivers={
                name.removeprefix(self.WAIVER): tidy(str(value))
                for name, value in given.items()
                if name.startswith(self.WAIVER)
            },
        )

    def wrong(self) -> dict[str, str]:
        """What is not well formed, by field as the service calls it."""
        return {self._in_service(name): " ".join(map(str, said)) for name, said in self.errors.items()}

    def refuse(self, refusal: FieldsRefused) -> None:
        """Say at its field what the service refuses, beside what is not well formed."""
        for name, said in refusal.fields.items():
            field = self._in_form(name)
            if field not in self.errors:
                self.add_error(field if field in self.fields else None, said)

    def _in_service(self, name: str) -> str:
        if name == "licence_other":
            return "licence"
        return name.replace(self.WAIVER, WAIVERS, 1) if name.startswith(self.WAIVER) else name

    def _in_form(self, name: str) -> str:
        if name == "licence":
            return name if name in self.errors else "licence_other"
        return name.replace(WAIVERS, self.WAIVER, 1)

    def forget_all_but_the_plan(self) -> None:
        """Checked again, only what checks depend on is found fault with."""
        for name in [*self.errors]:
            if name not in self.PLAN:
                del self.errors[name]


class YankForm(forms.Form):
    """`confirm` is the release by name and version."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        label=_("Reason"),
        help_text=_("Every reader of the release sees it."),
        error_messages={"required": _("Say why nobody should use this release any more.")},
        widget=forms.Textarea({"rows": 3}),
    )
    confirm = forms.CharField(
        max_length=101, error_messages={"required": _("Type it here.")}, widget=forms.TextInput(PLAIN)
    )

    def __init__(self, *args: object, release: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.release = release
        self.fields["confirm"].label = _("To confirm, type %s") % release

    def clean_confirm(self) -> str:
        if self.cleaned_data["confirm"] != self.release:
            raise forms.ValidationError(_("This is not %s.") % self.release)
        return self.release


class ReaderForm(forms.Form):
    username = forms.CharField(
        max_length=150,
        label=_("User name"),
        error_messages={"required": _("Write the user name of an account.")},
        widget=forms.TextInput(PLAIN),
    )

    def account(self) -> User | None:
        """The account of that name; None, with the reason beside the field, where there is none that can sign in."""
        name = self.cleaned_data["username"].strip()
        found = User.objects.filter(username=name, is_active=True).first()
        if found is None:
            self.add_error("username", _("There is no account of this name."))
        return found

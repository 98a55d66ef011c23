"""What a lead sets for the preparation, and what an annotator answers in the screening."""

from collections.abc import Iterator, Mapping, Sequence

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from annotation.domain.exams import FEWEST_TO_SPEAK_OF
from annotation.models import Genre, LanguageLevel, Preparation, Stage

MOST_QUESTIONS = 10
LONGEST_QUESTION = 300
GROUPS = (
    (_("Stages"), ("uses_screening", "uses_exam", "uses_training", "uses_calibration")),
    (_("Screening"), ("language_level_minimum", "familiarity_minimum", "questions")),
    (
        _("Exam"),
        (
            "exam_items_minimum",
            "exam_kappa_minimum",
            "exam_exact_percent",
            "exam_within_one_percent",
            "critiques_graded",
            "graders",
            "critique_percent",
            "retake_hours",
            "retakes",
            "exam_days",
        ),
    ),
    (
        _("Training course"),
        ("worked_items", "practice_items", "check_items", "mastery_percent", "mastery_window"),
    ),
    (_("Calibration"), ("gate_statistic", "gate_threshold")),
)
# What can be met at all.
BOUNDS = {
    "familiarity_minimum": (0, 3),
    "exam_items_minimum": (1, 500),
    "exam_kappa_minimum": (-1, 1),
    "exam_exact_percent": (0, 100),
    "exam_within_one_percent": (0, 100),
    "critiques_graded": (0, 500),
    "graders": (1, 2),
    "critique_percent": (0, 100),
    "retake_hours": (0, 8760),
    "retakes": (0, 20),
    "exam_days": (1, 365),
    "worked_items": (0, 500),
    "practice_items": (0, 500),
    "check_items": (0, 500),
    "mastery_percent": (0, 100),
    "mastery_window": (1, 500),
    "gate_threshold": (-1, 1),
}
FAMILIARITY = (
    ("0", _("Not at all")),
    ("1", _("A little: I read it now and then")),
    ("2", _("Well: I read it often")),
    ("3", _("As a professional: I write, edit or teach it")),
)


class PreparationForm(forms.ModelForm):
    questions = forms.CharField(
        label=_("Questions of your own"),
        help_text=_(
            "One on a line, at most ten. The lead reads the answers; they decide nothing by themselves."
        ),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    class Meta:
        model = Preparation
        fields = [name for _title, names in GROUPS for name in names]
        labels = {
            "uses_screening": _("Screening"),
            "uses_exam": _("Exam"),
            "uses_training": _("Training course"),
            "uses_calibration": _("Calibration"),
            "language_level_minimum": _("Least level of the language"),
            "familiarity_minimum": _("Least familiarity with a kind of text, to score it"),
            "exam_items_minimum": _("Fewest texts of a form"),
            "exam_kappa_minimum": _("Quadratic weighted kappa of at least"),
            "exam_exact_percent": _("Exact scores, in percent, of at least"),
            "exam_within_one_percent": _("Scores within one, in percent, of at least"),
            "critiques_graded": _("Critiques graded of each attempt"),
            "graders": _("Graders of each critique"),
            "critique_percent": _("Points for critiques, in percent, of at least"),
            "retake_hours": _("Hours before a retake"),
            "retakes": _("Retakes"),
            "exam_days": _("Days to finish an attempt"),
            "worked_items": _("Worked examples"),
            "practice_items": _("Practice texts"),
            "check_items": _("Check texts"),
            "mastery_percent": _("Mastered from this share of exact scores, in percent"),
            "mastery_window": _("Counted over the last texts of a genre"),
            "gate_statistic": _("Statistic"),
            "gate_threshold": _("Active from"),
        }
        help_texts = {
            "uses_screening": _(
                "Questions on languages and kinds of text; they decide in which genres a person scores."
            ),
            "uses_exam": _("Texts with expert scores, without feedback."),
            "uses_training": _("Lessons, and practice with feedback after each text."),
            "uses_calibration": _("Everybody scores the same texts; agreement is measured, then discussed."),
            "familiarity_minimum": _("0 not at all, 1 a little, 2 well, 3 as a professional."),
            "exam_items_minimum": _(
                "With fewer than 40 a good candidate fails by chance more often than not."
            ),
            "critiques_graded": _(
                "Drawn by lot, the same ones for both graders. 0: critiques are not graded."
            ),
            "graders": _("1 or 2. Two graders do not see each other's points."),
            "retakes": _("Each with another form. After the last a lead decides."),
            "worked_items": _("With score and reasons from the start."),
            "practice_items": _("Scored alone first; then the consensus is shown."),
            "check_items": _("Like practice, of all genres mixed, at the end."),
            "gate_statistic": _(
                "Of each annotator against the mean of the others, over the texts of the calibration."
            ),
            "gate_threshold": _("Trained experts reach an alpha of 0.3 to 0.5 on creative writing."),
        }

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **options)
        if self.instance.questions:
            self.initial["questions"] = "\n".join(self.instance.questions)
        for name, (least, most) in BOUNDS.items():
            field = self.fields[name]
            field.validators += [MinValueValidator(least), MaxValueValidator(most)]
            field.widget.attrs |= {"min": least, "max": most}
        self.fields["exam_items_minimum"].widget.attrs["min"] = FEWEST_TO_SPEAK_OF
        self.fields["exam_items_minimum"].validators.append(_enough_to_speak_of)

    @property
    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        for title, names in GROUPS:
            yield title, [self[name] for name in names]

    def clean_questions(self) -> list[str]:
        asked = [" ".join(line.split()) for line in self.cleaned_data["questions"].splitlines()]
        asked = [line for line in asked if line]
        if len(asked) > MOST_QUESTIONS:
            raise forms.ValidationError(_("Ask ten questions at most."))
        if any(len(line) > LONGEST_QUESTION for line in asked):
            raise forms.ValidationError(_("Keep each question under 300 characters."))
        return asked


def _enough_to_speak_of(value: int) -> None:
    """Numbers of fewer texts would tell a candidate of single ones; see queries/exam_pages.py."""
    if value < FEWEST_TO_SPEAK_OF:
        raise forms.ValidationError(
            _("Use 5 or more: numbers of fewer texts would give single answers away.")
        )


class ScreeningForm(forms.Form):
    """The questions of one project. Fields: level, genre-KEY for each macro-category, question-N."""

    level = forms.ChoiceField(
        label=_("How well do you know the language?"),
        choices=[(level.value, level.label) for level in reversed(LanguageLevel)],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose your level.")},
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        genres: Sequence[tuple[Genre, str]],
        questions: Sequence[str],
    ) -> None:
        super().__init__(data)
        self.genres, self.questions = genres, questions
        for genre, name in genres:
            self.fields[f"genre-{genre.key}"] = forms.ChoiceField(
                label=name,
                choices=FAMILIARITY,
                widget=forms.RadioSelect,
                error_messages={"required": _("Say how well you know this kind of text.")},
            )
        for number, question in enumerate(questions):
            self.fields[f"question-{number}"] = forms.CharField(
                label=question,
                max_length=4000,
                required=False,
                widget=forms.Textarea(attrs={"rows": 3}),
            )

    @property
    def genre_fields(self) -> list[forms.BoundField]:
        return [self[f"genre-{genre.key}"] for genre, _name in self.genres]

    @property
    def question_fields(self) -> list[forms.BoundField]:
        return [self[f"question-{number}"] for number in range(len(self.questions))]

    def familiarity(self) -> dict[str, int]:
        return {genre.key: int(self.cleaned_data[f"genre-{genre.key}"]) for genre, _name in self.genres}

    def answers(self) -> list[tuple[str, str]]:
        return [
            (question, self.cleaned_data[f"question-{number}"].strip())
            for number, question in enumerate(self.questions)
        ]


class MoveForm(forms.Form):
    """A lead's decision on where somebody stands."""

    stage = forms.ChoiceField(
        label=_("Stage"),
        choices=[(stage.value, stage.label) for stage in Stage if stage != Stage.INVITED],
        error_messages={"required": _("Choose a stage."), "invalid_choice": _("Choose a stage.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why; the reason is kept with the record.")},
    )


class GenresForm(forms.Form):
    """In which macro-categories somebody may score; none ticked: all."""

    genres = forms.MultipleChoiceField(label=_("Genres"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(
        self, data: Mapping[str, str] | None = None, *, offered: Sequence[tuple[Genre, str]], **options
    ) -> None:
        super().__init__(data, **options)
        self.offered = {genre.key: genre for genre, _name in offered}
        self.fields["genres"].choices = [(genre.key, name) for genre, name in offered]

    def chosen(self) -> list[Genre]:
        return [self.offered[key] for key in self.cleaned_data["genres"]]

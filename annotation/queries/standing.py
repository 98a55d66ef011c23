"""Where an annotator stands on the way to the work, as they see it themselves: no score, no comparison."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.domain import stages as way
from annotation.domain.reach import ANY_LANGUAGE
from annotation.models import Membership, Qualification, Stage, User
from annotation.queries import stages
from annotation.queries.people import language_name

# The pages on which an annotator does what a stage asks.
PAGES = {
    Stage.SCREENING: "screening",
    Stage.EXAM: "exam",
    Stage.TRAINING: "training",
    Stage.CALIBRATION: "calibration",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the way, as far as it concerns this annotator."""

    key: str
    name: str
    meaning: str
    state: str  # done, current or ahead
    page: str  # the name of its page where it can be opened; "" where it cannot


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody stands in one language."""

    slug: str
    project: str
    language: str  # as in addresses
    language_name: str  # "" where they were asked for none
    stage: str
    stage_name: str
    since: datetime
    steps: tuple[Step, ...]
    advice: str  # what comes next, in a sentence
    reason: str  # of the last move, where a person made it

    @property
    def page(self) -> str:
        """The page of the current step; "" where there is nothing to do."""
        return next((step.page for step in self.steps if step.state == "current"), "")

    @property
    def is_preparing(self) -> bool:
        return self.stage in way.PREPARING


def meaning(stage: str) -> str:
    return {
        Stage.SCREENING: _(
            "A few questions: how well you know the language, and which kinds of text you know."
        ),
        Stage.EXAM: _("You score texts and say why. What experts gave to them stays unsaid."),
        Stage.TRAINING: _(
            "Lessons and practice: you score first, then see what experts agreed on, and discuss."
        ),
        Stage.CALIBRATION: _("Everybody scores the same texts. Once all are done you compare and discuss."),
        Stage.ACTIVE: _("You score texts of the project."),
    }.get(Stage(stage), "")


def shown_reason(reason: str) -> str:
    """As a person wrote it; what the application noted by itself in the reader's language."""
    noted = {
        "Here already": _("Here already"),
        "The language was taken off.": _("The language was taken off."),
        "The language was put on again.": _("The language was put on again."),
    }
    return noted.get(reason, reason)


def standings(user: User) -> list[Standing]:
    """In every project and language in which the person annotates, those that ask something of them first."""
    held = (
        Qualification.objects.select_related("project", "annotator")
        .filter(annotator__user=user)
        .exclude(annotator__state__in=Membership.ENDED)
        .order_by("project__name", "language")
    )
    return sorted(map(standing, held), key=lambda each: not each.is_preparing)


def standing(held: Qualification) -> Standing:
    uses = stages.uses(held.project)
    steps = tuple(_step(stage, held) for stage in (*uses, Stage.ACTIVE))
    last = held.passages.order_by("-pk").first()
    return Standing(
        slug=held.project.slug,
        project=held.project.name,
        language=held.language or ANY_LANGUAGE,
        language_name=language_name(held.language) if held.language else "",
        stage=held.stage,
        stage_name=held.get_stage_display(),
        since=held.since,
        steps=steps,
        advice=_advice(held),
        reason=shown_reason(last.reason) if last and last.by_id else "",
    )


def _step(stage: str, held: Qualification) -> Step:
    passed = "done" if way.has_passed(held.stage, stage) else "ahead"
    state = "current" if held.stage == stage else passed
    # What was passed can be read again; what lies ahead cannot be opened.
    can_open = state == "current" or (
        state == "done" and stage in (Stage.EXAM, Stage.TRAINING, Stage.CALIBRATION)
    )
    # Who works may be asked to calibrate again.
    return Step(
        key=str(stage),
        name=str(Stage(stage).label),
        meaning=meaning(stage),
        state=state,
        page=PAGES.get(Stage(stage), "") if can_open else "",
    )


def _advice(held: Qualification) -> str:
    if held.annotator and held.annotator.state == Membership.State.PAUSED:
        return _("Your part in this project is paused. The lead can tell you more.")
    return {
        Stage.INVITED: _("Open the link in your invitation."),
        Stage.SCREENING: _("Answer the questions. It takes a few minutes."),
        Stage.EXAM: _("Take the exam. You may pause between texts."),
        Stage.TRAINING: _(
            "Go through the course. It takes about eight hours, in as many sittings as you like."
        ),
        Stage.CALIBRATION: _("Score the texts of the calibration once it is open, then discuss them."),
        Stage.ACTIVE: _("You can score. Open rounds are on your home page."),
        Stage.PAUSED: _("Your work in this language is paused. The lead can tell you more."),
        Stage.DECLINED: _("You take no further part in this language. The lead can tell you more."),
    }[Stage(held.stage)]

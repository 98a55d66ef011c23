"""Where an annotator stands on the way to the work, as they see it themselves: no score, no comparison."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.domain import stages as way
from annotation.domain.reach import ANY_LANGUAGE
from annotation.domain.sentences import Said, from_text
from annotation.models import Assignment, Membership, Qualification, Round, Stage, User
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
    state: str  # done, current, ahead, or skipped: not asked of this annotator
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
    is_called: bool  # to a calibration, while at work

    @property
    def page(self) -> str:
        """The page on which something waits; "" where there is nothing to do."""
        if self.is_called:
            return PAGES[Stage.CALIBRATION]
        return next((step.page for step in self.steps if step.state == "current"), "")

    @property
    def is_asked(self) -> bool:
        """Whether something of the way waits for them: a stage of preparation, or a calibration beside the work."""
        return bool(self.page) and self.stage != Stage.DECLINED


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
        "Invitation taken back": _("Invitation taken back"),
        "The language was taken off.": _("The language was taken off."),
        "The language was put on again.": _("The language was put on again."),
    }
    sentence = from_text(reason)
    if isinstance(sentence, Said):
        return _(sentence.template).format(**sentence.values)
    return noted.get(reason, reason)


def standings(user: User) -> list[Standing]:
    """In every project and language in which the person annotates, those that ask something of them first."""
    held = (
        Qualification.objects.select_related("project", "annotator")
        .filter(annotator__user=user)
        .exclude(annotator__state__in=Membership.ENDED)
        .order_by("project__name", "language")
    )
    return sorted(map(standing, held), key=lambda each: not each.is_asked)


def standing(held: Qualification) -> Standing:
    been = set(held.passages.values_list("from_stage", flat=True))
    steps = tuple(_step(stage, held, been) for stage in (*stages.uses(held.project), Stage.ACTIVE))
    is_called = held.stage == Stage.ACTIVE and _waits_for_scores(held)
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
        advice=_("A calibration asks for your scores.") if is_called else _advice(held),
        reason=shown_reason(last.reason) if last and last.by_id else "",
        is_called=is_called,
    )


def _waits_for_scores(held: Qualification) -> bool:
    """Whether an open calibration has texts that the annotator has not scored yet."""
    left = Assignment.objects.filter(
        reserved_for=held.annotator, state__in=[Assignment.State.OPEN, Assignment.State.LEASED]
    )
    return left.filter(
        round__purpose=Round.Purpose.CALIBRATION,
        round__state=Round.State.OPEN,
        round__language__in=["", held.language],
    ).exists()


def _step(stage: str, held: Qualification, been: set[str]) -> Step:
    """`been`: the stages at which the annotator has stood and does no more."""
    if held.stage == stage:
        state = "current"
    elif stage in been and (held.stage not in way.WAY or way.has_passed(held.stage, stage)):
        state = "done"
    else:
        state = "skipped" if way.has_passed(held.stage, stage) else "ahead"
    # What was gone through can be read again; what lies ahead cannot be opened.
    again = (Stage.EXAM, Stage.TRAINING, Stage.CALIBRATION)
    can_open = state == "current" or (state == "done" and stage in again and held.stage in way.WAY)
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
        Stage.TRAINING: _("Go through the course, in as many sittings as you like."),
        Stage.CALIBRATION: _("Score the texts of the calibration once it is open, then discuss them."),
        Stage.ACTIVE: _("You can score. Open rounds are on your home page."),
        Stage.PAUSED: _("Your work in this language is paused. The lead can tell you more."),
        Stage.DECLINED: _("You take no further part in this language. The lead can tell you more."),
    }[Stage(held.stage)]

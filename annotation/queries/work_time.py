"""How long people were at work, as their pages counted it."""

from dataclasses import dataclass

from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.domain import active_time
from annotation.models import ActiveTime, Project, Round, User

Activity = ActiveTime.Activity
OF_COURSE = (Activity.LESSON, Activity.TRAINING, Activity.THREAD)
OF_PURPOSE = {
    Round.Purpose.TRAINING: Activity.TRAINING,
    Round.Purpose.EXAM: Activity.EXAM,
    Round.Purpose.CALIBRATION: Activity.CALIBRATION,
}


def activity_of(work: Round) -> str:
    """What somebody does who judges texts of the round."""
    at_work = Activity.SCORING if work.kind == Round.Kind.SCORES else Activity.JUDGING
    return str(OF_PURPOSE.get(Round.Purpose(work.purpose), at_work).value)


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one person in a project, by activity."""

    seconds: dict[str, int]

    @property
    def course(self) -> int:
        return sum(self.seconds.get(each, 0) for each in OF_COURSE)

    @property
    def total(self) -> int:
        return sum(self.seconds.values())


def of_project(project: Project) -> dict[int, Spent]:
    """By account, of all who were at work there."""
    found: dict[int, dict[str, int]] = {}
    sums = ActiveTime.objects.filter(project=project).values("user", "activity").annotate(n=Sum("seconds"))
    for row in sums:
        found.setdefault(row["user"], {})[row["activity"]] = row["n"]
    return {user: Spent(seconds) for user, seconds in found.items()}


def of_person(project: Project, user: User) -> Spent:
    sums = ActiveTime.objects.filter(project=project, user=user).values_list("activity")
    return Spent(dict(sums.annotate(n=Sum("seconds"))))


def briefly(seconds: int) -> str:
    """The time on one judgement: '42 s' below a minute, full minutes from there."""
    return in_words(seconds) if seconds >= 60 else _("%(seconds)s s") % {"seconds": seconds}


def in_words(seconds: int) -> str:
    """'4 h 10 min'; minutes that are not full are left out."""
    hours, minutes = active_time.hours_and_minutes(seconds)
    if not hours:
        return _("%(minutes)s min") % {"minutes": minutes}
    return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}

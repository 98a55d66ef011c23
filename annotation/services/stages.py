"""The way of each annotator in each language: one column, one transition, and a row for every passing.

Whoever moves another leads the project; nobody moves themselves. `by=None` is a result that decided, or a command.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain import stages
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    Genre,
    Invitation,
    Membership,
    Passage,
    Preparation,
    Project,
    Qualification,
    Stage,
    User,
)
from annotation.queries import stages as queries
from annotation.services import journal

# As they are stored; queries/standing.py says them in the reader's language.
TAKEN_OFF = "The language was taken off."
PUT_ON = "The language was put on again."
HERE_ALREADY = "Here already"


@transaction.atomic
def invite(invitation: Invitation, *, now: datetime) -> list[Qualification]:
    """A qualification in each language of the invitation, which nobody has taken up yet."""
    return [
        _begin(
            invitation.project,
            language,
            Stage.INVITED,
            by=invitation.invited_by,
            now=now,
            invitation=invitation,
        )
        for language in sorted(set(invitation.languages)) or [""]
    ]


@transaction.atomic
def invite_again(held: Qualification, invitation: Invitation, *, now: datetime) -> None:
    """A place that nobody has taken up is kept by a later invitation; one that was declined opens again."""
    Qualification.objects.filter(pk=held.pk, annotator=None).update(invitation=invitation)
    if held.stage != Stage.INVITED:
        _pass(held, {Stage.DECLINED}, Stage.INVITED, by=invitation.invited_by, now=now)


@transaction.atomic
def accept(invitation: Invitation, member: Membership, *, now: datetime) -> None:
    """The invited person has come: what was kept for them is theirs, and they enter the first stage."""
    waiting = invitation.qualifications.filter(stage=Stage.INVITED, annotator=None)
    for held in waiting.order_by("pk"):
        own = member.qualifications.filter(language=held.language).first()
        if own is not None:
            # They are here in that language already; what was kept for them is not needed.
            _pass(held, {Stage.INVITED}, Stage.DECLINED, by=None, reason=HERE_ALREADY, now=now)
            if own.stage == Stage.DECLINED:
                _pass(own, {Stage.DECLINED}, first_stage(member.project), by=member.user, now=now)
            continue
        Qualification.objects.filter(pk=held.pk, annotator=None).update(annotator=member)
        _pass(held, {Stage.INVITED}, first_stage(member.project), by=member.user, now=now)


@transaction.atomic
def decline(invitation: Invitation, *, reason: str = "", now: datetime) -> None:
    """The invited person does not come, or the invitation was taken back."""
    for held in invitation.qualifications.filter(stage=Stage.INVITED, annotator=None).order_by("pk"):
        _pass(held, {Stage.INVITED}, Stage.DECLINED, by=None, reason=reason, now=now)


@transaction.atomic
def enter(
    member: Membership,
    *,
    languages: Sequence[str],
    stage: str,
    by: User | None,
    reason: str = "",
    now: datetime,
) -> list[Qualification]:
    """Begin at `stage` in each of the languages ("" or none: any) in which the annotator does not stand yet."""
    held = set(member.qualifications.values_list("language", flat=True))
    new = [language for language in sorted(set(languages)) or [""] if language not in held]
    return [
        _begin(member.project, language, stage, by=by, reason=reason, now=now, annotator=member)
        for language in new
    ]


@transaction.atomic
def advance(
    held: Qualification,
    *,
    expected: str,
    now: datetime,
    by: User | None = None,
    reason: str = "",
) -> Qualification:
    """To the next stage that the project uses. DomainError stage_changed where the annotator is not at `expected`."""
    after = stages.following(expected, queries.uses(held.project))
    _pass(held, {expected}, after, by=by, reason=reason, now=now)
    held.refresh_from_db()
    return held


@transaction.atomic
def move(held: Qualification, *, to: str, by: User, reason: str, now: datetime) -> Qualification:
    """A lead's decision: to whichever stage, with the reason, which the annotator's record keeps."""
    _refuse_unless_leading(held, by)
    if not reason.strip():
        raise Invalid("no_reason", _("Say why; the reason is kept with the record."))
    if to not in Stage.values or to == Stage.INVITED:
        raise Invalid("unknown_stage", _("Choose a stage."))
    if held.annotator_id is None and to != Stage.DECLINED:
        raise DomainError("nobody_yet", _("The invitation has not been accepted, so nobody can be moved."))
    if held.stage == to:
        raise DomainError("already_there", _("This annotator stands there already."))
    _pass(held, {held.stage}, to, by=by, reason=reason.strip(), now=now)
    held.refresh_from_db()
    return held


@transaction.atomic
def follow_languages(member: Membership, languages: Sequence[str], *, by: User | None, now: datetime) -> None:
    """The lead noted other languages for the annotator: work in those taken off pauses, in those put on it begins.

    A language put on again goes on where it paused. Whoever was active in any language is so in each that is named.
    """
    wanted = set(languages) or {""}
    held = {each.language: each for each in member.qualifications.all()}
    anywhere = "" in held and held[""].stage == Stage.ACTIVE
    for language, each in held.items():
        if language not in wanted and each.stage == Stage.ACTIVE:
            _pass(each, {Stage.ACTIVE}, Stage.PAUSED, by=by, reason=TAKEN_OFF, now=now)
        elif language in wanted and each.stage == Stage.PAUSED:
            before = each.passages.order_by("-pk").values_list("from_stage", flat=True)[0]
            _pass(each, {Stage.PAUSED}, before, by=by, reason=PUT_ON, now=now)
    stage = Stage.ACTIVE if anywhere or "" in wanted else direct_stage(member.project)
    enter(member, languages=sorted(wanted), stage=stage, by=by, now=now)


def direct_stage(project: Project) -> str:
    """Where somebody begins whom a lead adds by hand: at work, unless the project has set up a preparation."""
    has_set_up = Preparation.objects.filter(project=project).exists()
    return first_stage(project) if has_set_up else Stage.ACTIVE


@transaction.atomic
def set_genres(held: Qualification, genres: Collection[Genre], *, by: User | None, now: datetime) -> None:
    """The macro-categories in which the annotator may score in this language; none: all."""
    if by is not None:
        _refuse_unless_leading(held, by)
    _store_genres(held, genres, by=by, now=now)


def _store_genres(held: Qualification, genres: Collection[Genre], *, by: User | None, now: datetime) -> None:
    held.genres.set(genres)
    journal.record(
        "stage.genres",
        by=by,
        at=now,
        project=held.project,
        qualification=held.pk,
        user=held.annotator and held.annotator.user_id,
        language=held.language,
        genres=sorted(genre.key for genre in genres),
    )


def first_stage(project: Project) -> str:
    """Where a person begins who has just come."""
    return stages.following(Stage.INVITED, queries.uses(project))


def _begin(
    project: Project,
    language: str,
    stage: str,
    *,
    by: User | None,
    now: datetime,
    reason: str = "",
    annotator: Membership | None = None,
    invitation: Invitation | None = None,
) -> Qualification:
    held = Qualification.objects.create(
        project=project,
        annotator=annotator,
        invitation=invitation,
        language=language,
        stage=stage,
        since=now,
    )
    _note(held, "", stage, by=by, reason=reason, now=now)
    return held


def _pass(
    held: Qualification,
    expected: Collection[str],
    to: str,
    *,
    by: User | None,
    now: datetime,
    reason: str = "",
) -> None:
    """The one transition. The row count tells whether somebody else was first."""
    before = held.stage
    moved = Qualification.objects.filter(pk=held.pk, stage=before, stage__in=expected)
    if moved.update(stage=to, since=now) != 1:
        raise DomainError(
            "stage_changed",
            _("This stage has been left already. Open the page again to see where it stands."),
        )
    _note(held, before, to, by=by, reason=reason, now=now)


def _note(
    held: Qualification, before: str, after: str, *, by: User | None, reason: str, now: datetime
) -> None:
    Passage.objects.create(
        qualification=held, from_stage=before, to_stage=after, by=by, reason=reason, at=now
    )
    # As it stands in the table: an acceptance has just put the annotator there.
    user = Qualification.objects.values_list("annotator__user", flat=True).get(pk=held.pk)
    known = {"user": user, "from_stage": before, "reason": reason}
    journal.record(
        "stage.passed",
        by=by,
        at=now,
        project=held.project,
        qualification=held.pk,
        language=held.language,
        to_stage=after,
        **{key: value for key, value in known.items() if value},
    )


def _refuse_unless_leading(held: Qualification, by: User) -> None:
    if held.annotator is not None and held.annotator.user_id == by.pk:
        raise NotAllowed("own_stage", _("Nobody moves themselves. Ask another lead."))
    if not access.is_lead(by, held.project):
        raise NotAllowed("not_a_lead", _("Only leads of the project decide where an annotator stands."))

"""What people write about a text of a course or a calibration. Posts and rulings are never changed or removed."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Comment, Membership, Response, Round, Ruling, User
from annotation.queries import threads as queries
from annotation.services import journal

LONGEST = 5000
RULING_ROLES = (Membership.Role.LEAD, Membership.Role.INSTRUCTOR)


@transaction.atomic
def post(
    work: Round,
    response: Response,
    *,
    by: User,
    body: str,
    paragraph: int | None = None,
    criterion: str = "",
    now: datetime,
) -> Comment:
    """A post of somebody to whom the thread is open. The same again, right after it, is the same post."""
    found = queries.thread(work, response, reader=by, pseudonyms=False)
    body = body.replace("\r\n", "\n").strip()
    if not body:
        raise Invalid("nothing_written", _("Write something before you post."))
    if len(body) > LONGEST:
        raise Invalid("too_long", _("This is too long for a post. Keep to what matters."))
    if paragraph is not None and not 1 <= paragraph <= found.paragraphs:
        raise Invalid("no_such_paragraph", _("The text has no such paragraph."))
    if criterion and criterion not in {each.key for each in found.criteria}:
        raise Invalid("unknown_criterion", _("The rubric has no such criterion here."))
    # A form that is sent twice at the same moment waits here for itself.
    User.objects.select_for_update().get(pk=by.pk)
    last = Comment.objects.filter(round=work, response=response).order_by("-pk").first()
    given = {"author": by, "body": body, "paragraph": paragraph, "criterion": criterion}
    if last is not None and all(getattr(last, name) == value for name, value in given.items()):
        return last
    made = Comment.objects.create(round=work, response=response, at=now, **given)
    journal.record("thread.posted", by=by, at=now, project=work.project, round=work.pk, response=response.pk)
    return made


@transaction.atomic
def rule(comment: Comment, *, by: User, now: datetime) -> Ruling:
    """An instructor or a lead makes a post a ruling, for good. Twice is once."""
    if queries.standing(comment.round, comment.response, by) not in RULING_ROLES:
        raise NotAllowed("not_an_instructor", _("Only instructors and leads make a post a ruling."))
    try:
        with transaction.atomic():
            made = Ruling.objects.create(comment=comment, by=by, at=now)
    except IntegrityError as error:
        there = Ruling.objects.filter(comment=comment).first()
        if there is None:
            raise DomainError("busy", _("Somebody else was first. Open the page again.")) from error
        return there
    journal.record(
        "thread.ruled",
        by=by,
        at=now,
        project=comment.round.project,
        round=comment.round_id,
        response=comment.response_id,
        comment=comment.pk,
    )
    return made

"""Threads: what is said about a text of a course or a calibration, to whom it is open, and under which names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.citations import Piece, pieces
from annotation.errors import NotAllowed
from annotation.models import Comment, Lease, Membership, Response, Round, Score, User
from annotation.queries import raters, rubrics
from annotation.queries.people import person_name
from annotation.queries.texts import paragraphs

Role = Membership.Role
DISCUSSED = (Round.Purpose.TRAINING, Round.Purpose.CALIBRATION)
BEGINNING = 100  # characters of a post on the home page
MOST_RECENT = 5


@dataclass(frozen=True)
class Post:
    author: str
    role: str  # "" for annotators
    is_own: bool
    at: datetime
    lines: tuple[tuple[Piece, ...], ...]
    paragraph: int | None
    criterion: str  # its name
    ruled_by: str  # "" where it is no ruling
    key: int | None  # for those who may make it a ruling; else None


@dataclass(frozen=True)
class Choice:
    key: str
    name: str


@dataclass(frozen=True)
class Thread:
    posts: tuple[Post, ...]
    may_rule: bool
    paragraphs: int
    criteria: tuple[Choice, ...]


def standing(work: Round, response: Response, reader: User) -> str:
    """As what the reader takes part in the thread: a role, or "" where it is not open to them (yet).

    To annotators it opens by a score of their own; in a calibration, once the round is closed as well.
    """
    if work.purpose not in DISCUSSED:
        return ""
    held = dict(Membership.objects.filter(project=work.project_id, user=reader).values_list("role", "state"))
    roles = {role for role, state in held.items() if state == Membership.State.ACTIVE}
    if Role.ANNOTATOR in held:
        # Whoever annotates, or did, sees and decides nothing here by another role.
        if Role.ANNOTATOR not in roles:
            return ""
        own = Score.objects.filter(round=work, response=response, annotator__user=reader).exists()
        return Role.ANNOTATOR.value if own and _is_open_to_annotators(work) else ""
    return next((role.value for role in (Role.LEAD, Role.INSTRUCTOR) if role in roles), "")


def _is_open_to_annotators(work: Round) -> bool:
    """As the round stands now, whatever was read earlier."""
    if work.purpose == Round.Purpose.TRAINING:
        return True
    return Round.objects.filter(pk=work.pk, state=Round.State.LOCKED).exists()


def refuse_unless_open(work: Round, response: Response, reader: User) -> str:
    found = standing(work, response, reader)
    if not found:
        raise NotAllowed("not_locked", _("The discussion of a text opens once you have scored it yourself."))
    return found


def thread(work: Round, response: Response, *, reader: User, pseudonyms: bool) -> Thread:
    """All posts, the first first. NotAllowed not_locked where it is not open to the reader.

    `pseudonyms`: annotators are called by letters of the round, and those who lead by their role alone.
    """
    role = refuse_unless_open(work, response, reader)
    may_rule = role in (Role.LEAD, Role.INSTRUCTOR)
    count = len(paragraphs(response.text))
    criteria = _criteria(work, response)
    people = _people(work, pseudonyms=pseudonyms)
    found = Comment.objects.filter(round=work, response=response).select_related("author", "ruling__by")
    return Thread(
        posts=tuple(
            _post(each, people, criteria, count, reader=reader, may_rule=may_rule, is_named=not pseudonyms)
            for each in found.order_by("at", "pk")
        ),
        may_rule=may_rule,
        paragraphs=count,
        criteria=tuple(Choice(key, name) for key, name in criteria.items()),
    )


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    role: str


def _post(
    comment: Comment,
    people: Mapping[int, Person],
    criteria: Mapping[str, str],
    count: int,
    *,
    reader: User,
    may_rule: bool,
    is_named: bool,
) -> Post:
    author = people.get(comment.author_id, Person(_("Somebody who has left"), ""))
    ruling = getattr(comment, "ruling", None)
    ruler = people.get(ruling.by_id) if ruling else None
    return Post(
        author=author.name,
        role=author.role if is_named or author.role != author.name else "",
        is_own=comment.author_id == reader.pk,
        at=comment.at,
        lines=tuple(pieces(line, paragraphs=count) for line in comment.body.splitlines() if line.strip()),
        paragraph=comment.paragraph,
        criterion=criteria.get(comment.criterion, comment.criterion),
        ruled_by=(ruler.name if ruler else _("Instructor")) if ruling else "",
        key=comment.pk if may_rule else None,
    )


def _people(work: Round, *, pseudonyms: bool) -> dict[int, Person]:
    """By account, what everybody of the project is called here."""
    letters = raters.raters(work) if pseudonyms else {}
    found: dict[int, Person] = {}
    members = Membership.objects.filter(project=work.project_id).select_related("user").order_by("pk")
    for member in members:
        is_annotator = member.role == Role.ANNOTATOR
        role = "" if is_annotator else member.get_role_display()
        own = person_name(member.user)
        if pseudonyms:
            own = letters.get(member.pk, _("A rater")) if is_annotator else role
        if is_annotator or member.user_id not in found:
            found[member.user_id] = Person(own, role)
    return found


def _criteria(work: Round, response: Response) -> dict[str, str]:
    """By key, those of every genre and of the text's own, in the reader's language."""
    genre = response.prompt.genre
    genres = [None, *([genre.parent] if genre and genre.parent else []), *([genre] if genre else [])]
    language = rubrics.reader_language()
    found: dict[str, str] = {}
    for each in genres:
        rows = work.rubric.criteria.filter(genre=each).order_by("position", "pk")
        for row in sorted(rows, key=lambda row: row.language != language):
            found.setdefault(row.key, row.name)
    return found


# --- Messages on the home page -------------------------------------------------------------------


@dataclass(frozen=True)
class Recent:
    """The last word of somebody else in a thread of a course that the reader takes part in."""

    round_name: str
    author: str
    beginning: str
    at: datetime
    token: str  # of the reader's own item; "" for those who teach
    item: int | None  # of the item, for those who teach; else None
    slug: str


def recent(user: User) -> list[Recent]:
    """Threads in which the user wrote, and those of courses that they teach; the newest first.

    Where the user had the last word there is no message.
    """
    last = _last_posts(user).select_related("round__project", "author").order_by("-at", "-pk")
    return [found for each in last[: 4 * MOST_RECENT] if (found := _recent(each, user))][:MOST_RECENT]


def _last_posts(user: User) -> QuerySet[Comment]:
    """The last post of each thread of a course, where it is somebody else's."""
    memberships = Membership.objects.filter(user=user, state=Membership.State.ACTIVE)
    taught = memberships.filter(role__in=[Role.LEAD, Role.INSTRUCTOR]).values("project")
    annotated = Membership.objects.filter(user=user, role=Role.ANNOTATOR).values("project")
    of_courses = Comment.objects.filter(round__purpose=Round.Purpose.TRAINING)
    written = of_courses.filter(author=user, round__project__in=memberships.values("project"))
    threads = set(written.values_list("round", "response"))
    teaching = of_courses.filter(round__project__in=taught).exclude(round__project__in=annotated)
    threads |= set(teaching.values_list("round", "response"))
    newest = of_courses.values("round", "response").annotate(last=Max("pk"))
    ids = [row["last"] for row in newest if (row["round"], row["response"]) in threads]
    return Comment.objects.filter(pk__in=ids).exclude(author=user)


def _recent(comment: Comment, user: User) -> Recent | None:
    role = standing(comment.round, comment.response, user)
    lease = Lease.objects.filter(
        annotator__user=user, assignment__round=comment.round_id, assignment__response=comment.response_id
    ).first()
    if not role or (role == Role.ANNOTATOR and lease is None):
        return None
    item = comment.round.consensus_items.filter(response=comment.response_id).first()
    if role != Role.ANNOTATOR and item is None:
        return None
    return Recent(
        round_name=comment.round.name,
        author=person_name(comment.author),
        beginning=" ".join(comment.body[:BEGINNING].split()),
        at=comment.at,
        token=lease.token if role == Role.ANNOTATOR else "",
        item=None if role == Role.ANNOTATOR else item.pk,
        slug=comment.round.project.slug,
    )

"""Rulings: posts that decide a matter for later cases. Annotators read those alone on texts that they have locked."""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.citations import Piece, pieces
from annotation.models import ConsensusItem, Lease, Membership, Project, Ruling, Score, User
from annotation.queries.rubrics import name_of
from annotation.queries.texts import paragraphs


@dataclass(frozen=True, slots=True)
class RulingLine:
    lines: tuple[tuple[Piece, ...], ...]
    genre: str
    consensus: int | None
    at: datetime
    token: str  # the reader's own item; "" for those who teach
    item: int | None  # of the item, for those who teach; else None


def of_project(project: Project, *, reader: str) -> list[RulingLine]:
    """All of them, the newest first, for leads and instructors."""
    items = {
        (item.round_id, item.response_id): item
        for item in ConsensusItem.objects.filter(round__project=project)
    }
    return [
        _line(ruling, items.get((ruling.comment.round_id, ruling.comment.response_id)), reader)
        for ruling in _rulings(project)
        if ruling.comment.round.purpose == "training"
    ]


def of_annotator(project: Project, user: User, *, reader: str) -> list[RulingLine]:
    """Those on texts of courses that the annotator has scored."""
    member = project.memberships.filter(user=user, role=Membership.Role.ANNOTATOR).first()
    if member is None:
        return []
    locked = set(Score.objects.filter(annotator=member).values_list("round", "response"))
    leases = Lease.objects.filter(annotator=member, assignment__round__purpose="training")
    tokens = {
        (work, response): token
        for work, response, token in leases.values_list("assignment__round", "assignment__response", "token")
    }
    found = []
    for ruling in _rulings(project):
        place = (ruling.comment.round_id, ruling.comment.response_id)
        if place in locked and place in tokens:
            item = ConsensusItem.objects.filter(round=place[0], response=place[1]).first()
            found.append(_line(ruling, item, reader, token=tokens[place]))
    return found


def _rulings(project: Project):
    return (
        Ruling.objects.filter(comment__round__project=project)
        .select_related("comment__round", "comment__response__prompt__genre")
        .order_by("-at", "-pk")
    )


def _line(ruling: Ruling, item: ConsensusItem | None, reader: str, *, token: str = "") -> RulingLine:
    response = ruling.comment.response
    count = len(paragraphs(response.text))
    genre = response.prompt.genre
    return RulingLine(
        lines=tuple(
            pieces(line, paragraphs=count) for line in ruling.comment.body.splitlines() if line.strip()
        ),
        genre=name_of(genre, reader) if genre else "",
        consensus=item.value if item else None,
        at=ruling.at,
        token=token,
        item=item.pk if item and not token else None,
    )

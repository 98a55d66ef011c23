"""All that is kept of a person, as they may take it away: nothing of anybody else, and nothing that tells a source."""

from collections.abc import Iterable
from typing import TypeVar

from django.db.models import QuerySet

from annotation.models import (
    ActiveTime,
    ApiToken,
    Assignment,
    CategoryVote,
    Comment,
    Conflict,
    Consent,
    CritiqueGrade,
    Draft,
    Flag,
    Lease,
    LessonRead,
    Mark,
    Membership,
    Passage,
    Preference,
    Qualification,
    Ranking,
    Reflection,
    Response,
    Score,
    Skip,
    User,
)

# So much of a text tells its reader which one it was. Ids would do more: they may say which model wrote it.
BEGINNING = 80
Data = dict[str, object]
Row = TypeVar("Row", Ranking, CategoryVote, Preference)


def everything(user: User) -> Data:
    """As JSON can hold it once its moments are written out."""
    members = list(
        Membership.objects.filter(user=user).select_related("project").order_by("project_id", "pk")
    )
    return {
        "account": _account(user),
        "tokens": _rows(
            ApiToken.objects.filter(user=user),
            *("name", "scopes", "project__slug", "created_at", "expires_at", "last_used_at", "revoked_at"),
        ),
        "consents": _rows(Consent.objects.filter(user=user), "project__slug", "version", "at"),
        "comments": [_comment(one) for one in _of_texts(Comment.objects.filter(author=user))],
        "critiques_graded": [_grade(one) for one in _of_texts(CritiqueGrade.objects.filter(grader=user))],
        "active_time": _rows(
            ActiveTime.objects.filter(user=user), "project__slug", "activity", "seconds", "started_at"
        ),
        "memberships": [_membership(member) for member in members],
    }


def _account(user: User) -> Data:
    return {
        "username": user.username,
        "name": user.get_full_name(),
        "email": user.email,
        "made_at": user.date_joined,
        "last_sign_in": user.last_login,
        "is_operator": user.is_superuser,
        "text_size": user.text_size,
        "text_face": user.text_face,
        "theme": user.theme,
        "ui_language": user.ui_language,
        "shortcuts": user.shortcuts,
    }


def _membership(member: Membership) -> Data:
    held: Data = {
        "project": member.project.slug,
        "role": member.role,
        "state": member.state,
        "languages": member.languages,
        "pseudonym": member.pseudonym,
        "joined_at": member.joined_at,
    }
    if member.role != Membership.Role.ANNOTATOR:
        return held
    marks = _marks(member)
    return {
        **held,
        "preparation": [_qualification(one) for one in member.qualifications.order_by("pk")],
        "lessons_read": _rows(LessonRead.objects.filter(annotator=member), "lesson__title", "version", "at"),
        "reflections": [
            {"text": _beginning(one.response), "reflection": one.text, "at": one.at}
            for one in _of_texts(Reflection.objects.filter(annotator=member))
        ],
        "shown": [
            {"text": _asked(lease.assignment), "at": lease.leased_at}
            for lease in Lease.objects.filter(annotator=member)
            .select_related("assignment__response", "assignment__other", "assignment__prompt")
            .order_by("leased_at", "pk")
        ],
        "scores": [
            _score(score, marks.get(score.pk, []))
            for score in _of_texts(Score.objects.filter(annotator=member))
        ],
        "rankings": [
            _ranking(one) for one in _given(Ranking, member).prefetch_related("responses__response")
        ],
        "votes_on_categories": [
            {**_answer(one), "category": one.category.key}
            for one in _given(CategoryVote, member).select_related("category")
        ],
        "votes_on_pairs": [
            _preference(one) for one in _given(Preference, member).select_related("response_a", "response_b")
        ],
        "conflicts_of_interest": [
            {"prompt": one.prompt.text[:BEGINNING], "note": one.note, "at": one.at}
            for one in Conflict.objects.filter(annotator=member).select_related("prompt").order_by("pk")
        ],
        "skipped": [
            {"prompt": one.lease.assignment.prompt.text[:BEGINNING], "at": one.at}
            for one in Skip.objects.filter(annotator=member)
            .select_related("lease__assignment__prompt")
            .order_by("pk")
        ],
        "drafts": _rows(Draft.objects.filter(lease__annotator=member).order_by("pk"), "content", "saved_at"),
        "flags": [_flag(flag) for flag in _of_texts(Flag.objects.filter(raised_by=member))],
    }


def _qualification(held: Qualification) -> Data:
    return {
        "language": held.language,
        "stage": held.stage,
        "since": held.since,
        "passings": _rows(
            Passage.objects.filter(qualification=held), "from_stage", "to_stage", "reason", "at"
        ),
        "screening": _rows(held.screening_answers, "level", "familiarity", "answers", "at"),
        "exams": _rows(held.attempts, "number", "state", "started_at", "finished_at"),
    }


def _score(score: Score, marks: list[Data]) -> Data:
    return {
        "text": _beginning(score.response),
        # What was mixed into a round is not told from the rest of it.
        "purpose": (score.round.mixed_into or score.round).purpose,
        "score": score.value,
        "justification": score.justification,
        "marks": marks,
        "revision": score.revision,
        "standing": score.standing,
        "at": score.at,
    }


def _given(kind: type[Row], member: Membership) -> QuerySet[Row]:
    return kind.objects.filter(annotator=member).select_related("prompt", "round").order_by("pk")


def _answer(given: Ranking | CategoryVote | Preference) -> Data:
    return {
        "prompt": given.prompt.text[:BEGINNING],
        "justification": given.justification,
        "revision": given.revision,
        "standing": given.standing,
        "at": given.at,
    }


def _ranking(ranking: Ranking) -> Data:
    rows = sorted(ranking.responses.all(), key=lambda one: (one.tier, one.shown))
    return {
        **_answer(ranking),
        "order": [
            {"text": _beginning(one.response), "tier": one.tier, "letter": chr(ord("A") + one.shown - 1)}
            for one in rows
        ],
    }


def _preference(vote: Preference) -> Data:
    return {
        **_answer(vote),
        "a": _beginning(vote.response_a),
        "b": _beginning(vote.response_b),
        "preferred": vote.preferred,
    }


def _asked(slot: Assignment) -> str:
    """What a hand-out showed, by its beginning: a text, two of them, or the prompt."""
    texts = [text for text in (slot.response, slot.other) if text is not None]
    return " | ".join(_beginning(text) for text in texts) or slot.prompt.text[:BEGINNING]


def _marks(member: Membership) -> dict[int, list[Data]]:
    """By score."""
    found: dict[int, list[Data]] = {}
    for mark in Mark.objects.filter(score__annotator=member).order_by("pk"):
        one: Data = {"genre": mark.genre_key, "criterion": mark.criterion_key, "value": mark.value}
        found.setdefault(mark.score_id, []).append(one)
    return found


def _flag(flag: Flag) -> Data:
    return {
        "text": _beginning(flag.response) if flag.response else "",
        "kind": flag.kind,
        "note": flag.note,
        "at": flag.raised_at,
    }


def _comment(comment: Comment) -> Data:
    return {
        "project": comment.round.project.slug,
        "text": _beginning(comment.response),
        "comment": comment.body,
        "paragraph": comment.paragraph,
        "criterion": comment.criterion,
        "at": comment.at,
    }


def _grade(grade: CritiqueGrade) -> Data:
    return {
        "text": _beginning(grade.response),
        "points": grade.points,
        "comment": grade.comment,
        "at": grade.at,
    }


def _of_texts(rows) -> Iterable:
    """Rows about responses, oldest first, with what is said of them."""
    named = {field.name for field in rows.model._meta.fields}
    rounds = ["round__project"] if "round" in named else []
    return rows.select_related("response", *rounds).order_by("pk")


def _beginning(response: Response) -> str:
    whole = " ".join(response.text[: 4 * BEGINNING].split())
    return whole[:BEGINNING] + ("…" if len(whole) > BEGINNING or len(response.text) > 4 * BEGINNING else "")


def _rows(rows, *columns: str) -> list[Data]:
    """The columns under short names, oldest first."""
    names = {"project__slug": "project", "lesson__title": "lesson"}
    return [
        {names.get(column, column): value for column, value in row.items()}
        for row in rows.order_by("pk").values(*columns)
    ]

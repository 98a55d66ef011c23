"""What of a prompt was handed in, said and accepted, as far as whoever asks may see it.

Until somebody has reviewed a version that is in review, what others say of it is not there for them.
"""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import JournalEntry, User
from annotation.queries.people import person_name
from authoring.domain.reviewing import REVIEWERS, Content, FieldDifference, compared
from authoring.models import AuthoredPrompt, FieldComment, PromptReview, PromptVersion

State = AuthoredPrompt.State


def latest(authored: AuthoredPrompt) -> PromptVersion | None:
    return authored.versions.order_by("-number").first()


def is_settled(version: PromptVersion) -> bool:
    """Whether all have spoken; one that was put away before may be handed in again as it is."""
    return version.reviews.count() >= REVIEWERS


def content_of(written: AuthoredPrompt | PromptVersion) -> Content:
    return Content(
        title=written.title,
        text=written.text,
        blueprint=written.blueprint,
        constraints=written.constraints,
        intended_length=written.intended_length,
    )


def form_values(authored: AuthoredPrompt) -> dict[str, str]:
    """What the editor's fields hold of the prompt, by their names."""
    content = content_of(authored)
    return {
        "title": content.title,
        "genre": authored.genre.key if authored.genre else "",
        "language": authored.language,
        "blueprint": content.blueprint,
        "constraints": content.constraints,
        "intended_length": content.of("intended_length"),
        "text": content.text,
    }


# --- Reviews -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewLine:
    who: str
    is_own: bool
    accepts: bool
    verdict: str
    looked_at: tuple[tuple[str, bool], ...]  # name of what was looked at, and whether it is as it should be
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Remark:
    field: str
    field_name: str
    text: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version as its reader may know it: `hidden` reviews are there and not shown."""

    number: int
    author: str
    made_at: datetime
    note: str
    model: str  # whose answer the text began with; "" where nobody's
    reviews: tuple[ReviewLine, ...]
    hidden: int
    remarks: tuple[Remark, ...]
    prompt: str  # id of the prompt of the material that it became; "" where it did not
    is_latest: bool

    @property
    def given(self) -> int:
        """Reviews, shown or not."""
        return len(self.reviews) + self.hidden

    @property
    def wanted(self) -> int:
        return REVIEWERS


def history(authored: AuthoredPrompt, reader: User) -> list[VersionLine]:
    """Every version, the newest first."""
    found = authored.versions.select_related("author__user", "expansion__source", "accepted__prompt")
    rows = found.prefetch_related("reviews__reviewer__user", "comments__author__user").order_by("-number")
    return [_line(authored, row, reader, is_latest=not place) for place, row in enumerate(rows)]


def _line(authored: AuthoredPrompt, row: PromptVersion, reader: User, *, is_latest: bool) -> VersionLine:
    reviews = sorted(row.reviews.all(), key=lambda each: each.pk)
    remarks = sorted(row.comments.all(), key=lambda each: each.pk)
    has_reviewed = any(each.reviewer.user_id == reader.pk for each in reviews)
    is_alone = is_latest and authored.state == State.IN_REVIEW and not has_reviewed
    return VersionLine(
        number=row.number,
        author=person_name(row.author.user),
        made_at=row.made_at,
        note=row.note,
        model=row.expansion.source.public_name if row.expansion else "",
        reviews=() if is_alone else tuple(_review(each, reader) for each in reviews),
        hidden=len(reviews) if is_alone else 0,
        remarks=tuple(_remark(each) for each in remarks if not is_alone or each.author.user_id == reader.pk),
        prompt=row.accepted.prompt.external_id if hasattr(row, "accepted") else "",
        is_latest=is_latest,
    )


def _review(row: PromptReview, reader: User) -> ReviewLine:
    names = ("creative_intent", "difficulty", "granularity")
    return ReviewLine(
        who=person_name(row.reviewer.user),
        is_own=row.reviewer.user_id == reader.pk,
        accepts=row.verdict == PromptReview.Verdict.ACCEPT,
        verdict=row.get_verdict_display(),
        looked_at=tuple((name, getattr(row, name)) for name in names),
        reason=row.reason,
        at=row.at,
    )


def _remark(row: FieldComment) -> Remark:
    return Remark(row.field, row.get_field_display(), row.text, person_name(row.author.user), row.at)


# --- One version ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field of a version with what differs from the version before, and the remarks on it."""

    field: str
    name: str
    difference: FieldDifference
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class VersionPage:
    line: VersionLine
    before: int | None  # the version that it is compared with
    after: int | None
    fields: tuple[ShownField, ...]
    may_review: bool
    own: ReviewLine | None

    @property
    def is_changed(self) -> bool:
        return any(each.difference.is_changed for each in self.fields)


def version_page(version: PromptVersion, reader: User) -> VersionPage:
    authored = version.authored
    lines = {line.number: line for line in history(authored, reader)}
    line = lines[version.number]
    before = authored.versions.filter(number=version.number - 1).first()
    own = next((each for each in line.reviews if each.is_own), None)
    return VersionPage(
        line=line,
        before=before.number if before else None,
        after=version.number + 1 if version.number + 1 in lines else None,
        fields=fields_of(content_of(before) if before else None, content_of(version), line.remarks),
        may_review=line.is_latest and authored.state == State.IN_REVIEW and own is None,
        own=own,
    )


def fields_of(
    older: Content | None, newer: Content, remarks: tuple[Remark, ...] = ()
) -> tuple[ShownField, ...]:
    """The fields of a content beside an older one; those that are empty in both and without a remark are left out."""
    names = dict(FieldComment.Field.choices)
    shown = (
        ShownField(
            each.field,
            str(names[each.field]),
            each,
            tuple(remark for remark in remarks if remark.field == each.field),
        )
        for each in compared(older, newer)
    )
    return tuple(each for each in shown if each.difference.pieces or each.remarks)


# --- Why it was retired --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Retirement:
    reason: str
    who: str  # "" for a command
    at: datetime


def retirement(authored: AuthoredPrompt) -> Retirement | None:
    """The last one, as the journal has it."""
    found = (
        JournalEntry.objects.filter(
            project=authored.project, action="authoring.retired", data__authored=authored.key
        )
        .select_related("actor")
        .order_by("-pk")
        .first()
    )
    if found is None:
        return None
    who = person_name(found.actor) if found.actor else ""
    return Retirement(str(found.data.get("reason", "")), who, found.at)

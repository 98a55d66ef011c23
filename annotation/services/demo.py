"""The demo project: shipped texts, simulated annotators, and a few slots left for a person."""

import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from django.db import transaction

from annotation.domain import shipped
from annotation.domain.scoring import ScoreRow
from annotation.domain.shipped_preparation import preparation
from annotation.domain.shipped_workbench import workbench
from annotation.models import Assignment, Membership, Project, Qualification, Round, Score, Stage, User
from annotation.queries.consent import current_version
from annotation.services import consent, intake_files, membership, projects, rounds

SLUG = "demo"
RECIPE = shipped.demo().recipe
LEAD = "lead"
# The simulated work has a date of its own, so that the demo's release is the same whenever it is made.
FIRST_SCORE = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
PACE = timedelta(minutes=3)


@dataclass(frozen=True)
class Login:
    role: str
    username: str
    password: str


@transaction.atomic
def load(*, now: datetime) -> Project:
    """The demo project with its people, its round and the simulated scores; as it is, if it is there."""
    found = Project.objects.filter(slug=SLUG).first()
    if found is not None:
        return found
    project = projects.create(
        SLUG, name=shipped.demo().name.en, taxonomy="writing-preference", by=None, now=now
    )
    enrol(project, LEAD, role=Membership.Role.LEAD, now=now)
    annotators = {
        each.name: enrol(project, each.name, role=Membership.Role.ANNOTATOR, now=now)
        for each in shipped.demo().annotators
    }
    intake_files.import_material(project, shipped.FOLDER / "demo" / "responses.jsonl", by=None, now=now)
    work = rounds.open_round(project, "Main round", by=None, now=now)
    _store(work, annotators, shipped.demo_scores(), now=now)
    return project


def enrol(project: Project, username: str, *, role: str, now: datetime) -> Membership:
    """Somebody who has agreed to what is recorded, so that their home page asks for nothing."""
    user, _made = User.objects.get_or_create(username=username)
    member = membership.add(project, user, role=role, by=None, now=now)
    consent.agree(project, user, version=current_version(project), now=now)
    return member


def _store(
    work: Round, annotators: dict[str, Membership], rows: Iterable[ScoreRow], *, now: datetime
) -> None:
    """Each annotator has a slot number of their own, as in a panel."""
    seats = {name: seat for seat, name in enumerate(sorted(annotators), start=1)}
    slots = {
        (slot.response.external_id, slot.slot): slot for slot in work.assignments.select_related("response")
    }
    moments = (FIRST_SCORE + PACE * number for number in count())
    done, scores = [], []
    for row, at in zip(rows, moments, strict=False):
        slot = slots[row.response_id, seats[row.annotator]]
        slot.state, slot.annotator = Assignment.State.DONE, annotators[row.annotator]
        done.append(slot)
        scores.append(
            Score(
                round=work,
                response=slot.response,
                annotator=slot.annotator,
                assignment=slot,
                rubric=work.rubric,
                value=row.score,
                justification=row.justification,
                at=at,
                recorded_at=now,
            )
        )
    Assignment.objects.bulk_update(done, ["state", "annotator"])
    Score.objects.bulk_create(scores)


def logins(path: Path) -> list[Login]:
    """The accounts of the demo's people and their passwords: made once, kept in a file that only its owner can read.

    Whoever has come since gets one too; of those on their way into the project, one at each stage.
    """
    kept = _kept(path)
    known = {login.username for login in kept}
    made = [
        Login(member.role, member.user.username, secrets.token_urlsafe(9))
        for member in _to_sign_in()
        if member.user.username not in known
    ]
    if made:
        _set_passwords(made)
        _keep(path, [*kept, *made])
    return [*kept, *made]


def stages_of(logins: Iterable[Login]) -> dict[str, str]:
    """Where each of them stands on the way into the project now, by user name; nothing of those who are at work."""
    names = [login.username for login in logins]
    found = Qualification.objects.filter(project__slug=SLUG, annotator__user__username__in=names)
    return dict(found.exclude(stage=Stage.ACTIVE).values_list("annotator__user__username", "stage"))


def _to_sign_in() -> list[Membership]:
    """The lead, the annotators and the adjudicator, then the people of the preparation in their order."""
    at_work = [LEAD, *(each.name for each in shipped.demo().annotators), workbench().adjudicator]
    places = {name: place for place, name in enumerate((*at_work, *preparation().logins))}
    found = Membership.objects.filter(project__slug=SLUG, user__username__in=places).select_related("user")
    return sorted(found, key=lambda member: places[member.user.username])


def _kept(path: Path) -> list[Login]:
    if not path.exists():
        return []
    kept = [Login(**login) for login in json.loads(path.read_text(encoding="utf-8"))]
    return kept if _opens(kept[0]) else []  # made together, so one tells for all


def _keep(path: Path, found: Iterable[Login]) -> None:
    part = path.with_suffix(".part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump([asdict(login) for login in found], file)
    part.replace(path)


def _opens(login: Login) -> bool:
    """Whether the password is still the account's; it is not where the database was removed or moved."""
    user = User.objects.filter(username=login.username).first()
    return user is not None and user.check_password(login.password)


@transaction.atomic
def _set_passwords(made: Iterable[Login]) -> None:
    for login in made:
        user = User.objects.get(username=login.username)
        user.set_password(login.password)
        user.save(update_fields=["password"])

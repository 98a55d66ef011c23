"""Plain factories: keyword defaults, rows that the services would have made."""

from datetime import UTC, datetime
from hashlib import sha256
from itertools import count

from annotation.models import (
    Assignment,
    Criterion,
    Genre,
    Import,
    Level,
    Membership,
    Project,
    Prompt,
    Response,
    Round,
    Rubric,
    User,
)
from annotation.services import assignments, membership, rounds, scoring, slots

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "a long enough password"
REASON = "The texts are made up."  # for freezing what no audit has found sound
NUMBERS = count(1)


def make_user(username: str = "", **columns: object) -> User:
    name = username or f"user{next(NUMBERS)}"
    return User.objects.create_user(name, password=PASSWORD, **columns)


def make_project(slug: str = "", *, with_rubric: bool = True, **columns: object) -> Project:
    """A project with two genres and, unless told otherwise, a rubric in both languages."""
    slug = slug or f"project-{next(NUMBERS)}"
    project = Project.objects.create(
        slug=slug, **{"name": slug.replace("-", " ").title(), "created_at": NOW, **columns}
    )
    genres = [
        Genre.objects.create(project=project, key=key, name_en=en, name_zh=zh, position=position)
        for position, (key, en, zh) in enumerate(
            [("fiction", "Fiction", "小说"), ("poetry", "Poetry", "诗歌")]
        )
    ]
    if with_rubric:
        _add_rubric(project, genres)
    return project


def _add_rubric(project: Project, genres: list[Genre]) -> None:
    rubric = Rubric.objects.create(project=project, version=1, created_at=NOW)
    for language in ("en", "zh"):
        for value in range(4):
            Level.objects.create(
                rubric=rubric,
                language=language,
                value=value,
                name=f"{language} level {value}",
                description=f"{language} description {value}",
            )
        for position, genre in enumerate((None, genres[0])):
            Criterion.objects.create(
                rubric=rubric,
                genre=genre,
                language=language,
                key="voice",
                name=f"{language} voice {position}",
                question="Does it sound like someone?",
                position=position,
            )


def make_prompt(project: Project, external_id: str = "", **columns: object) -> Prompt:
    values = {"language": "en", "text": "Write about a bridge.", "created_at": NOW, **columns}
    return Prompt.objects.create(project=project, external_id=external_id or f"p{next(NUMBERS)}", **values)


def make_slot(work: Round, response: Response, number: int = 1, **columns: object) -> Assignment:
    slot = slots.of_response(work, response.pk, response.prompt_id, number, **columns)
    slot.save()
    return slot


def make_response(prompt: Prompt, external_id: str = "", text: str = "", **columns: object) -> Response:
    name = external_id or f"r{next(NUMBERS)}"
    text = text or f"The bridge was {next(NUMBERS)} feet long.\n\nNobody crossed it twice."
    values = {
        "text_sha256": sha256(text.encode()).hexdigest(),
        "source_model": "secret-model-9b",
        "created_at": NOW,
        **columns,
    }
    return Response.objects.create(
        project=prompt.project, prompt=prompt, external_id=name, text=text, **values
    )


def make_member(project: Project, role: str = "annotator", username: str = "") -> Membership:
    return membership.add(project, make_user(username), role=role, by=None, now=NOW)


def reads_only(member: Membership, languages: list[str]) -> None:
    membership.set_languages(member.project, member.user, languages=languages, by=None, now=NOW)


def make_round(project: Project, name: str = "Round 1", **options: object) -> Round:
    return rounds.open_round(project, name, by=None, now=NOW, **options)


def score_all(work: Round, values: dict[tuple[str, str], int]) -> None:
    """Have annotators score, through the services: {(response id, username): score}."""
    members = {member.user.username: member for member in work.project.memberships.filter(role="annotator")}
    for name in sorted({name for _, name in values}):
        while lease := assignments.claim(members[name], work, now=NOW):
            response = lease.assignment.response.external_id
            if (response, name) not in values:
                return
            scoring.submit(lease, value=values[response, name], justification="", now=NOW)


def make_import(project: Project, **columns: object) -> Import:
    values = {
        "files": [{"name": "texts.jsonl", "sha256": "0" * 64, "size": 1, "path": ""}],
        "layout": "generic",
        "importer_version": 1,
        "state": Import.State.STORED,
        "created_at": NOW,
        **columns,
    }
    values.setdefault("stored_at", NOW if values["state"] in ("stored", "undoing", "undone") else None)
    return Import.objects.create(project=project, **values)

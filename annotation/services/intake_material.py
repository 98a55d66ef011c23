"""Prompts and responses of one file, compared with what the project holds.

Nothing stored is overwritten: a row whose id is known says what is stored, or leaves the column empty.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError, nearest
from annotation.models import Genre, Project, Prompt, Requirement, Response

CHUNK = 500
LISTED = 12  # names of genres in a message


class _Known(NamedTuple):
    """What is compared of a stored response: all but its text, for which the digest stands."""

    pk: int
    prompt_id: int
    text_sha256: str
    given_length: int | None
    source_model: str
    parameters: dict[str, object]


class MaterialIntake:
    """One import of material, with what the project holds already loaded in a few queries."""

    def __init__(self, project: Project, source: str, now: datetime) -> None:
        self.project = project
        self.source = source
        self.now = now
        self.genres = _genres_by_name(project)
        self.prompts = {prompt.external_id: prompt for prompt in project.prompts.all()}
        self.requirements: dict[int, list[Requirement]] = {}
        for requirement in Requirement.objects.filter(prompt__project=project).order_by("position"):
            self.requirements.setdefault(requirement.prompt_id, []).append(requirement)

    def add_prompts(self, rows: Sequence[ResponseRow]) -> int:
        """Create the prompts that are new, check the others; returns how many are new."""
        new: list[tuple[Prompt, ResponseRow]] = []
        seen: set[str] = set()
        for row in rows:
            if row.prompt_id in seen:
                continue
            seen.add(row.prompt_id)
            stored = self.prompts.get(row.prompt_id)
            if stored is None:
                new.append((self._prompt(row), row))
            else:
                self._check_prompt(stored, row)
        Prompt.objects.bulk_create([prompt for prompt, _ in new], batch_size=CHUNK)
        for prompt, row in new:
            self.prompts[prompt.external_id] = prompt
            self.requirements[prompt.pk] = [
                Requirement(prompt=prompt, position=position, text=text)
                for position, text in enumerate(row.requirements, start=1)
            ]
        Requirement.objects.bulk_create(
            [one for prompt, _ in new for one in self.requirements[prompt.pk]], batch_size=CHUNK
        )
        return len(new)

    def add_responses(self, rows: Sequence[ResponseRow]) -> int:
        """Create the responses that are new, check the others; returns how many are new."""
        stored = _stored_responses(self.project)
        kept = _kept_positions(self.project)
        new = []
        for row in rows:
            known = stored.get(row.id)
            if known is None:
                new.append(row)
            else:
                self._check_response(known, kept.get(known.pk, ()), row)
        for chunk in _chunks(new):
            created = Response.objects.bulk_create([self._response(row) for row in chunk])
            self._keep_requirements(zip(created, chunk, strict=True))
        return len(new)

    def _prompt(self, row: ResponseRow) -> Prompt:
        return Prompt(
            project=self.project,
            external_id=row.prompt_id,
            language=row.language,
            genre=self._genre(row),
            text=row.prompt,
            created_at=self.now,
        )

    def _response(self, row: ResponseRow) -> Response:
        return Response(
            project=self.project,
            prompt=self.prompts[row.prompt_id],
            external_id=row.id,
            text=row.text,
            text_sha256=_digest(row.text),
            given_length=row.length,
            source_model=row.model,
            parameters=row.parameters,
            created_at=self.now,
        )

    def _keep_requirements(self, pairs: Iterable[tuple[Response, ResponseRow]]) -> None:
        through = Response.kept_requirements.through
        through.objects.bulk_create(
            through(
                response_id=response.pk,
                requirement_id=self.requirements[response.prompt_id][position - 1].pk,
            )
            for response, row in pairs
            for position in row.kept_requirements
        )

    def _genre(self, row: ResponseRow) -> Genre | None:
        if not row.genre:
            return None
        genre = self.genres.get(row.genre.casefold())
        if genre is None:
            known = list(self.genres)
            listed = ", ".join(known[:LISTED]) + (", ..." if len(known) > LISTED else "")
            raise InputError(
                f"'{row.genre}' is no genre of the project{nearest(row.genre.casefold(), known)}; "
                f"it has: {listed or 'none'}",
                line=row.line,
                column="genre",
                source=self.source,
            )
        return genre

    def _check_prompt(self, stored: Prompt, row: ResponseRow) -> None:
        genre = self._genre(row)
        requirements = tuple(one.text for one in self.requirements.get(stored.pk, []))
        for column, given, known in (
            ("prompt", row.prompt, stored.text),
            ("language", row.language, stored.language),
            ("genre", genre and genre.pk, stored.genre_id),
            ("requirements", row.requirements, requirements),
        ):
            if given and given != known:
                raise self._conflict(row, column, f"the prompt '{row.prompt_id}'")

    def _check_response(self, stored: _Known, kept: tuple[int, ...], row: ResponseRow) -> None:
        for column, given, known in (
            ("text", _digest(row.text), stored.text_sha256),
            ("prompt_id", self.prompts[row.prompt_id].pk, stored.prompt_id),
            ("model", row.model, stored.source_model),
            ("length", row.length, stored.given_length),
            ("parameters", row.parameters, stored.parameters),
            ("kept_requirements", row.kept_requirements, kept),
        ):
            if given not in (None, "", (), {}) and given != known:
                raise self._conflict(row, column, f"the response '{row.id}'")

    def _conflict(self, row: ResponseRow, column: str, what: str) -> InputError:
        return InputError(
            f"{what} is stored with another {column}; what is stored is never overwritten: "
            "give this one an id of its own, or write what is stored",
            line=row.line,
            column=column,
            source=self.source,
        )


def _genres_by_name(project: Project) -> dict[str, Genre]:
    """Every name under which a file may mean a genre, case folded; a key goes before a name."""
    genres = list(project.genres.order_by("pk"))
    named: dict[str, Genre] = {}
    for names in ("key", "name_en", "name_zh"):
        for genre in genres:
            named.setdefault(getattr(genre, names).casefold(), genre)
    return named


def _stored_responses(project: Project) -> dict[str, _Known]:
    """The project's responses by external id."""
    columns = ("external_id", "pk", "prompt_id", "text_sha256", "given_length", "source_model", "parameters")
    rows = project.responses.values_list(*columns).iterator(chunk_size=CHUNK)
    return {external_id: _Known(*facts) for external_id, *facts in rows}


def _kept_positions(project: Project) -> dict[int, tuple[int, ...]]:
    kept: dict[int, tuple[int, ...]] = {}
    links = Response.kept_requirements.through.objects.filter(response__project=project)
    for response, position in (
        links.order_by("requirement__position")
        .values_list("response_id", "requirement__position")
        .iterator(chunk_size=CHUNK)
    ):
        kept[response] = (*kept.get(response, ()), position)
    return kept


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _chunks(rows: Sequence[ResponseRow]) -> Iterator[Sequence[ResponseRow]]:
    return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))

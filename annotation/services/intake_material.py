"""Prompts and responses on their way into a project, compared with what it holds.

Nothing stored is overwritten: a row whose id is known says what is stored, or leaves the column empty.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from annotation.domain import triage
from annotation.domain.material import ResponseRow
from annotation.domain.records import InputError, nearest
from annotation.domain.sentences import say
from annotation.domain.text import HAN_LETTER
from annotation.models import Flag, Genre, Import, Project, Prompt, Requirement, Response
from annotation.services.genres import free_key

CHUNK = 500
LISTED = 12  # names of genres in a message


class _PromptFacts(NamedTuple):
    """What is compared of a prompt that is stored or was met earlier in the import; `pk` is None till it is stored."""

    pk: int | None
    text_sha256: str
    language: str
    genre: str  # its key
    requirements: tuple[str, ...]
    line: int  # where it was met first; 0 where it is stored


class _Known(NamedTuple):
    """What is compared of a stored response: all but its text, for which the digest stands."""

    pk: int
    prompt_id: int
    text_sha256: str
    given_length: int | None
    source_model: str
    parameters: dict[str, object]


class MaterialIntake:
    """One import of material. Rows come in chunks: look up what is stored of them, sort each out, store."""

    def __init__(
        self,
        project: Project,
        source: str,
        now: datetime,
        *,
        of: Import | None = None,
        genres: str = "refuse",
    ) -> None:
        """`genres` says what happens to a genre that the project lacks: refuse, leave (empty) or add."""
        self.project = project
        self.source = source
        self.now = now
        self.of = of
        self.unknown_genres = genres
        self.genres = _genres_by_name(project)
        self.missed_genres: dict[str, str] = {}  # by case-folded name, as first written
        self.prompts: dict[str, _PromptFacts] = {}
        self.requirements: dict[int, list[Requirement]] = {}
        self.stored: dict[str, _Known] = {}
        self.kept: dict[int, tuple[int, ...]] = {}

    # --- Looking up ---

    def look_up(self, rows: Sequence[ResponseRow]) -> None:
        """Load what is stored under the ids of these rows, in a few queries."""
        unmet = {row.prompt_id for row in rows} - self.prompts.keys()
        stored = list(
            self.project.prompts.filter(external_id__in=unmet)
            .exclude(source=self._own())
            .select_related("genre")
        )
        for requirement in Requirement.objects.filter(prompt__in=stored).order_by("position"):
            self.requirements.setdefault(requirement.prompt_id, []).append(requirement)
        for prompt in stored:
            self.prompts[prompt.external_id] = self._facts_of(prompt)
        known = self.project.responses.filter(external_id__in={row.id for row in rows})
        columns = (
            "external_id",
            "pk",
            "prompt_id",
            "text_sha256",
            "given_length",
            "source_model",
            "parameters",
        )
        found = known.exclude(source=self._own()).values_list(*columns)
        self.stored = {external_id: _Known(*facts) for external_id, *facts in found}
        self.kept = _kept_positions([known.pk for known in self.stored.values()])

    def _own(self) -> int:
        """The import under way: what it has stored already is no earlier row."""
        return self.of.pk if self.of else 0

    def _facts_of(self, prompt: Prompt) -> _PromptFacts:
        return _PromptFacts(
            pk=prompt.pk,
            text_sha256=digest(prompt.text) if prompt.text else "",
            language=prompt.language,
            genre=prompt.genre.key if prompt.genre else "",
            requirements=tuple(one.text for one in self.requirements.get(prompt.pk, [])),
            line=0,
        )

    # --- Sorting out ---

    def is_new(self, row: ResponseRow) -> bool:
        """Whether the response is to be stored. InputError where it contradicts what is stored or was met."""
        genre = self._genre(row)
        facts = self.prompts.get(row.prompt_id)
        if facts is None:
            self.prompts[row.prompt_id] = _PromptFacts(
                pk=None,
                text_sha256=digest(row.prompt) if row.prompt else "",
                language=row.language,
                genre=genre,
                requirements=row.requirements,
                line=row.line,
            )
        else:
            self._check_prompt(facts, row, genre)
        known = self.stored.get(row.id)
        if known is None:
            return True
        self._check_response(known, row)
        return False

    def _genre(self, row: ResponseRow) -> str:
        """The key of the row's genre, or the name of one that will be added; "" for none."""
        name = row.genre.casefold()
        if not name:
            return ""
        if name in self.genres:
            return self.genres[name].key
        if name not in self.missed_genres:
            self.missed_genres[name] = row.genre
        if self.unknown_genres == "add":
            return name
        if self.unknown_genres == "leave":
            return ""
        known = list(self.genres)
        raise self._error(
            row,
            "genre",
            say(
                "'{name}' is no genre of the project{proposal}; it has: {genres}",
                name=row.genre,
                proposal=nearest(name, known),
                genres=", ".join(known[:LISTED]) + (", ..." if len(known) > LISTED else "")
                if known
                else "none",
            ),
        )

    def _check_prompt(self, facts: _PromptFacts, row: ResponseRow, genre: str) -> None:
        for column, given, known in (
            ("prompt", digest(row.prompt) if row.prompt else "", facts.text_sha256),
            ("language", row.language, facts.language),
            ("genre", genre, facts.genre),
            ("requirements", row.requirements, facts.requirements),
        ):
            if not given or given == known:
                continue
            if not facts.line:
                raise self._conflict(row, column, row.prompt_id)
            raise self._error(
                row,
                column,
                say(
                    "the prompt '{id}' has another {column} on line {line}; write the same on every row of a prompt",
                    id=row.prompt_id,
                    column=column,
                    line=facts.line,
                ),
            )

    def _check_response(self, stored: _Known, row: ResponseRow) -> None:
        for column, given, known in (
            ("text", digest(row.text), stored.text_sha256),
            ("prompt_id", self.prompts[row.prompt_id].pk or 0, stored.prompt_id),
            ("model", row.model, stored.source_model),
            ("length", row.length, stored.given_length),
            ("parameters", row.parameters, stored.parameters),
            ("kept_requirements", row.kept_requirements, self.kept.get(stored.pk, ())),
        ):
            if given not in (None, "", (), {}) and given != known:
                raise self._conflict(row, column, row.id)

    def _conflict(self, row: ResponseRow, column: str, name: str) -> InputError:
        return self._error(
            row,
            column,
            say(
                "'{id}' is stored with another {column}; what is stored is never overwritten: "
                "give this one an id of its own, or write what is stored",
                id=name,
                column=column,
            ),
        )

    def _error(self, row: ResponseRow, column: str, reason: str) -> InputError:
        return InputError(reason, line=row.line, column=column, source=self.source)

    # --- Storing ---

    def store(self, rows: Sequence[tuple[ResponseRow, str]]) -> int:
        """Store responses that are new, each with its place in the files, and their prompts where these are new
        too; returns how many prompts were. Call within a transaction."""
        self._add_genres(row for row, _ in rows)
        prompts = self._store_prompts(rows)
        state = Response.State.INCOMING if self.of else Response.State.ACTIVE
        for chunk in _chunks(rows):
            created = Response.objects.bulk_create(self._response(row, place, state) for row, place in chunk)
            self._keep_requirements(zip(created, (row for row, _ in chunk), strict=True))
            if self.of:
                self._raise_flags(created, [row for row, _ in chunk])
        return prompts

    def _add_genres(self, rows: Iterable[ResponseRow]) -> None:
        if self.unknown_genres != "add":
            return
        for row in rows:
            name = row.genre.casefold()
            if name and name not in self.genres:
                self.genres[name] = self._new_genre(row.genre)

    def _new_genre(self, name: str) -> Genre:
        return Genre.objects.create(
            project=self.project,
            key=free_key(self.project, name),
            name_en=name[:100],
            name_zh=name[:100] if HAN_LETTER.search(name) else "",
            position=self.project.genres.count(),
        )

    def _store_prompts(self, rows: Sequence[tuple[ResponseRow, str]]) -> int:
        new: dict[str, tuple[Prompt, ResponseRow]] = {}
        for row, place in rows:
            if self.prompts[row.prompt_id].pk is None and row.prompt_id not in new:
                new[row.prompt_id] = (self._prompt(row, place), row)
        Prompt.objects.bulk_create([prompt for prompt, _ in new.values()], batch_size=CHUNK)
        for prompt, row in new.values():
            self.prompts[prompt.external_id] = self.prompts[prompt.external_id]._replace(pk=prompt.pk)
            self.requirements[prompt.pk] = [
                Requirement(prompt=prompt, position=position, text=text)
                for position, text in enumerate(row.requirements, start=1)
            ]
        Requirement.objects.bulk_create(
            [one for prompt, _ in new.values() for one in self.requirements[prompt.pk]], batch_size=CHUNK
        )
        if self.of:
            self._flag_prompts(prompt for prompt, _ in new.values())
        return len(new)

    def _prompt(self, row: ResponseRow, place: str) -> Prompt:
        genre = self.genres.get(row.genre.casefold()) if row.genre else None
        return Prompt(
            project=self.project,
            external_id=row.prompt_id,
            language=row.language,
            genre=genre,
            text=row.prompt,
            source=self.of,
            source_place=place,
            created_at=self.now,
        )

    def _response(self, row: ResponseRow, place: str, state: str) -> Response:
        return Response(
            project=self.project,
            prompt_id=self.prompts[row.prompt_id].pk,
            external_id=row.id,
            text=row.text,
            text_sha256=digest(row.text),
            given_length=row.length,
            source_model=row.model,
            parameters=row.parameters,
            state=state,
            source=self.of,
            source_place=place,
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

    def _raise_flags(self, responses: Sequence[Response], rows: Sequence[ResponseRow]) -> None:
        Flag.objects.bulk_create(
            flag_of(self.project, finding, at=self.now, response=response)
            for response, row in zip(responses, rows, strict=True)
            for finding in findings(row)
        )

    def _flag_prompts(self, prompts: Iterable[Prompt]) -> None:
        Flag.objects.bulk_create(
            flag_of(self.project, finding, at=self.now, prompt=prompt)
            for prompt in prompts
            for finding in triage.of_prompt(prompt.text)
            if prompt.text
        )


def flag_of(project: Project, finding: triage.Finding, *, at: datetime, **about: object) -> Flag:
    """What a check found in a response or a prompt, to be stored."""
    return Flag(
        project=project,
        check_key=finding.check,
        rules_version=triage.TRIAGE_VERSION,
        detail=finding.detail.as_dict(),
        raised_at=at,
        **about,
    )


def findings(row: ResponseRow) -> list[triage.Finding]:
    """What the checks find in a response as a file brings it."""
    return triage.of_text(
        row.text,
        prompt=row.prompt,
        language=row.language,
        finish_reason=str(row.parameters.get("finish_reason") or ""),
        error=str(row.parameters.get("error") or ""),
        model=row.model,
    )


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def content_of(row: ResponseRow) -> bytes:
    """All that a response says, so that two rows of one id can be told apart."""
    facts = (row.prompt_id, row.text, row.model, row.length, row.parameters, row.kept_requirements)
    return json.dumps(facts, sort_keys=True).encode()


def _genres_by_name(project: Project) -> dict[str, Genre]:
    """Every name under which a file may mean a genre, case folded; a key goes before a name."""
    genres = list(project.genres.order_by("pk"))
    named: dict[str, Genre] = {}
    for names in ("key", "name_en", "name_zh"):
        for genre in genres:
            named.setdefault(getattr(genre, names).casefold(), genre)
    named.pop("", None)
    return named


def _kept_positions(responses: Sequence[int]) -> dict[int, tuple[int, ...]]:
    kept: dict[int, tuple[int, ...]] = {}
    links = Response.kept_requirements.through.objects.filter(response__in=responses)
    for response, position in links.order_by("requirement__position").values_list(
        "response_id", "requirement__position"
    ):
        kept[response] = (*kept.get(response, ()), position)
    return kept


def _chunks(rows: Sequence[tuple[ResponseRow, str]]) -> Iterator[Sequence[tuple[ResponseRow, str]]]:
    return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))

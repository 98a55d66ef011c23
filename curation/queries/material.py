"""The seam: rows of annotation become the columns that domain/ works on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from django.db.models import Q, QuerySet

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from annotation.models import Import, Membership, Project, Response, Round, Score
from annotation.queries import consensus

AT_A_TIME = 500  # ids in a query


@dataclass(frozen=True, slots=True)
class LiveScore:
    """The score that counts of one annotator for one response. `at` is None where a file did not say."""

    response_id: str
    annotator: str  # the pseudonym
    score: int
    largest_revision: int
    rubric_version: int
    at: datetime | None

    def current(self) -> CurrentScore:
        return CurrentScore(self.response_id, self.annotator, self.score, self.largest_revision)


def live_scores(project: Project) -> list[LiveScore]:
    """Curation data: counted scores of live rounds, on active responses, by annotators whose data were not withdrawn.

    A revision supersedes within its round; where one annotator scored a response in several live rounds, the
    score of the latest round counts.
    """
    return [score for _prompt, score in each_live_score(project)]


def each_live_score(project: Project) -> Iterator[tuple[str, LiveScore]]:
    """The prompt and the score of each, read as they are asked for: those of one instant."""
    rows = (
        _counted(project)
        .filter(response__state=Response.State.ACTIVE)
        .exclude(annotator__state=Membership.State.WITHDRAWN)
        .order_by("response", "annotator", "round", "revision")
        .values_list(
            "response__prompt__external_id",
            "response__external_id",
            "annotator__pseudonym",
            "round",
            "value",
            "rubric__version",
            "at",
            named=True,
        )
    )
    by_judgement = groupby(
        rows.iterator(), key=lambda row: (row.response__external_id, row.annotator__pseudonym)
    )
    for (response, annotator), history in by_judgement:
        in_order = list(history)
        last = in_order[-1]
        values = [row.value for row in in_order if row.round == last.round]
        largest = max((abs(after - before) for before, after in pairwise(values)), default=0)
        score = LiveScore(response, annotator, last.value, largest, last.rubric__version, last.at)
        yield last.response__prompt__external_id, score


def _counted(project: Project) -> QuerySet[Score]:
    """Counted scores of live rounds, by whom and of which response ever."""
    return Score.objects.filter(
        Q(source=None) | Q(source__state=Import.State.STORED),
        round__project=project,
        round__purpose=Round.Purpose.LIVE,
        standing=Score.Standing.COUNTED,
    )


def standing_responses(project: Project) -> tuple[dict[str, ResponseRow], int]:
    """Active responses with what their prompts say, by id, and the number of removed ones: of one instant."""
    rows, removed = {}, 0
    for state, row in each_response(project):
        if state == Response.State.ACTIVE:
            rows[row.id] = row
        elif state == Response.State.REMOVED:
            removed += 1
    return rows, removed


def each_response(project: Project) -> Iterator[tuple[str, ResponseRow]]:
    """The state of each response that is material of the benchmark, and what curation knows of it: of one instant.

    Texts of exams, courses and calibrations are no material, unless live rounds have scored them.
    """
    set_aside = consensus.set_aside(project).exclude(pk__in=_counted(project).values("response"))
    return _responses(project.responses.exclude(pk__in=set_aside.values("pk")))


def response_rows(project: Project, ids: Sequence[str] | None = None) -> dict[str, ResponseRow]:
    """Every response of the project, active or not, by id; or those with these ids."""
    if ids is None:
        return {row.id: row for _, row in _responses(project.responses.all())}
    return {
        row.id: row
        for some in _batches(ids)
        for _, row in _responses(project.responses.filter(external_id__in=some))
    }


def _responses(found: QuerySet[Response]) -> Iterator[tuple[str, ResponseRow]]:
    rows = found.values_list(
        "state",
        "external_id",
        "prompt__external_id",
        "text",
        "prompt__text",
        "prompt__language",
        "prompt__genre__key",
        "source_model",
        "given_length",
    )
    for state, key, prompt, text, prompt_text, language, genre, model, length in rows.iterator():
        yield (
            state,
            ResponseRow(
                id=key,
                prompt_id=prompt,
                text=text,
                prompt=prompt_text,
                language=language,
                genre=genre or "",
                model=model,
                length=length,
            ),
        )


def response_keys(project: Project, ids: Sequence[str]) -> dict[str, int]:
    """Database keys of the project's responses with these ids, by id."""
    return {
        key: pk
        for some in _batches(ids)
        for key, pk in project.responses.filter(external_id__in=some).values_list("external_id", "pk")
    }


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), AT_A_TIME):
        yield ids[start : start + AT_A_TIME]

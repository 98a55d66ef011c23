"""What stored.py asks of a process that has a database."""

import json
import sys
from collections.abc import Callable

from django.contrib.auth.hashers import make_password
from django.db import connection
from django.utils import timezone

from annotation.models import Membership, Project, Prompt, Response, Round, Score, User
from annotation.services import membership, projects, rounds
from curation.domain.choice import Choice
from curation.domain.columns import Columns
from curation.queries import columns
from curation.services import report_work, reports
from tests.bench import measure
from tests.bench.measure import Call, Race, Row
from tests.bench.samples import A_PROMPT, EACH, POOL, Pool

ORM, COLUMNS = "objects", "columns"
VALUE = '"annotation_score"."value"'


def measured(scores: int, runs: int) -> None:
    """Prints times in ms, the MiB that the columns took, scores read for a second report, and what they differ by."""
    project = _filled(max(1, scores // (A_PROMPT * EACH)))
    race = Race(
        size="",
        calls={
            ORM: Call(lambda: _objects(project), runs),
            COLUMNS: Call(lambda: columns.columns(project), runs),
        },
        rows=[Row("D1", "", COLUMNS, ORM, 0.3, is_measured=True)],
        differences=lambda results: iter([("D1", _difference(results[COLUMNS], results[ORM][0]))]),
    )
    (line,) = measure.run(race)
    _report(project)
    again = _scores_read(lambda: _report(project))
    json.dump(
        {
            "scores": Score.objects.count(),
            "columns_ms": line.ours,
            "objects_ms": line.peers,
            "mib": line.memory,
            "differs": line.differs,
            "read_again": Score.objects.count() if again else 0,
        },
        sys.stdout,
    )


def _report(project: Project) -> None:
    report = reports.request(project, choice=Choice(), by=None, now=timezone.now())
    report_work.execute(report.pk, clock=timezone.now)


def _objects(project: Project) -> list[list]:
    """The rows that columns come from: scores, responses, prompts, people."""
    scores = Score.objects.filter(round__project=project)
    return [
        list(rows)
        for rows in (scores, project.responses.all(), project.prompts.all(), project.memberships.all())
    ]


def _difference(found: Columns, objects: list[Score]) -> float:
    """0 where both have the same scores of the same responses by the same people at the same times."""
    response = dict(Response.objects.values_list("pk", "external_id"))
    people = dict(Membership.objects.values_list("pk", "pseudonym"))
    expected = sorted(
        (response[row.response_id], people[row.annotator_id], row.value, int(row.at.timestamp()))
        for row in objects
    )
    live, names = found.live, found.names
    rows = zip(
        live.response.tolist(), live.annotator.tolist(), live.value.tolist(), live.at.tolist(), strict=True
    )
    ours = sorted((names.responses[text], names.annotators[who], value, at) for text, who, value, at in rows)
    return 0.0 if ours == expected else float("inf")


def _scores_read(call: Callable[[], object]) -> int:
    """How many queries of a call ask for the values of scores."""
    seen = []

    def look(execute, sql, params, many, context):
        seen.append(VALUE in sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        call()
    return sum(seen)


def _filled(prompts: int) -> Project:
    now = timezone.now()
    project = projects.create("bench", name="Bench", taxonomy="writing-preference", by=None, now=now)
    members = [_member(project, number) for number in range(POOL)]
    genres = list(project.genres.filter(parent__isnull=False))
    Prompt.objects.bulk_create(
        Prompt(
            project=project,
            external_id=f"p{number}",
            language="en",
            genre=genres[number % len(genres)],
            text="Write about a bridge.",
            created_at=now,
        )
        for number in range(prompts)
    )
    keys = list(Prompt.objects.order_by("pk").values_list("pk", flat=True))
    Response.objects.bulk_create(
        Response(
            project=project,
            prompt_id=keys[number // A_PROMPT],
            external_id=f"r{number}",
            text="It was long.",
            text_sha256=f"{number:064x}",
            created_at=now,
        )
        for number in range(prompts * A_PROMPT)
    )
    _score(rounds.open_round(project, "Bench", by=None, now=now), members)
    return project


def _member(project: Project, number: int) -> Membership:
    user = User.objects.create(username=f"annotator{number}", password=make_password(None))
    return membership.add(project, user, role=Membership.Role.ANNOTATOR, by=None, now=timezone.now())


def _score(work: Round, members: list[Membership]) -> None:
    now = timezone.now()
    slots = list(work.assignments.order_by("response", "slot"))
    pool = Pool.of(len(slots) // EACH)
    given = {"round": work, "rubric": work.rubric, "at": now, "recorded_at": now}
    Score.objects.bulk_create(
        (
            Score(
                assignment=slot,
                response_id=slot.response_id,
                annotator=members[who],
                value=value,
                **given,
            )
            for slot, who, value in zip(slots, pool.annotator.tolist(), pool.score.tolist(), strict=True)
        ),
        batch_size=5000,
    )

"""Fills the database of the load test: texts of about 800 words, annotators, one open round. Prints what was made."""

import contextlib
import io
import json
import random
import sys
import time

from django.contrib.auth.hashers import make_password
from django.db import connection
from django.utils import timezone

from annotation.models import Assignment, Lease, Membership, Prompt, Response, Round, Score, User
from annotation.services import assignments, membership, projects, rounds, scoring

TALE = """the river keeps its own account of every bridge that men have thrown across it and when the ice goes
out in spring it reads the whole of it aloud from the first stone to the last while the town stands at the rail and
listens for a name it might know"""
PASSWORD = "a long enough password"
PARAGRAPHS, WORDS_A_PARAGRAPH = 8, 100
RESPONSES_A_PROMPT = 5
SEED = 7


def main(annotators: int, responses: int) -> None:
    """Three slots for each response; pool or panel makes no difference to what a trip costs."""
    now, draw = timezone.now(), random.Random(SEED)
    project = projects.create("load", name="Load", taxonomy="writing-preference", by=None, now=now)
    hashed = make_password(PASSWORD)
    names = [f"annotator{number}" for number in range(1, annotators + 1)]
    for name in names:
        user = User.objects.create(username=name, password=hashed)
        membership.add(project, user, role=Membership.Role.ANNOTATOR, by=None, now=now)
    genres = list(project.genres.filter(parent__isnull=False))
    prompts = Prompt.objects.bulk_create(
        Prompt(
            project=project,
            external_id=f"p{number}",
            language="en",
            genre=genres[number % len(genres)],
            text=f"Write about bridge {number}.",
            created_at=now,
        )
        for number in range(-(-responses // RESPONSES_A_PROMPT))
    )
    Response.objects.bulk_create(
        Response(
            project=project,
            prompt=prompts[number // RESPONSES_A_PROMPT],
            external_id=f"r{number}",
            text=_text(draw),
            text_sha256=f"{number:064x}",
            created_at=now,
        )
        for number in range(responses)
    )
    work = rounds.open_round(project, "Load", by=None, now=now)
    json.dump({"round": work.token, "names": names, "password": PASSWORD}, sys.stdout)


def far_in(*, done: int, responses: int, claims: int = 60) -> None:
    """Prints the seconds that a claim takes somebody who has scored `done` texts of a round of `responses`."""
    with contextlib.redirect_stdout(io.StringIO()):
        main(1, responses)
    work = Round.objects.get(name="Load")
    annotator = Membership.objects.select_related("project", "user").get(user__username="annotator1")
    now = timezone.now()
    first = random.Random(SEED).sample(list(work.assignments.filter(slot=1).order_by("pk")), done)
    work.assignments.filter(pk__in=[slot.pk for slot in first]).update(state="done", annotator=annotator)
    mine = {"annotator": annotator}
    Lease.objects.bulk_create(
        Lease(assignment=slot, token=f"t{number}", leased_at=now, position=number, **mine)
        for number, slot in enumerate(first, start=1)
    )
    given = {"round": work, "rubric": work.rubric, "value": 2, "at": now, "recorded_at": now, **mine}
    Score.objects.bulk_create(Score(assignment=slot, response_id=slot.response_id, **given) for slot in first)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does within a minute
    seconds = []
    for _ in range(claims):
        began = time.perf_counter()
        lease = assignments.claim(annotator, work, now=timezone.now())
        seconds.append(time.perf_counter() - began)
        scoring.submit(lease, value=2, justification="", now=timezone.now())
    json.dump(seconds, sys.stdout)


def _text(draw: random.Random) -> str:
    return "\n\n".join(
        " ".join(draw.choices(TALE.split(), k=WORDS_A_PARAGRAPH)).capitalize() + "."
        for _ in range(PARAGRAPHS)
    )


def stored() -> None:
    """Prints what the database holds: each counted score with the hand-outs under which it can have come."""
    work = Round.objects.get(name="Load")
    scores = Score.objects.filter(round=work)
    rows = scores.values_list("response", "annotator", "value", "standing", "revision")
    leases = work.assignments.exclude(leases=None).values_list(
        "leases__token", "response", "leases__annotator"
    )
    json.dump(
        {
            "scores": list(rows),
            "leases": list(leases),
            "slots": work.assignments.count(),
            "done": work.assignments.filter(state=Assignment.State.DONE).count(),
        },
        sys.stdout,
    )

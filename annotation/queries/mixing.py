"""What can be mixed into a round for an annotator, and what a lead has chosen to mix in."""

from annotation.domain.reach import covers
from annotation.models import Lease, Membership, Response, Round, Score
from annotation.queries import stages


def gold_left(annotator: Membership, gold: Round) -> list[tuple[int, int]]:
    """(response, prompt) of the gold items that the annotator has not been given, and is not too near to."""
    items = Response.objects.filter(
        pk__in=gold.consensus_items.values("response"), state=Response.State.ACTIVE
    ).exclude(pk__in=gold.assignments.filter(reserved_for=annotator).values("response"))
    items = items.exclude(prompt__in=annotator.conflicts.values("prompt"))
    reach = stages.reach(annotator, gold)
    rows = items.values_list("pk", "prompt", "prompt__language", "prompt__genre", "prompt__genre__parent")
    return [
        (response, prompt)
        for response, prompt, language, genre, parent in rows
        if covers(reach, language, parent or genre)
    ]


def repeats_left(annotator: Membership, repeat: Round, host: Round, *, before: int) -> list[tuple[int, int]]:
    """(response, prompt) of what the annotator scored in the round at that hand-out or earlier, and not again yet."""
    handed = Lease.objects.filter(annotator=annotator, assignment__round=host, position__lte=before)
    scored = Score.objects.filter(
        round=host, annotator=annotator, response__state=Response.State.ACTIVE, revision=1
    )
    rows = scored.filter(response__in=handed.values("assignment__response")).exclude(
        response__in=repeat.assignments.filter(reserved_for=annotator).values("response")
    )
    rows = rows.exclude(response__prompt__in=annotator.conflicts.values("prompt"))
    return list(rows.values_list("response", "response__prompt"))

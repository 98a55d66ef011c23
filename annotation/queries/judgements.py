"""What somebody has given under a lease, of whichever kind."""

from django.db.models import Max, Q, QuerySet

from annotation.models import CategoryVote, Lease, Preference, Ranking, Round, Score


def of_lease(lease: Lease) -> QuerySet:
    """The annotator's own judgements of what they were handed, every revision."""
    slot, kind = lease.assignment, Round.Kind(lease.assignment.round.kind)
    own = {"round": slot.round_id, "annotator": lease.annotator_id}
    if kind == Round.Kind.SCORES:
        return Score.objects.filter(**own, response=slot.response_id)
    if kind == Round.Kind.RANKINGS:
        return Ranking.objects.filter(**own, prompt=slot.prompt_id)
    if kind == Round.Kind.CATEGORIES:
        return CategoryVote.objects.filter(**own, prompt=slot.prompt_id)
    one, other = slot.response_id, slot.other_id
    in_either_order = Q(response_a=one, response_b=other) | Q(response_a=other, response_b=one)
    return Preference.objects.filter(in_either_order, **own)


def revision(lease: Lease) -> int:
    """Of the latest judgement; 0 where nothing was submitted yet."""
    return of_lease(lease).aggregate(last=Max("revision"))["last"] or 0

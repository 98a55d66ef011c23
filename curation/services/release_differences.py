"""What a run would change in a release that there is, with the reasons. Nothing is written.

Both runs are done and never change, so what was found is kept in the process. Why a rule rejects a pair follows from
its prompt alone, up to length symmetry and quota; so reasons are found for the prompts of one page at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from django.core.cache import caches

from annotation.errors import DomainError
from annotation.models import Response
from curation.domain import pairing, ranked, rejected
from curation.domain.outcome import Rejections
from curation.domain.recipes import WritingPreference
from curation.domain.release_difference import (
    ADDED,
    DROPPED,
    REMOVED,
    TAKEN,
    Change,
    Difference,
    PairFacts,
    Sides,
    difference,
    explained,
    only_in_one,
    sides,
)
from curation.models import Run
from curation.services import snapshots
from curation.services.run_work import recipe_of

KEPT = 60 * 60  # seconds
AT_A_TIME = 200  # changes, in a file
BALANCE = "balance"  # length symmetry or the quota, whichever it was
GONE, NEW, UNKNOWN = "gone", "new", "unknown"
REMOVAL = "removed:"  # before the kind of a removal (Response.RemovalKind)

Reasons = dict[tuple[str, Sides], str]


def between(before: Run, after: Run) -> Difference:
    """Both are done, and of one project."""
    cache, key = caches["process"], f"release-difference:{before.pk}:{after.pk}"
    found = cache.get(key)
    if found is None:
        found = _between(before, after)
        cache.set(key, found, timeout=KEPT)
    return found


def with_reasons(changes: Sequence[Change], before: Run, after: Run) -> list[Change]:
    """Of a page of changes: why each pair is rejected now, was rejected, or could not be formed."""
    dropped = [each for each in changes if each.kind == DROPPED]
    taken = [each for each in changes if each.kind == TAKEN]
    removed = [each for each in changes if each.kind == REMOVED]
    reasons: Reasons = {
        **{(DROPPED, pair): reason for pair, reason in _rejections(after, dropped).items()},
        **{(TAKEN, pair): reason for pair, reason in _rejections(before, taken).items()},
        **{(REMOVED, pair): reason for pair, reason in _removals(after, removed).items()},
        **{(ADDED, each.pair.sides): NEW for each in changes if each.kind == ADDED},
    }
    return explained(changes, reasons)


def all_with_reasons(found: Difference, before: Run, after: Run) -> Iterator[Change]:
    """Every change, a part at a time."""
    for start in range(0, len(found.changes), AT_A_TIME):
        yield from with_reasons(found.changes[start : start + AT_A_TIME], before, after)


def _between(before: Run, after: Run) -> Difference:
    was, now = list(_pairs(before)), list(_pairs(after))
    only_was, only_now = only_in_one(was, now)
    return difference(was, now, gone=_missing(after, only_was), new=_missing(before, only_now))


def _pairs(run: Run) -> Iterator[PairFacts]:
    columns = (
        "chosen__prompt__external_id",
        "chosen__external_id",
        "rejected__external_id",
        "votes_for",
        "votes_against",
        "ties",
        "k",
        "gap_numerator",
        "gap_denominator",
        "mean_chosen",
        "mean_rejected",
        "chosen__text_sha256",
        "rejected__text_sha256",
    )
    rows = run.pairs.values_list(*columns)
    for prompt, chosen, other, plus, minus, ties, k, top, bottom, mean, mean_other, text, text_other in rows:
        yield PairFacts(
            prompt=prompt,
            chosen=chosen,
            rejected=other,
            votes=(plus, minus, ties),
            k=k,
            gap=Fraction(top, bottom),
            means=(mean, mean_other),
            texts=(text, text_other),
        )


def _missing(run: Run, pairs: Iterable[PairFacts]) -> set[str]:
    """Responses of the pairs that were no material of the run."""
    found = list(pairs)
    if not found:
        return set()
    there = snapshots.responses_of(run.snapshot, {pair.prompt for pair in found})
    return {name for pair in found for name in pair.sides if name not in there}


def _rejections(run: Run, changes: Sequence[Change]) -> dict[Sides, str]:
    """Why the run did not accept each of these, which were candidates of it."""
    if not changes:
        return {}
    recipe = recipe_of(run)
    try:
        material = snapshots.load_prompts(run.snapshot, {each.pair.prompt for each in changes})
    except DomainError:  # a genre or a language was set anew since: what the run saw is no longer there
        return {each.pair.sides: UNKNOWN for each in changes}
    reasons = _first_reasons(material, recipe)
    balanced_by = {
        (True, False): "length_symmetry",
        (False, True): "quota",
        (True, True): BALANCE,
    }.get((recipe.length_symmetry, recipe.quota is not None), UNKNOWN)
    return {each.pair.sides: reasons.get(each.pair.sides, balanced_by) for each in changes}


def _first_reasons(material: snapshots.Material, recipe: WritingPreference) -> dict[Sides, str]:
    """Of each candidate that a rule rejected which looks at one prompt alone."""
    rows = ranked.ranked(material.responses, length_unit=recipe.length_unit, strata=recipe.strata)
    outcomes = rejected.outcomes(recipe.reasons, "all", ids=[row.id for row in rows.rows], seed=recipe.seed)
    pairing.within_prompts(rows, [score.current() for score in material.scores], recipe, outcomes)
    return {sides(each.a, each.b): each.reason for each in Rejections(rows, outcomes)}


def _removals(run: Run, changes: Sequence[Change]) -> dict[Sides, str]:
    """Why a response of each is no material any more: removed in triage, and as what, or no longer there."""
    names = {name for each in changes for name in each.pair.sides}
    rows = Response.objects.filter(
        project=run.project, external_id__in=names, state=Response.State.REMOVED
    ).values_list("external_id", "removed_kind")
    kinds = dict(rows)
    return {
        each.pair.sides: next((REMOVAL + kinds[name] for name in each.pair.sides if name in kinds), GONE)
        for each in changes
    }

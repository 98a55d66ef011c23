"""The rules of curation a second time: short, slow and obvious, to hold the vectorised ones against.

Plain loops and fractions, nothing shared with the product but the types of its input and its recipe.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from math import ceil

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore, ScoreRow
from curation.domain.recipes import WritingPreference

M = 2**64
# As shipped; a recipe may have fewer of them, and in another order.
OF_CANDIDATES = (
    "identical_text",
    "insufficient_overlap",
    "no_gap",
    "direction",
    "unanimity",
    "gap",
    "length_ratio",
)


@dataclass
class Candidate:
    a: str
    b: str
    chosen: str
    rejected: str
    difference: int = 0
    stratum: tuple[str, ...] = ()
    prompt: str = ""
    reason: str = ""
    bucket: int = 0
    place: tuple[int, bytes, bytes] = (0, b"", b"")
    facts: tuple = ()


def h(seed: str, name: str) -> int:
    return int(sha256(f"{seed}:{name}".encode()).hexdigest()[:16], 16)


def priority(seed: str, chosen: str, rejected: str) -> int:
    z = (h(seed, chosen) + 0x9E3779B97F4A7C15 * h(seed, rejected)) % M
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % M
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % M
    return z ^ (z >> 31)


def length(row: ResponseRow) -> int:
    return row.length if row.length is not None else len(row.text.split())


def judged(one: ResponseRow, other: ResponseRow, scores: Sequence[CurrentScore], recipe: WritingPreference):
    """The candidate as the rules on single candidates leave it."""
    mine = {s.annotator: s for s in scores if s.response_id == one.id}
    theirs = {s.annotator: s for s in scores if s.response_id == other.id}
    common = sorted(mine.keys() & theirs.keys())
    k = len(common)
    total = sum(mine[x].score - theirs[x].score for x in common)
    if total < 0:
        one, other, mine, theirs, total = other, one, theirs, mine, -total
    differences = [mine[x].score - theirs[x].score for x in common]
    votes_for = sum(d > 0 for d in differences)
    votes_against = sum(d < 0 for d in differences)
    longer, shorter = sorted((length(one), length(other)), reverse=True)
    a, b = sorted((one.id, other.id), key=str.encode)
    strata = {"none": (), "language": (one.language,), "language+genre": (one.language, one.genre)}
    candidate = Candidate(
        a, b, one.id, other.id, length(one) - length(other), strata[recipe.strata], one.prompt_id
    )
    fails = {
        "identical_text": " ".join(one.text.split()) == " ".join(other.text.split()),
        "insufficient_overlap": k < recipe.min_common,
        "no_gap": total == 0,
        "direction": votes_for < max(2, ceil(Fraction(2 * k, 3))),
        "unanimity": recipe.unanimous and votes_for < k,
        "gap": total == 0 or Fraction(total, k) < recipe.min_gap,
        "length_ratio": recipe.max_length_ratio is not None and longer > recipe.max_length_ratio * shorter,
    }
    for name in recipe.order or OF_CANDIDATES:
        if not candidate.reason and name in fails and fails[name]:
            candidate.reason = name
    if not candidate.reason:
        means = [Fraction(sum(side[x].score for x in common), k) for side in (mine, theirs)]
        flags = {
            "contrary": votes_against > 0,
            "polarised": min(differences) <= -2,
            "low_chosen": means[0] < 2,
            "k2": k == 2,
            "zero_score": any(mine[x].score == 0 for x in common),
            "self_disagreement": any(
                side[x].largest_revision >= 2 for side in (mine, theirs) for x in common
            ),
        }
        gap = Fraction(total, k)
        candidate.facts = (
            votes_for,
            votes_against,
            k - votes_for - votes_against,
            k,
            (gap.numerator, gap.denominator),
            float(means[0]),
            float(means[1]),
            length(one),
            length(other),
            tuple(name for name, raised in flags.items() if raised),
        )
    return candidate


class Contradiction(Exception):
    """Different scores of one annotator for one response, and no telling which came last."""


def counted(acts: Sequence[ScoreRow], withdrawn: Sequence[str] = ()) -> list[CurrentScore]:
    """Of acts of scoring the scores that count."""
    found = []
    for response, annotator in sorted({(act.response_id, act.annotator) for act in acts}):
        mine = [act for act in acts if (act.response_id, act.annotator) == (response, annotator)]
        scores = {act.score for act in mine}
        if len(scores) == 1:
            found.append(CurrentScore(response, annotator, scores.pop(), 0))
            continue
        at: dict = {}
        for act in mine:
            at.setdefault(act.at, set()).add(act.score)
        if None in at or any(len(same) > 1 for same in at.values()):
            raise Contradiction
        history = [at[moment].pop() for moment in sorted(at)]
        largest = max(abs(history[i] - history[i - 1]) for i in range(1, len(history)))
        found.append(CurrentScore(response, annotator, history[-1], largest))
    return [score for score in found if score.annotator not in withdrawn]


def curate(
    responses: Sequence[ResponseRow], scores: Sequence[CurrentScore], recipe: WritingPreference
) -> list[Candidate]:
    """Every candidate with its outcome; the reason of an accepted one is empty."""
    candidates = [
        judged(one, other, scores, recipe)
        for one, other in combinations(responses, 2)
        if one.prompt_id == other.prompt_id
    ]
    for c in candidates:
        priority_of_c = priority(recipe.seed, c.chosen, c.rejected)
        c.place = (priority_of_c, c.chosen.encode(), c.rejected.encode())
    candidates.sort(key=lambda c: c.place)
    cap_responses(standing(candidates), recipe.max_pairs_per_response)
    for prompt in {c.prompt for c in candidates}:
        left = [c for c in standing(candidates) if c.prompt == prompt]
        drop(left[recipe.max_pairs_per_prompt or len(left) :], "cap_prompt")
    for stratum in {c.stratum for c in candidates}:
        members = [c for c in candidates if c.stratum == stratum]
        if recipe.length_symmetry:
            prune(standing(members), recipe.buckets)
        left = standing(members)
        quota = recipe.quota or len(left)
        if recipe.length_symmetry:
            shrink_mirrored(left, quota)
        else:
            drop(left[quota:], "quota")
    return candidates


def standing(candidates: list[Candidate]) -> list[Candidate]:
    return [c for c in candidates if not c.reason]


def drop(candidates: list[Candidate], reason: str) -> None:
    for c in candidates:
        c.reason = reason


def cap_responses(left: list[Candidate], cap: int | None) -> None:
    taken: dict[str, int] = {}
    for c in left:
        if cap is not None and max(taken.get(c.chosen, 0), taken.get(c.rejected, 0)) >= cap:
            c.reason = "cap_response"
            continue
        for side in (c.chosen, c.rejected):
            taken[side] = taken.get(side, 0) + 1


def prune(left: list[Candidate], buckets: int) -> None:
    """`left` is in ascending order."""
    longest = max((abs(c.difference) for c in left), default=0)
    if longest == 0:
        return
    width = Fraction(2 * longest, buckets)
    for c in left:
        c.bucket = ceil(abs(c.difference) / width) * (1 if c.difference > 0 else -1)
    for number in {abs(c.bucket) for c in left} - {0}:
        longer = [c for c in left if c.bucket == number]
        shorter = [c for c in left if c.bucket == -number]
        keep = min(len(longer), len(shorter))
        drop(longer[keep:] + shorter[keep:], "length_symmetry")


def shrink_mirrored(left: list[Candidate], quota: int) -> None:
    """`left` is in ascending order. Couples and pairs of D = 0 go from the end of their lists."""
    equal = [c for c in left if c.difference == 0]
    couples = []
    for number in {abs(c.bucket) for c in left} - {0}:
        longer = [c for c in left if c.bucket == number]
        shorter = [c for c in left if c.bucket == -number]
        couples += list(zip(longer, shorter, strict=True))
    couples.sort(key=lambda couple: max(c.place for c in couple))
    surplus = len(left) - quota
    while surplus > 0:
        takes_couple = (surplus >= 2 and couples) or not equal
        gone = list(couples.pop()) if takes_couple else [equal.pop()]
        drop(gone, "quota")
        surplus -= len(gone)

"""Why a pair was accepted or rejected: what each rule said of it, in words, up to the one that decided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from annotation.domain.sentences import Said, say
from curation.domain.candidates import Candidate
from curation.domain.recipes import WritingPreference

PASSED, OFF, DECIDED, NOT_REACHED = "passed", "off", "decided", "not_reached"


@dataclass(frozen=True, slots=True)
class Step:
    """What the rule that rejects for `reason` said; `state` is PASSED, OFF, DECIDED or NOT_REACHED."""

    reason: str
    state: str
    words: Said


def explain(candidate: Candidate, recipe: WritingPreference) -> tuple[Step, ...]:
    """A step for each rule of the recipe, in the order in which they are tried."""
    steps, decided = [], False
    for reason in recipe.reasons:
        words = WORDS[reason](candidate, recipe)
        if decided:
            steps.append(Step(reason, NOT_REACHED, say("Not asked: an earlier rule had decided.")))
        elif words is None:
            steps.append(Step(reason, OFF, say("This rule is off.")))
        else:
            decided = reason == candidate.reason
            steps.append(Step(reason, DECIDED if decided else PASSED, words))
    return tuple(steps)


def fraction(value: Fraction) -> str:
    """In lowest terms: "1", "4/3"."""
    return str(value)


def gap(candidate: Candidate) -> Fraction | None:
    """The mean difference over the common annotators; None where there are none."""
    tally = candidate.tally
    return Fraction(tally.gap, tally.k) if tally.k else None


def needed(k: int) -> int:
    """Votes for the preferred side: two of two, two of three, three of four."""
    return max(2, ceil(Fraction(2 * k, 3)))


# --- what each rule says: None where it is off -------------------------------------------------------------

Words = Callable[[Candidate, WritingPreference], Said | None]


def _identical_text(candidate: Candidate, recipe: WritingPreference) -> Said:
    if candidate.reason == "identical_text":
        return say("The two texts are the same, but for white space.")
    return say("The two texts differ.")


def _overlap(candidate: Candidate, recipe: WritingPreference) -> Said:
    facts = {"k": candidate.tally.k, "least": recipe.min_common}
    if candidate.reason == "insufficient_overlap":
        return say("Scored by the same people: {k}. That is fewer than the {least} that it takes.", **facts)
    return say("Scored by the same people: {k}. It takes {least}.", **facts)


def _no_gap(candidate: Candidate, recipe: WritingPreference) -> Said:
    tally = candidate.tally
    facts = {"chosen": tally.sum_chosen, "rejected": tally.sum_rejected}
    if tally.gap:
        return say("Their scores add up to {chosen} and {rejected}: one side is preferred.", **facts)
    return say("Their scores add up to {chosen} and {rejected}: no side is preferred.", **facts)


def _direction(candidate: Candidate, recipe: WritingPreference) -> Said:
    tally = candidate.tally
    facts = {
        "votes": tally.votes_for,
        "against": tally.votes_against,
        "ties": tally.ties,
        "needed": needed(tally.k),
    }
    return say(
        "Votes for the preferred text: {votes}, against: {against}, ties: {ties}. It takes {needed}.", **facts
    )


def _unanimity(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    if not recipe.unanimous:
        return None
    tally = candidate.tally
    facts = {"votes": tally.votes_for, "k": tally.k}
    return say("Votes for the preferred text: {votes} of {k}. The recipe wants all of them.", **facts)


def _gap(candidate: Candidate, recipe: WritingPreference) -> Said:
    found = gap(candidate)
    facts = {"gap": fraction(found) if found is not None else "–", "least": fraction(recipe.min_gap)}
    return say("The means are {gap} apart. It takes {least}.", **facts)


def _length_ratio(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    if recipe.max_length_ratio is None:
        return None
    shorter, longer = sorted((candidate.length_chosen, candidate.length_rejected))
    facts = {"longer": longer, "shorter": shorter, "most": fraction(recipe.max_length_ratio)}
    return say("The lengths are {longer} and {shorter}. The longer may be {most} times the shorter.", **facts)


def _cap_response(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    cap = recipe.max_pairs_per_response
    if cap is None:
        return None
    if candidate.reason == "cap_response":
        return say(
            "One of the two already stood in {cap} pairs of lower priority, which is all it may.", cap=cap
        )
    return say("Neither of the two stood in {cap} pairs of lower priority.", cap=cap)


def _cap_prompt(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    cap = recipe.max_pairs_per_prompt
    if cap is None:
        return None
    if candidate.reason == "cap_prompt":
        return say("The prompt already had {cap} pairs of lower priority, which is all it may have.", cap=cap)
    return say("The prompt had fewer than {cap} pairs of lower priority.", cap=cap)


def _length_symmetry(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    if not recipe.length_symmetry:
        return None
    if candidate.symmetry is None or candidate.bucket is None:
        return say("Of each bucket of length differences, as many pairs stay as of its mirror image.")
    if not candidate.bucket:
        return say("Both texts are as long as each other: such pairs all stay.")
    turn, here, mirror = candidate.symmetry
    facts = {
        "difference": abs(candidate.difference),
        "bucket": candidate.bucket,
        "turn": turn,
        "here": here,
        "mirror": mirror,
        "stay": min(here, mirror),
    }
    if not mirror:
        return _no_mirror(candidate, facts)
    if candidate.bucket > 0:
        return say(
            "The chosen text is longer by {difference}: bucket {bucket}. By priority this pair is number {turn} of "
            "{here} there; the mirror image has {mirror}. So the first {stay} stay on either side.",
            **facts,
        )
    return say(
        "The chosen text is shorter by {difference}: bucket {bucket}. By priority this pair is number {turn} of {here} "
        "there; the mirror image has {mirror}. So the first {stay} stay on either side.",
        **facts,
    )


def _no_mirror(candidate: Candidate, facts: Mapping[str, int]) -> Said:
    if candidate.difference > 0:
        return say(
            "The chosen text is longer by {difference}: bucket {bucket}. The mirror image has no pair, so none stays "
            "here.",
            **facts,
        )
    return say(
        "The chosen text is shorter by {difference}: bucket {bucket}. The mirror image has no pair, so none stays "
        "here.",
        **facts,
    )


def _quota(candidate: Candidate, recipe: WritingPreference) -> Said | None:
    if recipe.quota is None:
        return None
    if candidate.reason != "quota":
        return say("It is among the {quota} pairs of the quota.", quota=recipe.quota)
    if not recipe.length_symmetry:
        return say(
            "More than the {quota} pairs of the quota were left. Those of highest priority went.",
            quota=recipe.quota,
        )
    return say(
        "More than the {quota} pairs of the quota were left. Those of highest priority went, a longer and a shorter "
        "one together.",
        quota=recipe.quota,
    )


WORDS: Mapping[str, Words] = {
    "identical_text": _identical_text,
    "insufficient_overlap": _overlap,
    "no_gap": _no_gap,
    "direction": _direction,
    "unanimity": _unanimity,
    "gap": _gap,
    "length_ratio": _length_ratio,
    "cap_response": _cap_response,
    "cap_prompt": _cap_prompt,
    "length_symmetry": _length_symmetry,
    "quota": _quota,
}

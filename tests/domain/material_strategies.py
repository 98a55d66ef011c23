"""Material and recipes for property tests: small, but with every rule likely to bite."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain.recipes import WritingPreference
from curation.domain.rules import Kind

ANNOTATORS = ("ann", "ben", "cyd", "dan", "Éva")
TEXTS = (
    "a b",
    " a  b ",
    *(" ".join(f"{word}{number}" for word in "abcdefg"[: number % 5 + 1]) for number in range(20)),
)
LETTERS = ("r", "r", "R", "é", "r-")
SLIPS = (0, 0, 0, 0, 0, 1, -1, None)  # how far a score lies from what the response deserves; None: not scored

shipped = st.builds(
    WritingPreference,
    min_gap=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(4, 3), Fraction(3, 2)]),
    min_common=st.sampled_from([2, 2, 3]),
    unanimous=st.sampled_from([False, False, True]),
    max_length_ratio=st.sampled_from([None, None, None, Fraction(2), Fraction(3, 2)]),
    max_pairs_per_response=st.sampled_from([None, None, None, 1, 2, 4]),
    max_pairs_per_prompt=st.sampled_from([None, None, None, 1, 3, 6]),
    length_symmetry=st.booleans(),
    buckets=st.sampled_from([2, 4, 6, 100]),
    strata=st.sampled_from(["none", "language", "language+genre"]),
    quota=st.sampled_from([None, 1, 2, 3, 4, 5, 8]),
    seed=st.sampled_from(["plumb-1", "other"]),
)


@st.composite
def listed(draw: st.DrawFn) -> WritingPreference:
    """A recipe with a list of its own: rules left out, those on single candidates in any order."""
    recipe = draw(shipped)
    alone = [rule.name for rule in recipe.rules() if rule.kind is Kind.CANDIDATE]
    names = draw(st.lists(st.sampled_from(alone), unique=True))
    if not {"no_gap", "gap"} & {*names}:
        names.insert(draw(st.integers(0, len(names))), draw(st.sampled_from(["no_gap", "gap"])))
    together = [rule.name for rule in recipe.rules() if rule.kind is Kind.SET]
    names += draw(
        st.lists(st.sampled_from(together), unique=True).map(lambda some: sorted(some, key=together.index))
        if together
        else st.just([])
    )
    held = {name for rule in recipe.rules() if rule.name in names for name in rule.parameters()}
    given = {name: value for name, value in recipe.parameters().items() if name in {*held, *recipe.settings}}
    return WritingPreference.from_parameters({**given, "rules": names})


recipes = st.one_of(shipped, listed())


@st.composite
def prompts(draw: st.DrawFn, number: int) -> list[ResponseRow]:
    given = draw(st.booleans())
    first = ResponseRow(
        id="",
        prompt_id=f"p{number}",
        text="",
        prompt="Write.",
        language=draw(st.sampled_from(["en", "de"])),
        genre=draw(st.sampled_from(["", "poetry"])),
    )
    return [
        replace(
            first,
            id=f"{draw(st.sampled_from(LETTERS))}{number}{place}",
            text=draw(st.sampled_from(TEXTS)),
            length=draw(st.integers(0, 5)) if given else None,
        )
        for place in range(draw(st.integers(0, 9)))
    ]


@st.composite
def material(draw: st.DrawFn) -> tuple[list[ResponseRow], list[CurrentScore]]:
    responses = [row for number in range(draw(st.integers(1, 3))) for row in draw(prompts(number))]
    panel = ANNOTATORS[: draw(st.integers(2, len(ANNOTATORS)))]
    scores = []
    for row in responses:
        deserved = draw(st.integers(0, 3))
        for name in panel:
            slip = draw(st.sampled_from(SLIPS))
            if slip is not None:
                score = min(3, max(0, deserved + slip))
                scores.append(CurrentScore(row.id, name, score, draw(st.sampled_from([0, 0, 0, 1, 2]))))
    return responses, scores

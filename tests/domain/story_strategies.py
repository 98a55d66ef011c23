"""Stories and recipes for property tests: small, with equal votes, equal moments and missing tokens in plenty."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from hypothesis import strategies as st

from curation.domain.recipes import LitBench
from curation.domain.stories import Story
from tests.domain.material_strategies import LETTERS, TEXTS

BEGIN = datetime(2022, 12, 30, tzinfo=UTC)
MOMENTS = [BEGIN + timedelta(hours=12 * number) for number in range(8)]

shipped = st.builds(
    LitBench,
    min_upvotes=st.sampled_from([0, 10, 10]),
    min_words=st.sampled_from([0, 0, 2]),
    max_tokens=st.sampled_from([None, 4, 2048]),
    min_difference=st.sampled_from(
        [Fraction(0), Fraction(1, 4), Fraction(1, 4), Fraction(1, 3), Fraction(1)]
    ),
    time_rule=st.sampled_from([True, True, False]),
    length_symmetry=st.sampled_from([True, True, False]),
    buckets=st.sampled_from([2, 4, 6, 100]),
    strata=st.sampled_from(["none", "language", "language+genre"]),
    seed=st.sampled_from(["plumb-1", "other"]),
    split_at=st.sampled_from([None, None, datetime(2023, 1, 1, tzinfo=UTC)]),
)


@st.composite
def listed(draw: st.DrawFn) -> LitBench:
    """A recipe with a list of its own: rules left out, but for the one that says which story is chosen."""
    recipe = draw(shipped)
    held = [rule for rule in recipe.rules() if rule.name == "upvote_gap" or draw(st.booleans())]
    kept = {*(name for rule in held for name in rule.parameters()), *recipe.settings}
    given = {name: value for name, value in recipe.parameters().items() if name in kept}
    return LitBench.from_parameters({**given, "rules": [rule.name for rule in held]})


recipes = st.one_of(shipped, listed())


@st.composite
def prompts(draw: st.DrawFn, number: int) -> list[Story]:
    given = draw(st.booleans())
    first = Story(
        id="",
        prompt_id=f"p{number}",
        text="",
        prompt="Write.",
        language=draw(st.sampled_from(["en", "de"])),
        genre=draw(st.sampled_from(["", "poetry"])),
        upvotes=0,
        posted_at=BEGIN,
    )
    return [
        replace(
            first,
            id=f"{draw(st.sampled_from(LETTERS))}{number}{place}",
            text=draw(st.sampled_from(TEXTS)),
            length=draw(st.integers(0, 5)) if given else None,
            upvotes=draw(st.sampled_from([-1, 0, 1, 9, 10, 10, 12, 13, 14, 15, 20, 27, 40])),
            posted_at=draw(st.sampled_from(MOMENTS)),
            tokens=draw(st.sampled_from([None, None, 1, 4, 5, 2048, 2049])),
        )
        for place in range(draw(st.integers(0, 9)))
    ]


@st.composite
def stories(draw: st.DrawFn) -> list[Story]:
    return [story for number in range(draw(st.integers(1, 3))) for story in draw(prompts(number))]

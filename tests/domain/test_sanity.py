"""Means of the checks by program, by variant of a dropout."""

from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.sanity import Held, Mean, means

BOOLS = st.lists(st.booleans(), max_size=4).map(tuple)
TEXTS = st.lists(st.builds(Held, st.integers(1, 5), BOOLS, BOOLS), max_size=20)


def test_they_are_means_over_texts_of_shares():
    found = [
        Held(1, (True, True), ()),
        Held(1, (True, False, False, False), ()),
        Held(2, (True,), (False,)),
        Held(2, (), (True,)),
        Held(3, (), ()),
    ]
    assert means(found) == (Mean(1, 2, 0.625, 0.625, None), Mean(2, 2, 0.75, 1.0, 0.5))


@given(TEXTS)
def test_every_share_lies_between_none_and_all(found):
    told = means(found)
    assert [each.variant for each in told] == sorted(
        {each.variant for each in found if each.asked or each.left_out}
    )
    for each in told:
        assert each.texts > 0
        assert all(
            0 <= part <= 1 for part in (each.of_all, each.of_asked, each.of_left_out) if part is not None
        )

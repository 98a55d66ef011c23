"""What a report says of rankings: the mean rank of a text by its place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from curation.domain.report_rankings import _mid_ranks

RANKINGS = st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=6), min_size=1, max_size=6)


@given(RANKINGS, st.randoms(use_true_random=False))
def test_texts_of_a_tier_share_the_mean_of_their_ranks_as_in_scipy(rankings, chance):
    rows = [(number, tier) for number, tiers in enumerate(rankings) for tier in tiers]
    expected = [rank for tiers in rankings for rank in rankdata(tiers, method="average")]
    order = list(range(len(rows)))
    chance.shuffle(order)
    ranking, tier = np.array([rows[index] for index in order]).T
    found = _mid_ranks(ranking, tier.astype(np.float64))
    assert found.tolist() == [expected[index] for index in order]


def test_no_ranking_has_no_rank():
    assert _mid_ranks(np.empty(0, np.int64), np.empty(0)).tolist() == []

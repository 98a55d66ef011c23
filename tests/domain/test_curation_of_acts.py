"""From acts of scoring as they come to outcomes, against the slow reference: revisions, acts that come twice, gaps,
ties, annotators who withdraw, and acts that contradict each other."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.records import InputError
from annotation.domain.scoring import ScoreRow, current
from curation.domain.pairing import curate
from curation.domain.shards.buckets import bucket_of
from curation.domain.shards.merge import merged
from curation.domain.shards.work import decided
from tests.domain import oracle
from tests.domain.material_strategies import ANNOTATORS, material, recipes

pytestmark = pytest.mark.files

thorough = settings(max_examples=100, deadline=None, derandomize=True)
moments = st.one_of(st.none(), st.integers(1, 4).map(lambda day: datetime(2026, 3, day, tzinfo=UTC)))


@st.composite
def acts_of(draw, scores, *, may_contradict):
    """Acts that lead to scores such as these: most once, some twice, some after others."""
    acts = []
    for score in scores:
        last = draw(moments)
        acts.append(ScoreRow(score.response_id, score.annotator, score.score, last))
        if draw(st.integers(0, 3)):
            continue
        if may_contradict:
            other, at = draw(st.integers(0, 3)), draw(moments)
        elif last is None:
            other, at = score.score, draw(moments)
        else:
            other, at = draw(st.integers(0, 3)), datetime(2026, 2, draw(st.integers(1, 4)), tzinfo=UTC)
        acts.append(ScoreRow(score.response_id, score.annotator, other, at))
    return draw(st.permutations(acts))


@thorough
@given(st.data(), recipes, st.sets(st.sampled_from(ANNOTATORS), max_size=2))
def test_every_candidate_ends_as_in_the_second_implementation(data, recipe, withdrawn):
    responses, given_scores = data.draw(material())
    acts = data.draw(acts_of(given_scores, may_contradict=False))
    scores = [score for score in current(acts) if score.annotator not in withdrawn]
    curation = curate(responses, scores, recipe)
    expected = oracle.curate(responses, oracle.counted(acts, sorted(withdrawn)), recipe)
    assert {(row.a, row.b): row.reason for row in curation.rejected} == {
        (c.a, c.b): c.reason for c in expected if c.reason
    }
    accepted = {(c.chosen, c.rejected): c.facts for c in expected if not c.reason}
    assert {(pair.chosen, pair.rejected) for pair in curation.pairs} == accepted.keys()
    for pair in _in_parts(responses, scores, recipe):
        facts = accepted.pop((pair.chosen, pair.rejected))
        assert facts[:5] == (pair.votes_for, pair.votes_against, pair.ties, pair.k, pair.gap)
        assert facts[5:7] == (pair.mean_chosen, pair.mean_rejected)
        assert facts[7:] == (pair.length_chosen, pair.length_rejected, pair.flags)
    assert not accepted


def _in_parts(responses, scores, recipe):
    bucket = {row.id: bucket_of(row.prompt_id) for row in responses}
    found = [
        decided(
            [row for row in responses if bucket[row.id] == number],
            [score for score in scores if bucket[score.response_id] == number],
            recipe,
        )
        for number in sorted(set(bucket.values()))
    ]
    outcome = merged([tally for _, tally in found], [part for part, _ in found], recipe)
    return [pair for part in outcome.accepted() for pair in part.pairs()]


@thorough
@given(st.data())
def test_acts_that_contradict_each_other_are_refused_where_the_reference_refuses_them(data):
    _, given_scores = data.draw(material())
    acts = data.draw(acts_of(given_scores, may_contradict=True))
    try:
        expected = oracle.counted(acts)
    except oracle.Contradiction:
        with pytest.raises(InputError, match="the times do not say which is later"):
            current(acts)
    else:
        assert current(acts) == expected

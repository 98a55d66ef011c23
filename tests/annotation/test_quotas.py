"""A stratum whose quota is reached is given out no more."""

import pytest

from annotation.domain.next_up import Stratum
from annotation.errors import DomainError, Invalid
from annotation.queries import quotas as queries
from annotation.services import assignments, quotas, rounds, scoring
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project):
    """Four English and two Chinese texts, scored by two each."""
    project.annotators_per_response = 2
    project.save(update_fields=["annotators_per_response"])
    genre = project.genres.first()
    for number in range(6):
        make_response(make_prompt(project, language="zh" if number > 3 else "en", genre=genre))
    return make_round(project)


@pytest.fixture
def english(project):
    return Stratum("en", project.genres.first().pk)


def score_all(member, work):
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        given.append(lease.assignment.prompt.language)
    return given


def test_once_enough_responses_are_finished_no_more_are_given_out(work, project, english):
    quotas.save(work, {english: 2}, by=None, now=NOW)
    one, other, third = (make_member(project) for _ in range(3))
    assert sorted(score_all(one, work)) == ["en"] * 4 + ["zh"] * 2  # one score finishes nothing
    given = score_all(other, work)
    assert given.count("zh") == 2
    assert given.count("en") == 2
    assert score_all(third, work) == []
    assert work.quotas.get().reached_at == NOW


def test_without_the_quota_all_of_them_would_be_given_out(work, project):
    """The negative control."""
    for _ in range(2):
        assert len(score_all(make_member(project), work)) == 6


def test_a_quota_that_is_reached_already_stops_at_once(work, project, english):
    for _ in range(2):
        scoring.submit(
            assignments.claim(make_member(project), work, now=NOW), value=2, justification="", now=NOW
        )
    for member in [make_member(project) for _ in range(2)]:
        score_all(member, work)
    quotas.save(work, {english: 1}, by=None, now=NOW)
    assert work.quotas.get().reached_at == NOW


def test_taking_a_quota_away_or_raising_it_gives_out_again(work, project, english):
    quotas.save(work, {english: 2}, by=None, now=NOW)
    for _ in range(2):
        score_all(make_member(project), work)
    third = make_member(project)
    assert score_all(third, work) == []
    quotas.save(work, {english: 3}, by=None, now=NOW)
    assert set(score_all(third, work)) == {"en"}
    quotas.save(work, {english: None}, by=None, now=NOW)
    assert not work.quotas.exists()


def test_the_page_shows_each_stratum_with_what_is_finished(work, project):
    for _ in range(2):
        score_all(make_member(project), work)
    lines = queries.lines(work, language="en")
    assert [(line.language, line.responses, line.finished) for line in lines] == [
        ("Chinese", 2, 2),
        ("English", 4, 4),
    ]


@pytest.mark.parametrize("number", [0, -1, 10**7])
def test_a_quota_is_a_count(work, english, number):
    with pytest.raises(Invalid):
        quotas.save(work, {english: number}, by=None, now=NOW)
    assert not work.quotas.exists()


def test_a_locked_round_takes_no_quota(work, english):
    rounds.lock(work, by=None, now=NOW)
    work.refresh_from_db()
    with pytest.raises(DomainError):
        quotas.save(work, {english: 1}, by=None, now=NOW)

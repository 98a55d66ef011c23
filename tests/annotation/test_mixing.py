"""Gold items and repeats come in among the texts of a round, look like them, and are never data."""

import pytest

from annotation.domain import next_up
from annotation.errors import DomainError, Invalid
from annotation.models import Round
from annotation.services import assignments, consensus, mixing, rounds, scoring
from curation.queries.material import live_scores
from tests.factories import NOW, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project):
    for _ in range(60):
        make_response(make_prompt(project))
    return make_round(project)


def mix(work, *, gold=0, repeat=0, items=0):
    """With so many gold items, which are texts of their own."""
    mixing.set_rates(work, gold=gold, repeat=repeat, by=None, now=NOW)
    work.refresh_from_db()
    if gold:
        companion = work.mixed_in.get(purpose="gold")
        for _ in range(items):
            response = make_response(make_prompt(work.project))
            consensus.add(companion, response, kind="gold", value=2, by=None, now=NOW)
        mixing.open_gold(companion, by=None, now=NOW)


def score_all(member, work):
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=1, justification="", now=NOW)
        given.append(lease)
    return given


def test_gold_items_come_at_about_their_rate_and_each_once(work, annotator):
    mix(work, gold=20, items=10)
    given = score_all(annotator, work)
    gold = [lease for lease in given if lease.assignment.round.purpose == "gold"]
    assert 4 <= len(gold) <= 10
    assert len({lease.assignment.response_id for lease in gold}) == len(gold)
    assert len(given) - len(gold) == 60
    drawn = [next_up.mixture(work.pk, annotator.pk, lease.position, gold=20, repeat=0) for lease in given]
    assert [lease.assignment.round.purpose for lease in gold] == ["gold"] * len(gold)
    assert drawn.count("gold") >= len(gold)


def test_a_repeat_comes_twenty_texts_after_the_first_time_at_the_earliest(work, annotator):
    mix(work, repeat=25)
    given = score_all(annotator, work)
    first = {
        lease.assignment.response_id: lease.position for lease in given if lease.assignment.round == work
    }
    repeats = [lease for lease in given if lease.assignment.round.purpose == "repeat"]
    assert repeats
    assert all(lease.position - first[lease.assignment.response_id] >= 20 for lease in repeats)
    assert len({lease.assignment.response_id for lease in repeats}) == len(repeats)


def test_neither_is_curation_data(work, annotator):
    mix(work, gold=20, repeat=20, items=10)
    given = score_all(annotator, work)
    assert len(given) > 60
    assert len(live_scores(work.project)) == 60


def test_the_page_cannot_be_told_from_that_of_the_round(work, annotator, browser_of):
    mix(work, gold=50, items=30)
    client = browser_of(annotator)
    pages = {}
    for _ in range(12):
        lease = assignments.claim(annotator, work, now=NOW)
        page = client.get(f"/score/{lease.token}/").content.decode()
        pages.setdefault(lease.assignment.round.purpose, []).append(page)
        scoring.submit(lease, value=1, justification="", now=NOW)
    assert set(pages) == {"live", "gold"}
    for page in pages["gold"]:
        assert work.name in page
        assert "gold" not in page.lower()


def test_ones_own_data_and_ones_own_work_do_not_tell_what_was_mixed_in(work, annotator, browser_of):
    mix(work, gold=50, items=30)
    score_all(annotator, work)
    assert annotator.scores.filter(round__purpose="gold").exists()
    for address in ("/settings/data/", "/work/mine/"):
        page = browser_of(annotator).get(address)
        body = b"".join(page.streaming_content) if page.streaming else page.content
        assert page.status_code == 200
        assert "gold" not in body.decode().lower()


def test_after_the_last_text_of_the_round_nothing_more_is_mixed_in(work, annotator):
    mix(work, gold=5, items=30)
    score_all(annotator, work)
    assert assignments.claim(annotator, work, now=NOW) is None


def test_nothing_is_mixed_in_before_its_items_were_fixed(work, annotator):
    mixing.set_rates(work, gold=50, repeat=0, by=None, now=NOW)
    work.refresh_from_db()
    assert {lease.assignment.round for lease in score_all(annotator, work)} == {work}


def test_an_annotator_in_two_tabs_holds_one_text_also_where_it_is_mixed_in(work, annotator):
    mix(work, gold=50, items=30)
    for _ in range(20):
        lease = assignments.claim(annotator, work, now=NOW)
        assert assignments.claim(annotator, work, now=NOW) == lease
        scoring.submit(lease, value=1, justification="", now=NOW)


def test_locking_the_round_locks_what_is_mixed_into_it(work):
    mix(work, gold=5, repeat=5, items=2)
    rounds.lock(work, by=None, now=NOW)
    assert set(Round.objects.values_list("state", flat=True)) == {"locked"}


def test_the_round_of_what_is_mixed_in_has_no_address_for_annotators(work, annotator, browser_of):
    mix(work, repeat=5)
    companion = work.mixed_in.get()
    assert browser_of(annotator).post(f"/work/{companion.token}/next/").status_code == 404
    assert companion.name not in browser_of(annotator).get("/").content.decode()


@pytest.mark.parametrize(("gold", "repeat"), [(51, 0), (30, 30), (-1, 5)])
def test_rates_that_leave_too_little_of_the_round_are_refused(work, gold, repeat):
    with pytest.raises(Invalid):
        mixing.set_rates(work, gold=gold, repeat=repeat, by=None, now=NOW)
    assert not work.mixed_in.exists()


def test_a_gold_round_without_items_is_not_begun(work):
    mixing.set_rates(work, gold=5, repeat=0, by=None, now=NOW)
    with pytest.raises(DomainError, match="no gold item"):
        mixing.open_gold(work.mixed_in.get(), by=None, now=NOW)


def test_only_live_rounds_of_scores_take_something_in(project):
    make_response(make_prompt(project))
    work = make_round(project, purpose="validation")
    with pytest.raises(DomainError):
        mixing.set_rates(work, gold=5, repeat=0, by=None, now=NOW)

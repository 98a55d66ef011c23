"""The order in which texts are given out, and how little it costs."""

from collections import Counter
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Lease
from annotation.queries import claims
from annotation.services import assignments, rounds, scoring
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
QUERIES_OF_A_CLAIM = 22


def score_all(member, work):
    """Every text the annotator is given, in its order."""
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        given.append(lease)
    return given


@pytest.fixture
def mixed(project):
    """Twelve prompts of two genres, half of them Chinese, with three responses each."""
    genres = list(project.genres.all())
    for number in range(12):
        prompt = make_prompt(
            project, language="zh" if number % 2 else "en", genre=genres[(number // 2) % len(genres)]
        )
        for _ in range(3):
            make_response(prompt)
    return make_round(project)


def test_everybody_is_given_every_text_once_and_in_an_order_of_their_own(mixed, project):
    one, other = make_member(project), make_member(project)
    first, second = score_all(one, mixed), score_all(other, mixed)
    texts = [[lease.assignment.response_id for lease in given] for given in (first, second)]
    assert sorted(texts[0]) == sorted(texts[1])
    assert texts[0] != texts[1]
    assert len(set(texts[0])) == len(texts[0]) == 36


def test_the_order_is_kept_with_what_was_given(mixed, annotator):
    given = score_all(annotator, mixed)
    assert [lease.position for lease in given] == list(range(1, 37))
    scores = annotator.scores.order_by("pk")
    assert [score.assignment_id for score in scores] == [lease.assignment_id for lease in given]


def test_a_round_goes_on_where_it_was_after_much_of_another(mixed, project, annotator):
    first = [assignments.claim(annotator, mixed, now=NOW)]
    scoring.submit(first[0], value=2, justification="", now=NOW)
    assert len(score_all(annotator, make_round(project, "Round 2"))) > claims.LATELY
    assert assignments.claim(annotator, mixed, now=NOW).position == 2
    assert [given.position for given in claims.history(annotator, mixed)] == [2, 1]


def test_responses_of_a_prompt_come_five_apart_where_the_round_allows(mixed, annotator):
    prompts = [lease.assignment.prompt_id for lease in score_all(annotator, mixed)]
    gaps = [
        later - earlier
        for prompt in set(prompts)
        for places in [[n for n, each in enumerate(prompts) if each == prompt]]
        for earlier, later in pairwise(places)
    ]
    # Towards the end few prompts are left; until then none comes nearer.
    assert all(
        prompts.index(prompt) == n or n - max(m for m in range(n) if prompts[m] == prompt) >= 5
        for n, prompt in enumerate(prompts[:24])
    )
    assert Counter(gap >= 5 for gap in gaps)[True] >= len(gaps) * 0.8


def test_where_one_prompt_is_all_there_is_its_responses_follow_each_other(project, annotator):
    prompt = make_prompt(project)
    for _ in range(3):
        make_response(prompt)
    assert len(score_all(annotator, make_round(project))) == 3


def test_languages_and_genres_come_in_blocks_of_five_to_eight(project, annotator):
    for number in range(60):
        make_response(make_prompt(project, language="zh" if number % 2 else "en"))
    given = [lease.assignment.prompt.language for lease in score_all(annotator, make_round(project))]
    blocks, last = [], None
    for language in given[:40]:  # while both languages have enough left
        if language != last:
            blocks.append(0)
        blocks[-1] += 1
        last = language
    assert all(5 <= block <= 8 for block in blocks[:-1]), blocks


@pytest.mark.parametrize("texts", [30, 300])
def test_a_claim_costs_as_many_queries_however_large_the_round_is(project, annotator, texts):
    for _ in range(texts // 3):
        prompt = make_prompt(project)
        for _ in range(3):
            make_response(prompt)
    work = make_round(project)
    for _ in range(10):
        scoring.submit(assignments.claim(annotator, work, now=NOW), value=1, justification="", now=NOW)
    with CaptureQueriesContext(connection) as asked:
        assignments.claim(annotator, work, now=NOW)
    assert len(asked) <= QUERIES_OF_A_CLAIM, [query["sql"][:90] for query in asked]


def test_a_daily_cap_stops_the_giving_out_until_midnight_of_the_project(project, annotator):
    for _ in range(5):
        make_response(make_prompt(project))
    work = make_round(project)
    rounds.set_cap(work, 2, by=None, now=NOW)
    work.refresh_from_db()
    for _ in range(2):
        scoring.submit(assignments.claim(annotator, work, now=NOW), value=1, justification="", now=NOW)
    with pytest.raises(assignments.DomainError) as refusal:
        assignments.claim(annotator, work, now=NOW)
    assert refusal.value.code == "cap_reached"
    tomorrow = NOW.replace(day=NOW.day + 1, hour=0, minute=1)
    assert assignments.claim(annotator, work, now=tomorrow) is not None


def test_a_text_in_hand_can_be_opened_again_though_the_cap_is_reached(project, annotator):
    make_response(make_prompt(project))
    work = make_round(project)
    rounds.set_cap(work, 1, by=None, now=NOW)
    work.refresh_from_db()
    lease = assignments.claim(annotator, work, now=NOW)
    assert assignments.claim(annotator, work, now=NOW) == lease


def test_what_somebody_lost_to_others_is_given_to_them_again_while_a_slot_is_left(project):
    make_response(make_prompt(project))
    work = make_round(project)
    late, quick = make_member(project), make_member(project)
    first = assignments.claim(late, work, now=NOW)
    later = NOW + 2 * assignments.LEASE
    Assignment.objects.filter(pk=first.assignment_id).update(state="done", annotator=quick, leased_until=None)
    again = assignments.claim(late, work, now=later)
    assert again.assignment_id != first.assignment_id
    assert Lease.objects.filter(annotator=late).count() == 2


def test_a_round_of_another_project_gives_nothing(annotator):
    elsewhere = make_project()
    make_response(make_prompt(elsewhere))
    with pytest.raises(assignments.NotAllowed):
        assignments.claim(annotator, make_round(elsewhere), now=NOW)

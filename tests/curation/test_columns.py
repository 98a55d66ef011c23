"""Judgements as columns: what is in them, that a run reads the same, and that equal ones are equal bytes."""

from dataclasses import fields
from datetime import date, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Response
from annotation.services import (
    assignments,
    consensus,
    membership,
    mixing,
    rankings,
    revising,
    scoring,
    triage,
)
from curation.domain.choice import Choice, rows
from curation.domain.columns import UNKNOWN, Columns
from curation.queries.columns import columns
from curation.queries.material import live_scores
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, score_all
from tests.ranking_rounds import hand_out, make_ranking_round, make_set, tiers

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(project):
    return {name: make_member(project, "annotator", name) for name in ("ann", "ben", "cat")}


@pytest.fixture
def scored(project, people):
    fiction, poetry = project.genres.order_by("position")
    make_response(make_prompt(project, "p1", genre=fiction), "r1")
    make_response(make_prompt(project, "p2", genre=poetry, language="zh-Hans"), "r2")
    work = make_round(project)
    values = {("r1", "ann"): 3, ("r1", "ben"): 2, ("r1", "cat"): 2}
    score_all(work, values | {("r2", "ann"): 0, ("r2", "ben"): 1, ("r2", "cat"): 0})
    return work


def said(found, part):
    """Rows in words: (response, annotator, score)."""
    of, names = getattr(found, part), found.names
    return {
        (names.responses[response], names.annotators[annotator], int(value))
        for response, annotator, value in zip(of.response, of.annotator, of.value, strict=True)
    }


def as_a_run_reads(project):
    return {(score.response_id, score.annotator, score.score) for score in live_scores(project)}


def test_live_scores_are_those_that_a_run_reads(project, scored):
    found = columns(project)
    assert said(found, "live") == as_a_run_reads(project)
    assert len(found.live) == 6
    assert set(found.live.at.tolist()) == {int(NOW.timestamp())}


def test_a_response_knows_its_prompt_genre_and_language(project, scored):
    found = columns(project)
    names = found.names
    of = {
        names.responses[code]: (
            names.prompts[prompt],
            names.genres[found.genre_of[prompt]],
            names.languages[found.language_of[prompt]],
        )
        for code, prompt in enumerate(found.prompt_of)
    }
    assert of == {"r1": ("p1", "fiction", "en"), "r2": ("p2", "poetry", "zh")}


def test_a_type_counts_for_its_macro_category_and_a_prompt_may_have_none(project, people):
    fiction = project.genres.get(key="fiction")
    kind = project.genres.create(key="fable", name_en="Fable", position=9, parent=fiction)
    make_response(make_prompt(project, "p1", genre=kind), "r1")
    make_response(make_prompt(project, "p2"), "r2")
    found = columns(project)
    assert found.names.genres == ("fiction",)
    assert found.genre_of.tolist() == [0, UNKNOWN]


def test_a_revision_supersedes(project, people, scored):
    lease = people["ann"].leases.get(assignment__response__external_id="r1")
    revising.revise(lease, based_on=1, value=1, justification="", now=NOW + timedelta(hours=1))
    found = columns(project)
    assert ("r1", people["ann"].pseudonym, 1) in said(found, "live")
    assert said(found, "live") == as_a_run_reads(project)


def test_of_several_live_rounds_the_latest_counts(project, people, scored):
    second = make_round(project, "Round 2")
    score_all(second, {("r1", "ann"): 0, ("r2", "ann"): 3})
    found = columns(project)
    assert said(found, "live") == as_a_run_reads(project)
    assert ("r1", people["ann"].pseudonym, 0) in said(found, "live")


def test_removed_responses_and_withdrawn_annotators_are_left_out(project, people, lead, scored):
    response = Response.objects.get(external_id="r2")
    triage.decide(response, "remove", kind="other", reason="x", by=lead.user, now=NOW)
    membership.withdraw_data(people["cat"], reason="Asked to.", by=lead.user, now=NOW)
    found = columns(project)
    assert found.names.responses == ("r1",)
    assert people["cat"].pseudonym not in found.names.annotators
    assert said(found, "live") == as_a_run_reads(project)
    assert len(found.live) == 2


def test_gold_comes_with_what_is_agreed_and_repeats_apart(project, people):
    for _ in range(60):
        make_response(make_prompt(project))
    work = make_round(project)
    mixing.set_rates(work, gold=20, repeat=20, by=None, now=NOW)
    work.refresh_from_db()
    gold = work.mixed_in.get(purpose="gold")
    for _ in range(8):
        consensus.add(gold, make_response(make_prompt(project)), kind="gold", value=2, by=None, now=NOW)
    mixing.open_gold(gold, by=None, now=NOW)
    while lease := assignments.claim(people["ann"], work, now=NOW):
        scoring.submit(lease, value=1, justification="", now=NOW)
    found = columns(project)
    assert said(found, "live") == as_a_run_reads(project)
    assert len(found.live) == 60
    assert len(found.gold) >= 4
    assert found.is_material.sum() == 60
    assert not found.is_material[found.gold.response].any()
    assert set(found.gold_value.tolist()) == {2}
    assert len(found.gold_value) == len(found.gold)
    assert len(found.repeat) >= 1
    assert {found.names.rounds[code] for code in (*found.gold.round, *found.repeat.round)} == {str(work.pk)}
    assert {row[:2] for row in said(found, "repeat")} <= {row[:2] for row in said(found, "live")}


def test_rankings_keep_tiers_and_the_order_shown(project, people):
    make_set(project, 3)
    work = make_ranking_round(project)
    lease = hand_out(people["ann"], work)
    rankings.submit(lease, tiers=tiers("B > A = C"), justification="", now=NOW)
    found = columns(project).rankings
    assert found.annotator.tolist() == [0]
    by_letter = dict(zip(found.shown.tolist(), found.tier.tolist(), strict=True))
    assert by_letter == {1: 2, 2: 1, 3: 2}


def test_equal_judgements_give_equal_bytes_and_come_back_as_they_were(project, scored):
    found = columns(project)
    content = found.to_bytes()
    assert columns(project).to_bytes() == content
    again = Columns.from_bytes(content)
    assert again.names == found.names
    for part in ("live", "gold", "repeat", "rankings"):
        for column in fields(getattr(found, part)):
            before, after = (getattr(getattr(each, part), column.name) for each in (found, again))
            assert before.dtype == after.dtype
            assert np.array_equal(before, after)
    assert again.to_bytes() == content


def test_an_empty_project_has_empty_columns(project):
    found = columns(project)
    assert (len(found.live), len(found.gold), len(found.repeat)) == (0, 0, 0)
    assert Columns.from_bytes(found.to_bytes()).names == found.names


def test_how_many_queries_it_takes_does_not_follow_the_judgements(project, people, scored):
    with CaptureQueriesContext(connection) as few:
        columns(project)
    for number in range(20):
        make_response(make_prompt(project, f"more-{number}"), f"more-{number}")
    score_all(
        make_round(project, "Round 2"),
        {(f"more-{number}", name): 1 for number in range(20) for name in people},
    )
    with CaptureQueriesContext(connection) as many:
        assert len(columns(project).live) > 6
    assert len(many) == len(few)


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (Choice(), {"r1", "r2"}),
        (Choice(genre="fiction"), {"r1"}),
        (Choice(language="zh"), {"r2"}),
        (Choice(genre="fiction", language="zh"), set()),
        (Choice(genre="drama"), set()),
        (Choice(since=date(2026, 3, 2), until=date(2026, 3, 2)), {"r1", "r2"}),
        (Choice(since=date(2026, 3, 3)), set()),
        (Choice(until=date(2026, 3, 1)), set()),
    ],
)
def test_a_choice_chooses(project, scored, choice, wanted):
    found = columns(project)
    chosen = found.live.where(rows(found.live, found, choice))
    assert {found.names.responses[code] for code in chosen.response} == wanted


def test_an_annotator_is_chosen_with_the_others_who_scored_the_same(project, people, scored):
    make_response(make_prompt(project, "p3"), "r3")
    score_all(
        make_round(project, "Round 2"),
        {(key, name): 1 for key in ("r1", "r2", "r3") for name in ("ben", "cat")},
    )
    found = columns(project)
    chosen = found.live.where(rows(found.live, found, Choice(annotator=people["ann"].pseudonym)))
    assert {found.names.responses[code] for code in chosen.response} == {"r1", "r2"}
    assert len(chosen) == 6


def test_a_choice_is_spelled_in_one_way():
    choice = Choice(language="zh", genre="poetry", since=date(2026, 1, 31))
    assert choice.as_query() == "genre=poetry&language=zh&since=2026-01-31"
    assert Choice().as_query() == ""
    assert not Choice()
    assert choice

"""The checks before freezing: what fails, what is only shown, what cannot be known."""

from fractions import Fraction

import pytest

from curation.domain import release_checks as checks
from curation.domain.release_checks import Audited, Sides, Stratum, Texts

SOUND = Audited("done", True, (), earlier_exact=0, earlier_near=0, most_exact=0)
STRATA = [Stratum("fiction", "en", 12), Stratum("poetry", "zh", 3)]
NO_INTERVAL = (None, None)


def test_without_a_number_counts_are_shown_and_pass():
    found = checks.quota(STRATA, None, None)
    assert (found.state, found.detail["target"]) == ("passed", None)
    assert found.detail["strata"][1] == {"genre": "poetry", "language": "zh", "pairs": 3}


@pytest.mark.parametrize(
    ("target", "of_recipe", "state", "short"),
    [(3, None, "passed", 0), (4, None, "failed", 1), (None, 13, "failed", 2), (3, 13, "passed", 0)],
)
def test_each_genre_and_language_needs_the_number_and_the_leads_goes_first(target, of_recipe, state, short):
    found = checks.quota(STRATA, target, of_recipe)
    assert (found.state, found.detail["short"]) == (state, short)


@pytest.mark.parametrize(
    ("alpha", "floor", "state"),
    [
        (0.1, None, "passed"),  # the line of a chart blocks nothing
        (0.5, Fraction("0.5"), "passed"),
        (0.4999, Fraction("0.5"), "failed"),
        (1 - 1e-16, Fraction(1), "passed"),
        (None, None, "unknown"),
        (None, Fraction("0.5"), "failed"),
    ],
)
def test_alpha_fails_only_below_what_the_lead_asks_for(alpha, floor, state):
    assert checks.agreement(alpha, NO_INTERVAL, "0.4", floor).state == state


def test_few_scores_behind_a_pair_are_told_and_hold_nothing_up():
    found = checks.ratings(3, 2, 5)
    assert (found.state, found.detail) == ("passed", {"asked": 3, "fewest": 2, "below": 5})


OUTSIDE = Audited("done", False, ("longer",))
NOT_DONE = Audited("not_done", False, ())


@pytest.mark.parametrize(
    ("sides", "audited", "is_pruned", "limit", "state"),
    [
        (Sides(5, 5, 1), SOUND, True, "0.05", "passed"),
        (
            Sides(6, 5, 0),
            SOUND,
            True,
            "0.05",
            "failed",
        ),  # pruning keeps as many of one as of the other, exactly
        (Sides(6, 5, 0), SOUND, False, "0.05", "passed"),
        (Sides(60, 5, 0), OUTSIDE, False, "0.05", "failed"),
        (Sides(60, 5, 0), SOUND, False, None, "passed"),
        (Sides(6, 5, 0), NOT_DONE, False, "0.05", "unknown"),
        (Sides(5, 5, 0), NOT_DONE, False, "0.05", "passed"),
        (Sides(0, 0, 0), SOUND, True, None, "passed"),
    ],
)
def test_length(sides, audited, is_pruned, limit, state):
    assert checks.length(sides, audited, is_pruned=is_pruned, limit=limit).state == state


@pytest.mark.parametrize(
    ("audited", "state"),
    [(SOUND, "passed"), (OUTSIDE, "failed"), (NOT_DONE, "unknown"), (Audited("failed", False, ()), "failed")],
)
def test_the_audit(audited, state):
    assert checks.audit(audited).state == state


def test_an_open_flag_fails():
    assert checks.flags(0, 0).state == "passed"
    assert checks.flags(2, 1).state == "failed"


def test_a_licence_is_unknown_where_nobody_said_one():
    assert checks.licences(3, {}).state == "unknown"
    assert checks.licences(3, {"cc-by-4.0": 2}).detail["unstated"] == 1
    assert checks.licences(3, {"cc-by-4.0": 2, "mit": 1}).state == "passed"


@pytest.mark.parametrize(
    ("read", "hits", "state"), [(9, 0, "passed"), (9, 1, "failed"), (4, 0, "unknown"), (4, 1, "failed")]
)
def test_texts_that_were_not_all_read_are_no_pass(read, hits, state):
    texts = Texts(read, 9, hits, by_kind={"email": hits})
    assert (checks.personal(texts).state, checks.identity(texts).state) == (state, state)
    assert (checks.personal(texts).detail["read"], checks.personal(texts).detail["of"]) == (read, 9)


@pytest.mark.parametrize(
    ("audited", "state"),
    [
        (SOUND, "passed"),
        (NOT_DONE, "unknown"),
        (Audited("done", True, (), earlier_exact=1, earlier_near=0, most_exact=0), "failed"),
        (Audited("done", True, (), earlier_exact=1, earlier_near=9), "passed"),  # no limit is set
        (Audited("done", True, (), earlier_exact=0, earlier_near=0, most_exact=0, newer=1), "unknown"),
    ],
)
def test_copies_of_earlier_releases(audited, state):
    assert checks.copies(audited).state == state


def test_prompts_with_one_text_must_be_on_one_side():
    split_of = {"p1": "test", "p2": "heldout", "p3": "test"}
    assert checks.splits(split_of, []).state == "passed"
    assert checks.splits(split_of, [["p1", "p3"]]).state == "passed"
    found = checks.splits(split_of, [["p1", "p3"], ["p1", "p2"]])
    assert (found.state, found.detail["torn"], found.detail["heldout"]) == ("failed", 1, 1)


def test_a_reason_lets_a_check_pass_and_stays_only_where_one_is_needed():
    made = (checks.flags(1, 1), checks.ratings(3, 3, 0), checks.audit(NOT_DONE))
    assert checks.unwaived(made) == ["flags"]
    waived = checks.waived(made, {"flags": "Settled by mail.", "ratings": "?", "audit": "Made up."})
    assert [each.waiver for each in waived] == ["Settled by mail.", "", "Made up."]
    assert checks.unwaived(waived) == []


def test_languages_that_cancel_each_other_out_are_told_apart():
    by_language = {"zh": Sides(longer=9, shorter=16, equal=0), "en": Sides(longer=16, shorter=9, equal=0)}
    found = checks.length(
        Sides(longer=25, shorter=25, equal=0), SOUND, is_pruned=True, limit=None, by_language=by_language
    )
    assert found.state == "passed"
    assert found.detail["languages"] == {"en": [16, 9], "zh": [9, 16]}

"""Cases of adjudication: what rules send, own judgement before decision, one decision, nothing overwritten."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation import access
from annotation.domain.splits import Thresholds
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    AdjudicationCase,
    CaseJudgement,
    Conflict,
    JournalEntry,
    Membership,
    RankedResponse,
    Ranking,
    Response,
)
from annotation.queries import adjudication as queries
from annotation.queries import case_judgements
from annotation.services import adjudication, category_votes, rounds
from annotation.services import membership as people
from annotation.services.slots import of_prompt
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.rounds_of_votes import make_category_round, make_open_round
from tests.split_rounds import compared, scored, send, voted

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def adjudicator(project):
    return make_member(project, "adjudicator", "adj")


@pytest.fixture
def voters(project):
    return [make_member(project, "annotator", name) for name in ("ann", "bob", "cem")]


def judge(case, adjudicator, choice, justification=""):
    return adjudication.own(case, adjudicator, choice=choice, justification=justification, now=NOW)


def decide(case, adjudicator, choice, reason="It reads so."):
    return adjudication.decide(case, adjudicator, choice=choice, reason=reason, now=LATER)


# --- Sending -------------------------------------------------------------------------------------


def test_a_wide_spread_of_scores_makes_a_case_of_the_response(project, voters):
    work = scored(project, wide=(0, 2, 1), close=(1, 2, 2))
    assert send(work, Thresholds(minority=None)) == 1
    case = AdjudicationCase.objects.get()
    assert (case.reason, case.response.external_id, case.other) == ("wide_spread", "wide", None)
    assert JournalEntry.objects.get(action="adjudication.sent").data == {"round": work.pk, "cases": 1}


def test_contrary_scores_make_a_case_of_the_pair(project, voters):
    work = scored(project, one=(2, 1, 2), other=(1, 2, 2), third=(0, 0, 0))
    assert send(work, Thresholds(spread=None)) == 1
    case = AdjudicationCase.objects.get()
    assert case.reason == "contrary_votes"
    assert [case.response.external_id, case.other.external_id] == ["one", "other"]


def test_tied_votes_make_a_case_of_the_prompt(project, voters):
    project.genres.create(key="essay", name_en="Essay", position=2)
    work = voted(project, voters, ["fiction", "poetry", "essay"])
    assert send(work) == 1
    case = AdjudicationCase.objects.get()
    assert (case.reason, case.prompt.external_id, case.response) == ("tied_votes", "p1", None)


def test_a_majority_makes_no_case(project, voters):
    assert send(voted(project, voters, ["fiction", "poetry", "fiction"])) == 0
    assert not JournalEntry.objects.filter(action="adjudication.sent").exists()


def test_contrary_choices_make_a_case_from_the_threshold_on(project, voters):
    work = compared(project, voters, ["r1", "r2", "r1"])
    assert send(work, Thresholds(minority=2)) == 0
    assert send(work) == 1
    case = AdjudicationCase.objects.get()
    assert [case.response.external_id, case.other.external_id] == ["r1", "r2"]


def test_a_tie_against_a_choice_is_not_contrary(project, voters):
    assert send(compared(project, voters, ["r1", "tie", "r1"], ties_allowed=True)) == 0


def test_contrary_rankings_make_a_case_of_the_pair(project, voters, adjudicator):
    prompt = make_prompt(project, "p1")
    texts = {name: make_response(prompt, name) for name in ("r1", "r2", "r3")}
    work = make_open_round(project, "rankings", ties_allowed=True)
    slots = [of_prompt(work, prompt.pk, number) for number in (1, 2, 3)]
    for slot, voter, order in zip(
        slots, voters, (("r1", "r2", "r3"), ("r2", "r1", "r3"), ("r1", "r2", "r3")), strict=True
    ):
        slot.save()
        ranking = Ranking.objects.create(
            round=work,
            prompt=prompt,
            annotator=voter,
            assignment=slot,
            justification="B it is.",
            at=NOW,
            recorded_at=NOW,
        )
        for tier, name in enumerate(order, start=1):
            place = list(texts).index(name) + 1
            RankedResponse.objects.create(ranking=ranking, response=texts[name], tier=tier, shown=place)
    assert send(work) == 1
    case = AdjudicationCase.objects.get()
    assert [case.response.external_id, case.other.external_id] == ["r1", "r2"]
    judge(case, adjudicator, "a")
    seen = case_judgements.judged(case, adjudicator, language="en")
    first = queries.shown_to(case, adjudicator)[0].external_id
    held = "A above B" if first == "r1" else "B above A"
    assert sorted(other.says for other in seen.others).count(held) == 2
    letters = {"r1": "A", "r2": "B"}
    assert all(f"your A is {letters[first]}" in other.note for other in seen.others)


def test_sent_again_nothing_is_sent_twice_and_what_is_new_comes_in(project, voters):
    work = scored(project, first=(0, 3, 0), second=(1, 2, 1))
    loose = Thresholds(spread=1, minority=None)
    assert [send(work, Thresholds(minority=None)), send(work, loose), send(work, loose)] == [1, 1, 0]
    assert AdjudicationCase.objects.count() == 2


def test_removed_texts_and_data_withdrawn_split_nobody(project, voters):
    work = scored(project, first=(0, 3, 3), second=(3, 3, 0))
    only_spread = Thresholds(minority=None)
    Response.objects.filter(external_id="first").update(state="removed", removed_at=NOW)
    Membership.objects.filter(pk=voters[2].pk).update(state="withdrawn")
    assert send(work, only_spread) == 0


def test_a_change_of_mind_is_what_counts(project, voters):
    work = voted(project, voters, ["fiction", "poetry", "fiction"])
    project.genres.create(key="essay", name_en="Essay", position=2)
    lease = voters[0].leases.get()
    category_votes.revise(lease, category="essay", justification="", based_on=1, now=LATER)
    assert send(work) == 1


def test_a_draft_sends_nothing(project, voters):
    work = make_category_round(project, [make_prompt(project)], state="draft", opened_at=None)
    with pytest.raises(DomainError) as refusal:
        send(work)
    assert refusal.value.code == "round_not_open"


# --- Judging and deciding ------------------------------------------------------------------------


@pytest.fixture
def case(project, voters):
    send(scored(project, wide=(0, 3, 1)), Thresholds(minority=None))
    return AdjudicationCase.objects.get()


def test_the_decision_comes_only_after_an_own_judgement(case, adjudicator):
    with pytest.raises(DomainError) as refusal:
        decide(case, adjudicator, "2")
    assert refusal.value.code == "own_first"
    judge(case, adjudicator, "1", "Flat.")
    made = decide(case, adjudicator, "2")
    assert (made.step, made.value, made.justification, made.at) == ("decision", 2, "It reads so.", LATER)
    assert list(case.judgements.order_by("pk").values_list("step", "value")) == [("own", 1), ("decision", 2)]


def test_scores_stay_as_they_were_given(case, adjudicator):
    before = sorted(case.round.scores.values_list("annotator", "value", "revision"))
    judge(case, adjudicator, "1")
    decide(case, adjudicator, "2")
    assert sorted(case.round.scores.values_list("annotator", "value", "revision")) == before


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_decision_needs_a_reason(case, adjudicator, reason):
    judge(case, adjudicator, "1")
    with pytest.raises(Invalid) as refusal:
        decide(case, adjudicator, "1", reason)
    assert refusal.value.code == "no_reason"


@pytest.mark.parametrize("choice", ["", "4", "a", "fiction"])
def test_a_choice_that_is_not_offered_is_refused(case, adjudicator, choice):
    with pytest.raises(Invalid) as refusal:
        judge(case, adjudicator, choice)
    assert refusal.value.code == "not_a_choice"


def test_sent_twice_each_step_is_stored_once(case, adjudicator):
    assert judge(case, adjudicator, "1") == judge(case, adjudicator, "1")
    with pytest.raises(DomainError) as refusal:
        judge(case, adjudicator, "3")
    assert refusal.value.code == "already_judged"
    assert decide(case, adjudicator, "2") == decide(case, adjudicator, "2")
    assert CaseJudgement.objects.count() == 2


def test_the_first_decision_stands(project, case, adjudicator):
    second = make_member(project, "adjudicator", "second")
    judge(case, adjudicator, "1")
    judge(case, second, "3")
    decide(case, adjudicator, "2")
    for again in ("2", "3"):
        with pytest.raises(DomainError) as refusal:
            decide(case, second, again)
        assert refusal.value.code == "already_decided"
    assert CaseJudgement.objects.get(step="decision").adjudicator == adjudicator


def test_nothing_of_it_is_ever_changed_or_removed(case, adjudicator):
    judge(case, adjudicator, "1")
    for act in (
        lambda: CaseJudgement.objects.update(value=3),
        lambda: CaseJudgement.objects.all().delete(),
        lambda: AdjudicationCase.objects.update(reason="tied_votes"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()


def test_sides_are_stored_by_the_texts_whatever_the_adjudicator_had_as_a(project, voters):
    send(compared(project, voters, ["r1", "r2", "r1"]))
    case = AdjudicationCase.objects.get()
    turned = set()
    for number in range(12):
        member = make_member(project, "adjudicator", f"adj-{number}")
        first = queries.shown_to(case, member)[0].external_id
        stored = judge(case, member, "a" if first == "r1" else "b")
        assert stored.preferred == "a", "the older response"
        assert queries.choice_of(stored, member) == ("a" if first == "r1" else "b")
        turned.add(first)
    assert turned == {"r1", "r2"}


def test_a_tie_is_decided_only_where_ties_are_taken(project, voters, adjudicator):
    send(compared(project, voters, ["r1", "r2", "r1"]))
    with pytest.raises(Invalid):
        judge(AdjudicationCase.objects.get(), adjudicator, "tie")


def test_a_category_is_decided_by_its_key(project, voters, adjudicator):
    project.genres.create(key="essay", name_en="Essay", position=2)
    send(voted(project, voters, ["fiction", "poetry", "essay"]))
    case = AdjudicationCase.objects.get()
    judge(case, adjudicator, "essay")
    assert decide(case, adjudicator, "poetry").category.key == "poetry"


# --- Who may -------------------------------------------------------------------------------------


def test_whoever_judged_the_prompt_in_the_round_decides_nothing_of_it(project, case, voters):
    for voter in (voters[0], voters[2]):
        member = people.add(project, voter.user, role="adjudicator", by=None, now=NOW)
        with pytest.raises(NotAllowed) as refusal:
            judge(case, member, "1")
        assert refusal.value.code == "own_work"
        assert not access.cases_of(member).exists()
        with pytest.raises(NotAllowed):
            access.case(voter.user, case.token)


def test_whoever_is_to_judge_the_prompt_there_decides_nothing_of_it(project, case):
    late = make_member(project, "annotator", "late")
    case.round.assignments.model.objects.create(
        round=case.round, prompt=case.prompt, response=case.response, slot=9, place=1, reserved_for=late
    )
    member = people.add(project, late.user, role="adjudicator", by=None, now=NOW)
    assert not access.cases_of(member).exists()
    with pytest.raises(NotAllowed):
        judge(case, member, "1")


def test_a_lead_decides_nothing(project, case, lead):
    member = people.add(project, lead.user, role="adjudicator", by=None, now=NOW)
    with pytest.raises(NotAllowed) as refusal:
        judge(case, member, "1")
    assert refusal.value.code == "leads_the_project"


def test_an_annotator_who_adjudicates_is_given_no_text_of_the_prompt_any_more(project, case):
    both = make_member(project, "annotator", "both")
    member = people.add(project, both.user, role="adjudicator", by=None, now=NOW)
    judge(case, member, "1")
    assert Conflict.objects.get().annotator == both
    assert Conflict.objects.get().prompt == case.prompt


def test_a_case_may_be_decided_after_the_round_is_locked(case, adjudicator):
    rounds.lock(case.round, by=None, now=NOW)
    judge(case, adjudicator, "1")
    assert decide(case, adjudicator, "1").value == 1


# --- What is seen --------------------------------------------------------------------------------


def test_others_are_seen_only_behind_the_own_judgement(case, adjudicator):
    assert case_judgements.judged(case, adjudicator, language="en") is None
    judge(case, adjudicator, "1")
    seen = case_judgements.judged(case, adjudicator, language="en")
    assert [other.rater for other in seen.others] == ["Rater A", "Rater B", "Rater C"]
    assert sorted(other.says for other in seen.others) == ["0 en level 0", "1 en level 1", "3 en level 3"]


def test_the_letters_of_raters_are_other_ones_in_another_case(project, voters, adjudicator):
    """With eight cases of three people the same letters throughout would be a chance of 1 in 280,000."""
    work = scored(project, **{f"r{number}": (0, 1, 3) for number in range(8)})
    send(work, Thresholds(minority=None))
    letters = set()
    for case in AdjudicationCase.objects.all():
        judge(case, adjudicator, "1")
        seen = case_judgements.judged(case, adjudicator, language="en")
        letters.add(tuple(other.says for other in seen.others))
    assert len(letters) > 1


def test_choices_of_others_are_told_in_the_letters_of_the_reader(project, voters):
    send(compared(project, voters, ["r1", "r2", "r1"]))
    case = AdjudicationCase.objects.get()
    for number in range(6):
        member = make_member(project, "adjudicator", f"adj-{number}")
        judge(case, member, "a")
        first = queries.shown_to(case, member)[0].external_id
        for other in case_judgements.judged(case, member, language="en").others:
            better = "A is better" if other.words == f"For {first}." else "B is better"
            assert other.says == better


def test_scores_of_both_texts_stand_side_by_side(project, voters, adjudicator):
    send(scored(project, one=(2, 1, 2), other=(1, 2, 2)), Thresholds(spread=None))
    case = AdjudicationCase.objects.get()
    judge(case, adjudicator, "tie")
    seen = case_judgements.judged(case, adjudicator, language="en")
    assert sorted(other.says for other in seen.others) == ["A 1, B 2", "A 2, B 1", "A 2, B 2"]

"""A seat of a cross-lingual validation that becomes vacant goes to somebody who works in all of its languages."""

import pytest
from django.urls import reverse

from annotation.domain import reach
from annotation.errors import Invalid, NotAllowed
from annotation.models import Response, Round
from annotation.queries import round_work, scoring, stages
from annotation.services import assignments, membership, pair_rounds, seats
from annotation.services import scoring as scores
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, reads_only, score_all

pytestmark = pytest.mark.django_db


def reader(project, name, *languages):
    member = make_member(project, "annotator", name)
    if languages:
        reads_only(member, list(languages))
    return member


@pytest.fixture
def work(project):
    """Two English and two Chinese texts, each for 'left' and 'stays', who read both."""
    names = {"en": "en-scorer", "zh": "zh-scorer"}
    for language, name in names.items():
        reader(project, name, language)
        for number in range(2):
            make_response(make_prompt(project, f"{language}-{number}", language=language))
    live = Response.objects.values_list("external_id", "prompt__language")
    score_all(make_round(project), {(response, names[language]): 2 for response, language in live})
    for name in ("left", "stays"):
        reader(project, name, "en", "zh")
    return pair_rounds.across_languages(
        project, "Validation", languages=["zh", "en"], sample=2, seed="1", annotators=2, by=None, now=NOW
    )


@pytest.fixture
def left(project, work, lead):
    """Somebody who scored one text of the round, then left."""
    member = project.memberships.get(user__username="left")
    scores.submit(assignments.claim(member, work, now=NOW), value=1, justification="", now=NOW)
    membership.end(member, by=lead.user, now=NOW)
    return member


def given(member, work):
    """(language, seat) of every text that somebody is given, each scored."""
    found = []
    while lease := assignments.claim(member, work, now=NOW):
        found.append((lease.assignment.prompt.language, lease.assignment.slot))
        scores.submit(lease, value=1, justification="", now=NOW)
    return found


def test_a_vacant_seat_is_there_for_who_works_in_both_languages(project, work, left):
    assert round_work.vacant_seats(work) == 3
    new = reader(project, "new", "en", "zh")
    assert scoring.size_for(new, work) == 3
    assert sorted(language for language, _seat in given(new, work)) in (
        ["en", "en", "zh"],
        ["en", "zh", "zh"],
    )
    assert work.seats.filter(annotator=new).count() == 3


def test_who_was_never_asked_for_a_language_works_in_all(project, work, left):
    assert len(given(reader(project, "anything"), work)) == 3


@pytest.mark.parametrize("languages", [("en",), ("zh",), ("en", "fr"), ("fr",)])
def test_nobody_else_is_given_a_text_of_it(project, work, left, browser_of, languages):
    member = reader(project, "new", *languages)
    with pytest.raises(NotAllowed) as refusal:
        assignments.claim(member, work, now=NOW)
    assert refusal.value.code == "not_at_this_stage"
    assert scoring.size_for(member, work) == 0
    assert not [card for card in scoring.round_cards(member.user, now=NOW) if card.token == work.token]
    assert browser_of(member).post(reverse("next_text", args=[work.token])).status_code == 403
    assert not work.seats.filter(annotator=member).exists()


def test_by_hand_it_goes_to_no_other_either(project, work, lead):
    holder = project.memberships.get(user__username="left")
    one, both = reader(project, "one", "en"), reader(project, "both", "en", "zh")
    offered = {pk for pk, _name in round_work.successors(work)}
    assert both.pk in offered
    assert one.pk not in offered
    done = seats.hand_over(work, holder, one, by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (0, 4)
    assert not work.assignments.filter(reserved_for=one).exists()


def test_by_hand_it_goes_to_who_works_in_both(project, work, lead):
    holder, both = project.memberships.get(user__username="left"), reader(project, "both", "en", "zh")
    done = seats.hand_over(work, holder, both, by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (4, 0)


def test_who_does_not_work_in_one_of_them_any_more_has_none_of_it(project, work):
    member = project.memberships.get(user__username="stays")
    lease = assignments.claim(member, work, now=NOW)
    other = "zh" if lease.assignment.prompt.language == "en" else "en"
    reads_only(member, [lease.assignment.prompt.language])
    with pytest.raises(NotAllowed):
        scores.submit(lease, value=1, justification="", now=NOW)
    with pytest.raises(NotAllowed):
        assignments.claim(member, work, now=NOW)
    reads_only(member, [lease.assignment.prompt.language, other])
    assert len(given(member, work)) == 4


def test_a_validation_by_people_of_one_language_stays_theirs(project, work):
    plain = make_round(project, "Plain", purpose=Round.Purpose.VALIDATION)
    assert plain.language == ""
    languages = {
        language for language, _seat in given(project.memberships.get(user__username="en-scorer"), plain)
    }
    assert languages == {"en"}


def test_the_round_keeps_its_languages(work, project):
    assert work.language == "en+zh"
    people = {member.user.username for member in project.memberships.filter(pk__in=stages.reaches_of(work))}
    assert people == {"left", "stays"}


def test_more_languages_than_the_round_can_keep_are_refused(project, work):
    with pytest.raises(Invalid) as refusal:
        pair_rounds.across_languages(
            project,
            "Babel",
            languages=["en", "zh", "fr", "de", "ja", "ko"],
            sample=1,
            seed="1",
            annotators=1,
            by=None,
            now=NOW,
        )
    assert refusal.value.code == "too_many_languages"


@pytest.mark.parametrize(("kept", "languages"), [("", ()), ("en", ("en",)), ("en+zh", ("en", "zh"))])
def test_the_languages_of_a_round(kept, languages):
    assert reach.languages_of(kept) == languages

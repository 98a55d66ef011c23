"""Whatever is in hand can be flagged: one text of a set or a pair by its letter, and a prompt that is voted on."""

import pytest
from django.urls import reverse

from annotation.errors import DomainError, Invalid
from annotation.models import Flag, Response
from annotation.queries import preferences, rankings
from annotation.services import flagging, triage
from tests import ranking_rounds, rounds_of_votes
from tests.factories import NOW, make_member, make_prompt, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def ranked(project, annotator):
    ranking_rounds.make_set(project, 3)
    return ranking_rounds.hand_out(annotator, ranking_rounds.make_ranking_round(project))


@pytest.fixture
def paired(project, annotator):
    prompt = make_prompt(project)
    pair = make_response(prompt, text="One."), make_response(prompt, text="Another.")
    return rounds_of_votes.hand_out(annotator, rounds_of_votes.make_pair_round(project, [pair]))


@pytest.fixture
def voted(project, annotator):
    prompt = make_prompt(project)
    return rounds_of_votes.hand_out(annotator, rounds_of_votes.make_category_round(project, [prompt]))


def raise_flag(lease, **fields):
    return flagging.raise_flag(lease, **{"kind": "grammar", "note": "", "now": NOW, **fields})


def sent(lease, client, **fields):
    return client.post(reverse("flag", args=[lease.token]), {"kind": "grammar", "note": "", **fields})


def test_a_letter_means_the_text_that_has_it_on_the_annotators_own_page(ranked, paired):
    texts = rankings.texts_of(ranked, None)
    assert raise_flag(ranked, subject="B").response == texts[1]
    assert raise_flag(paired, subject="A").response == preferences.sides(paired)[0]


def test_a_prompt_that_is_voted_on_is_flagged_itself_and_comes_to_the_queue(
    voted, annotator, lead, browser_of
):
    flag = raise_flag(voted, kind="duplicate", note="As the one before.")
    assert (flag.prompt, flag.response, flag.raised_by) == (voted.assignment.prompt, None, annotator)
    queue = browser_of(lead).get(reverse("triage", args=[lead.project.slug])).content.decode()
    assert "As the one before." in queue
    triage.keep_prompt(flag.prompt, by=lead.user, now=NOW)
    flag.refresh_from_db()
    assert flag.state == "kept"


def test_each_is_flagged_once_while_nobody_has_decided(ranked):
    raise_flag(ranked, subject="A")
    raise_flag(ranked, subject="C")
    with pytest.raises(DomainError, match="flagged this text already"):
        raise_flag(ranked, subject="A")
    assert Flag.objects.count() == 2


def test_so_is_a_prompt(voted):
    raise_flag(voted)
    with pytest.raises(DomainError, match="flagged this text already"):
        raise_flag(voted)
    assert Flag.objects.count() == 1


def test_without_a_letter_or_with_one_that_is_not_there_it_is_asked_which(ranked, annotator, browser_of):
    for letter in ("", "D", "a"):
        with pytest.raises(Invalid, match="which text"):
            raise_flag(ranked, subject=letter)
        answer = sent(ranked, browser_of(annotator), subject=letter)
        assert answer.status_code == 422
        assert "Choose which text you mean." in answer.content.decode()
    assert not Flag.objects.exists()


def test_the_page_offers_what_is_not_flagged_yet_and_goes_back_to_the_work(ranked, annotator, browser_of):
    client, page = browser_of(annotator), reverse("flag", args=[ranked.token])
    assert sent(ranked, client, subject="A").url == reverse("rank", args=[ranked.token])
    html = client.get(page).content.decode()
    assert [f'value="{letter}"' in html for letter in "ABC"] == [False, True, True]
    assert (
        "Flagged. A lead will look at it."
        in client.get(reverse("rank", args=[ranked.token])).content.decode()
    )


@pytest.mark.parametrize(("kind", "page"), [("paired", "choose"), ("voted", "vote"), ("ranked", "rank")])
def test_each_page_of_work_leads_to_its_flags_and_to_a_conflict_of_interest(
    kind, page, request, annotator, browser_of
):
    lease = request.getfixturevalue(kind)
    html = browser_of(annotator).get(reverse(page, args=[lease.token])).content.decode()
    assert f'href="{reverse("flag", args=[lease.token])}"' in html
    assert f'action="{reverse("conflict", args=[lease.token])}"' in html


@pytest.mark.parametrize("kind", ["paired", "voted", "ranked"])
def test_each_kind_can_be_given_back_and_is_not_given_again(kind, request, annotator, browser_of, project):
    lease = request.getfixturevalue(kind)
    letter = {} if kind == "voted" else {"subject": "A"}
    answer = sent(lease, browser_of(annotator), skip="on", **letter)
    assert answer.url == reverse("finished", args=[lease.assignment.round.token])
    hand_out = ranking_rounds.hand_out if kind == "ranked" else rounds_of_votes.hand_out
    assert hand_out(make_member(project), lease.assignment.round) is not None


def test_a_removed_text_needs_no_flag(paired):
    Response.objects.filter(pk=preferences.sides(paired)[1].pk).update(
        state="removed", removed_kind="other", removed_at=NOW
    )
    paired.refresh_from_db()
    with pytest.raises(DomainError, match="needs no flag"):
        raise_flag(paired, subject="B")

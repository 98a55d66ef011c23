"""The time at work on a judgement: kept in the journal for every kind alike, and said there and to its owner."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import JournalEntry
from annotation.queries import own_work, work_time
from annotation.queries import rankings as ranking_queries
from annotation.queries.journal_lines import in_words
from annotation.services import category_votes, drafts, preferences, rankings, scoring
from tests.factories import NOW, make_prompt, make_response, make_round
from tests.ranking_rounds import form_of, make_ranking_round, tiers
from tests.rounds_of_votes import hand_out, make_category_round, make_pair_round

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=10)
# 119 words: a minute for two of them, as English is read.
TEXT = " ".join(["word"] * 119)
CHANGED = {"justification": "Once more.", "based_on": 1}


def handed_out(project, annotator, kind):
    """A lease of a round of that kind over a prompt with two texts."""
    prompt = make_prompt(project, text=TEXT)
    pair = make_response(prompt, text=TEXT), make_response(prompt, text=f"{TEXT}.")
    makers = {
        "score": lambda: make_round(project),
        "ranking": lambda: make_ranking_round(project),
        "category_vote": lambda: make_category_round(project, [prompt]),
        "preference": lambda: make_pair_round(project, [pair]),
    }
    return hand_out(annotator, makers[kind]())


def submit(kind, lease, *, active, now=LATER):
    given = {"justification": "", "active": active, "now": now}
    if kind == "score":
        return scoring.submit(lease, value=2, **given)
    if kind == "ranking":
        return rankings.submit(lease, tiers=tiers("A > B"), **given)
    if kind == "category_vote":
        return category_votes.submit(lease, category="poetry", **given)
    return preferences.submit(lease, preferred="a", **given)


def entry(kind, what="submitted"):
    return JournalEntry.objects.get(action=f"{kind}.{what}")


KINDS = pytest.mark.parametrize("kind", ["score", "ranking", "category_vote", "preference"])


@KINDS
def test_time_at_a_text_to_score_is_told_from_time_at_other_judgements(project, annotator, kind):
    work = handed_out(project, annotator, kind).assignment.round
    assert work_time.activity_of(work) == ("scoring" if kind == "score" else "judging")


@KINDS
def test_the_journal_says_the_time_of_every_kind_of_judgement(project, annotator, lead, browser_of, kind):
    submit(kind, handed_out(project, annotator, kind), active=42)
    assert entry(kind).data["active"] == 42
    assert in_words(project, [entry(kind)])[0].active == "42 s"
    html = browser_of(lead).get(reverse("journal", args=[project.slug]) + "?kind=scores").content.decode()
    assert '<span class="quiet">42 s active</span>' in html


@KINDS
def test_a_judgement_that_no_page_has_timed_says_nothing(project, annotator, kind):
    submit(kind, handed_out(project, annotator, kind), active=None)
    assert not {"active", "fast"} & entry(kind).data.keys()
    assert in_words(project, [entry(kind)])[0].active == ""


@KINDS
def test_no_more_is_kept_than_has_passed_since_the_hand_out(project, annotator, kind):
    submit(kind, handed_out(project, annotator, kind), active=900, now=NOW + timedelta(seconds=90))
    assert entry(kind).data["active"] == 90
    assert in_words(project, [entry(kind)])[0].active == "1 min"


# A text takes 30 s, two of them a minute; less than a quarter of that is fast.
@pytest.mark.parametrize(
    ("kind", "enough"), [("score", 8), ("category_vote", 8), ("ranking", 15), ("preference", 15)]
)
def test_fast_is_measured_by_all_that_had_to_be_read(project, annotator, kind, enough):
    submit(kind, handed_out(project, annotator, kind), active=enough)
    assert "fast" not in entry(kind).data


@pytest.mark.parametrize(
    ("kind", "few"), [("score", 7), ("category_vote", 7), ("ranking", 14), ("preference", 14)]
)
def test_a_second_less_is_noted(project, annotator, kind, few):
    submit(kind, handed_out(project, annotator, kind), active=few)
    assert entry(kind).data["fast"] is True


@pytest.mark.parametrize("kind", ["ranking", "category_vote", "preference"])
def test_a_change_has_a_time_of_its_own_and_its_owner_reads_both(project, annotator, kind):
    lease = handed_out(project, annotator, kind)
    submit(kind, lease, active=40, now=NOW + timedelta(minutes=1))
    given = {**CHANGED, "active": 35, "now": NOW + timedelta(minutes=2)}
    if kind == "ranking":
        rankings.revise(lease, tiers=tiers("B > A"), **given)
    elif kind == "category_vote":
        category_votes.revise(lease, category="fiction", **given)
    else:
        preferences.revise(lease, preferred="b", **given)
    assert entry(kind, "revised").data["active"] == 35
    keys = list(own_work.answers(annotator.user))
    assert own_work.page(annotator.user, keys, language="en")[0].active == "1 min"


# --- From the page -------------------------------------------------------------------------------


def test_the_ranking_page_sends_the_time(project, annotator, browser_of):
    lease = handed_out(project, annotator, "ranking")
    sent = form_of(tiers("A > B"), lease, active="50")
    assert browser_of(annotator).post(reverse("rank", args=[lease.token]), sent).status_code == 302
    assert entry("ranking").data["active"] == 50


@pytest.mark.parametrize(
    ("kind", "page", "value"), [("category_vote", "vote", "poetry"), ("preference", "choose", "a")]
)
def test_the_pages_of_votes_send_the_time(project, annotator, browser_of, kind, page, value):
    lease = handed_out(project, annotator, kind)
    sent = {"value": value, "justification": "", "active": "50"}
    assert browser_of(annotator).post(reverse(page, args=[lease.token]), sent).status_code == 302
    assert entry(kind).data["active"] == 50


@pytest.mark.parametrize("active", ["-1", "soon", "10000000"])
def test_a_time_that_is_none_is_refused(project, annotator, browser_of, active):
    lease = handed_out(project, annotator, "ranking")
    sent = form_of(tiers("A > B"), lease, active=active)
    assert browser_of(annotator).post(reverse("rank", args=[lease.token]), sent).status_code == 422
    assert not JournalEntry.objects.filter(action="ranking.submitted").exists()


def test_a_draft_of_a_ranking_keeps_the_time_though_its_texts_changed(project, annotator):
    lease = handed_out(project, annotator, "ranking")
    content = {"rank-A": "1", "shown": "others", "active": "70", "based_on": "0"}
    drafts.save(lease, version=0, content=content, now=NOW)
    found = ranking_queries.item(lease, language="en").entry
    assert found.ranks == {}
    assert found.active == "70"

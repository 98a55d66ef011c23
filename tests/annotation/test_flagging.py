"""An annotator flags the text in their hands, and goes on scoring it."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.forms.flag import WRONG
from annotation.models import Flag, JournalEntry, Response, Score
from annotation.services import assignments, flagging, membership, rounds, triage
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(project):
    prompt = make_prompt(project, "MARKER-PROMPT")
    make_response(prompt, "MARKER-RESPONSE", source_model="MARKER-MODEL")
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def page(lease):
    return reverse("flag", args=[lease.token])


@pytest.fixture
def text(lease):
    return reverse("score", args=[lease.token])


def raise_flag(lease, kind="factual", note=""):
    return flagging.raise_flag(lease, kind=kind, note=note, now=NOW)


def flag_by_check(lease):
    return Flag.objects.create(
        project=lease.annotator.project,
        response=lease.assignment.response,
        check_key="refusal",
        rules_version=1,
        detail={"template": "MARKER-DETAIL {evidence}", "values": {"evidence": "MARKER-EVIDENCE"}},
        raised_at=NOW,
    )


# --- The service ---------------------------------------------------------------------------------


def test_a_flag_says_who_raised_it_and_why_and_stands_in_the_journal(lease, annotator):
    flag = raise_flag(lease, kind="duplicate", note="As yesterday's, ¶2.")
    flag.refresh_from_db()
    assert (flag.response, flag.raised_by, flag.check_key) == (
        lease.assignment.response,
        annotator,
        "annotator",
    )
    assert (flag.kind, flag.note, flag.state, flag.raised_at) == (
        "duplicate",
        "As yesterday's, ¶2.",
        "open",
        NOW,
    )
    entry = JournalEntry.objects.get(action="flag.raised")
    assert (entry.actor, entry.data) == (annotator.user, {"response": flag.response_id, "kind": "duplicate"})


def test_a_flag_removes_nothing_and_the_text_stays_in_hand(lease, annotator, work):
    raise_flag(lease)
    assert Response.objects.get().state == "active"
    assert assignments.claim(annotator, work, now=NOW) == lease


def test_a_second_flag_is_refused_while_the_first_waits(lease):
    raise_flag(lease)
    with pytest.raises(DomainError) as refusal:
        raise_flag(lease, kind="other", note="And more.")
    assert refusal.value.code == "flagged_already"
    assert Flag.objects.get().kind == "factual"


def test_once_a_flag_is_answered_another_may_follow(lease, lead):
    raise_flag(lease)
    triage.keep(lease.assignment.response, by=lead.user, now=NOW)
    raise_flag(lease, kind="duplicate")
    assert sorted(Flag.objects.values_list("state", flat=True)) == ["kept", "open"]


def test_each_annotator_has_a_flag_of_their_own(lease, work):
    raise_flag(lease)
    raise_flag(assignments.claim(make_member(work.project), work, now=NOW))
    assert Flag.objects.filter(state="open").count() == 2


def test_a_text_that_was_removed_meanwhile_needs_no_flag(lease, lead):
    triage.remove(lease.assignment.response, kind="duplicate", by=lead.user, now=NOW)
    with pytest.raises(DomainError) as refusal:
        raise_flag(lease)
    assert refusal.value.code == "not_active"
    assert not Flag.objects.exists()


def test_a_pause_does_not_stop_a_flag_but_the_end_of_the_round_does(lease, work):
    rounds.pause(work, by=None, now=NOW)
    raise_flag(lease)
    Flag.objects.all().delete()
    rounds.resume(work, by=None, now=NOW)
    rounds.lock(work, by=None, now=NOW)
    with pytest.raises(DomainError) as refusal:
        raise_flag(lease)
    assert refusal.value.code == "round_not_open"


def test_who_is_paused_raises_no_flag(lease, annotator):
    membership.pause(annotator, by=None, now=NOW)
    with pytest.raises(NotAllowed):
        raise_flag(lease)


def test_an_unknown_kind_is_refused(lease):
    with pytest.raises(Invalid) as refusal:
        raise_flag(lease, kind="boring")
    assert refusal.value.code == "not_a_kind"


@pytest.mark.django_db(transaction=True)
def test_the_same_flag_sent_many_times_at_once_is_stored_once(lease):
    def send(_number):
        try:
            raise_flag(lease)
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()
        return "stored"

    with ThreadPoolExecutor(6) as pool:
        outcomes = sorted(pool.map(send, range(6)))
    assert outcomes == ["flagged_already"] * 5 + ["stored"]
    assert Flag.objects.count() == JournalEntry.objects.filter(action="flag.raised").count() == 1


def test_every_kind_of_removal_can_be_said_by_an_annotator():
    assert list(WRONG) == list(Response.RemovalKind.values)


# --- The page ------------------------------------------------------------------------------------


def test_it_leads_from_the_text_and_back_to_it(browser_of, annotator, page, text):
    client = browser_of(annotator)
    assert f'href="{page}"' in client.get(text).content.decode()
    assert f'href="{text}"' in client.get(page).content.decode()
    response = client.post(page, {"kind": "grammar", "note": "¶1 is\r\nno sentence."})
    assert (response.status_code, response.url) == (302, text)
    assert Flag.objects.get().note == "¶1 is\nno sentence."


def test_a_flagged_text_says_so_and_can_still_be_scored(browser_of, annotator, page, text):
    client = browser_of(annotator)
    client.post(page, {"kind": "grammar"})
    html = client.get(text).content.decode()
    assert "Flagged. A lead will look at it." in html
    assert f'href="{page}"' not in html
    assert "Flagged. A lead will look at it." in client.get(page).content.decode()
    assert client.post(text, {"value": "1", "justification": ""}).status_code == 302
    assert Score.objects.get().value == 1


def test_a_text_may_be_flagged_after_it_was_scored(browser_of, annotator, page, text):
    client = browser_of(annotator)
    client.post(text, {"value": "1", "justification": ""})
    assert f'href="{page}"' in client.get(text).content.decode()
    assert client.post(page, {"kind": "duplicate"}).status_code == 302
    assert "Flagged. A lead will look at it." in client.get(text).content.decode()


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({}, "Choose what is wrong."),
        ({"kind": "boring"}, "Choose what is wrong."),
        ({"kind": "other", "note": "  "}, "Say what is wrong."),
        ({"kind": "factual", "note": "x" * 2001}, "Write at most 2000 characters; these are 2001."),
        ({"kind": "factual", "note": "a\x00b"}, "Null characters are not allowed."),
    ],
)
def test_what_cannot_be_taken_comes_back_filled_in(browser_of, annotator, page, sent, says):
    response = browser_of(annotator).post(page, {"note": "See <b>¶3</b>.", **sent})
    html = response.content.decode()
    assert response.status_code == 422
    assert says in html
    assert ("See &lt;b&gt;¶3&lt;/b&gt;." in html) is ("note" not in sent)
    assert ('value="factual" checked' in html) is (sent.get("kind") == "factual")
    assert not Flag.objects.exists()


def test_a_long_note_is_measured_as_the_browser_measures_it(browser_of, annotator, page):
    note = "line\n" * 400
    response = browser_of(annotator).post(page, {"kind": "factual", "note": note.replace("\n", "\r\n")})
    assert response.status_code == 302
    assert Flag.objects.get().note == note.strip()


def test_sent_twice_it_says_that_it_is_flagged_already(browser_of, annotator, page):
    client = browser_of(annotator)
    client.post(page, {"kind": "grammar"})
    response = client.post(page, {"kind": "grammar"})
    assert response.status_code == 409
    assert Flag.objects.count() == 1


def test_a_refusal_is_said_on_the_page_with_what_was_written(browser_of, annotator, page, work):
    rounds.lock(work, by=None, now=NOW)
    response = browser_of(annotator).post(page, {"kind": "factual", "note": "Kept words."})
    assert response.status_code == 409
    assert "has been closed" in response.content.decode()
    assert "Kept words." in response.content.decode()


def test_a_get_flags_nothing(browser_of, annotator, page):
    assert browser_of(annotator).get(f"{page}?kind=grammar").status_code == 200
    assert not Flag.objects.exists()


def test_for_anybody_else_the_page_does_not_exist(browser_of, project, lead, stranger, page):
    for person in (
        make_member(project),
        make_member(project, "instructor"),
        make_member(project, "adjudicator"),
        make_user("opal", is_superuser=True),
        lead,
        stranger,
    ):
        client = browser_of(person)
        assert client.get(page).status_code == 404
        assert client.post(page, {"kind": "grammar"}).status_code == 404
    assert not Flag.objects.exists()


def test_a_stranger_is_asked_to_sign_in(client, page):
    assert client.get(page).url.startswith(reverse("sign_in"))


# --- Blindness -----------------------------------------------------------------------------------


def without_csrf(response):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def test_nothing_shows_that_a_check_or_somebody_else_flagged_the_text(
    browser_of, annotator, lease, page, text, work, lead
):
    def seen():
        client = browser_of(annotator)
        return [without_csrf(client.get(address)) for address in (page, text, "/")]

    before = seen()
    flag_by_check(lease)
    raise_flag(assignments.claim(make_member(work.project), work, now=NOW), note="MARKER-NOTE")
    assert seen() == before
    triage.keep(lease.assignment.response, by=lead.user, now=timezone.now())
    assert seen() == before


def test_a_decision_on_others_flags_does_not_show_through_the_own_one(
    browser_of, annotator, lease, page, text, work, lead
):
    """Whether the own flag waits is all that can be seen of it."""
    other = raise_flag(assignments.claim(make_member(work.project), work, now=NOW))
    raise_flag(lease)
    client = browser_of(annotator)
    before = without_csrf(client.get(text))
    triage.keep(lease.assignment.response, seen=[other.pk], by=lead.user, now=NOW)
    assert without_csrf(client.get(text)) == before


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_page_says_no_more_than_the_text(browser_of, annotator, lease, page, language):
    flag_by_check(lease)
    for method in ("get", "post"):
        response = getattr(browser_of(annotator), method)(page, headers={"accept-language": language})
        assert "MARKER" not in response.content.decode() + str(response.headers)
        assert response["Cache-Control"] == "no-store"

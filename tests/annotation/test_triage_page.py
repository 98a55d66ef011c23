"""The pages of triage: who may enter, what they show, where a decision leads."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.domain import triage as checks
from annotation.models import Flag, JournalEntry, Membership, Response
from annotation.queries import triage_items
from annotation.services import membership, seals, triage
from tests.factories import (
    NOW,
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_user,
)

pytestmark = pytest.mark.django_db


def address(project, name="triage", *more):
    return reverse(name, args=[project.slug, *more])


def of(response):
    name = "triage_response" if isinstance(response, Response) else "triage_prompt"
    return reverse(name, args=[response.project.slug, response.pk])


def flag(about, check="refusal", *, raised_by=None, detail="", **columns):
    said = {"template": "seen at {place}: {evidence}", "values": {"place": 7, "evidence": detail or "it"}}
    return Flag.objects.create(
        project=about.project,
        raised_at=NOW,
        check_key="annotator" if raised_by else check,
        raised_by=raised_by,
        **{"response" if isinstance(about, Response) else "prompt": about},
        **({} if raised_by else {"rules_version": 1, "detail": said}),
        **columns,
    )


@pytest.fixture
def prompt(project):
    found = make_import(project, files=[{"name": "texts.jsonl", "sha256": "0" * 64, "size": 1, "path": ""}])
    return make_prompt(
        project, "p1", genre=project.genres.get(key="fiction"), source=found, source_place="line 3"
    )


@pytest.fixture
def response(prompt):
    found = make_response(
        prompt,
        "r1",
        "I am sorry.\n\nI cannot.",
        source_model="gpt-9",
        source=prompt.source,
        source_place="line 3",
    )
    flag(found)
    return found


@pytest.fixture
def placeholder(project):
    found = make_prompt(project, "p-slash", text="/")
    flag(found, "placeholder_prompt")
    for name in ("s1", "s2"):
        make_response(found, name, f"What shall I write, {name}?", source_model=f"model-of-{name}")
    return found


@pytest.fixture
def client_of_lead(browser_of, lead):
    return browser_of(lead)


def shown(client, url):
    page = client.get(url)
    assert page.status_code == 200
    return page.content.decode()


def items(html):
    return re.findall(
        r'<article class="card triage-item" id="(?:response|prompt)-\d+".*?<bdi>(.*?)</bdi>', html, re.S
    )


# --- Doors ---------------------------------------------------------------------------------------


def every_address(project, response, placeholder):
    return [
        address(project),
        address(project, "triage_several"),
        address(project, "triage_counts"),
        of(response),
        of(placeholder),
    ]


def test_leads_instructors_and_adjudicators_enter_and_nobody_else(
    project, response, placeholder, lead, annotator, stranger, browser_of, client
):
    both = make_member(project, "instructor", "both")
    membership.add(project, both.user, role="annotator", by=None, now=NOW)
    left = make_member(project, "instructor", "left")
    membership.end(left, by=None, now=NOW)
    people = [
        (lead, 200),
        (make_member(project, "instructor"), 200),
        (make_member(project, "adjudicator"), 200),
        (annotator, 403),
        (both, 403),
        (left, 404),
        (make_member(make_project("elsewhere"), "lead"), 404),
        (make_user("opal", is_superuser=True), 404),
        (stranger, 404),
    ]
    for url in every_address(project, response, placeholder):
        for person, status in people:
            assert browser_of(person).get(url, follow=True).status_code == status, (url, person)
        assert client.get(url).url.startswith(reverse("sign_in"))


def test_nobody_else_decides_either(project, response, placeholder, annotator, stranger, browser_of):
    seen = response.flags.get().pk
    for person in (annotator, stranger, make_member(make_project("elsewhere"), "lead")):
        for decision in ("keep", "remove", "restore"):
            sent = {"decision": decision, "kind": "other", "seen": seen, "ticked": f"{response.pk}:{seen}"}
            for url in every_address(project, response, placeholder):
                assert browser_of(person).post(url, sent).status_code in (403, 404, 405)
    assert not Flag.objects.exclude(state="open").exists()
    assert not Response.objects.filter(state="removed").exists()


def test_what_belongs_to_another_project_is_not_there(project, lead, response, browser_of):
    elsewhere = make_project("elsewhere")
    theirs = make_response(make_prompt(elsewhere), "theirs")
    flag(theirs)
    flag(theirs.prompt, "placeholder_prompt")
    client = browser_of(lead)
    for name, pk in (("triage_response", theirs.pk), ("triage_prompt", theirs.prompt_id)):
        url = reverse(name, args=[project.slug, pk])
        assert client.get(url).status_code == 404
        assert client.post(url, {"decision": "keep"}).status_code == 404
    assert "theirs" not in shown(client, f"{address(project)}?state=all&was=response-{theirs.pk}")


def test_a_prompt_that_nothing_flagged_and_a_response_under_way_have_no_page(project, prompt, client_of_lead):
    coming = make_response(prompt, source=make_import(project, state="storing"), state="incoming")
    assert client_of_lead.get(of(prompt)).status_code == 404
    assert client_of_lead.get(of(coming)).status_code == 404


def test_a_get_decides_nothing(project, response, placeholder, client_of_lead):
    for url in every_address(project, response, placeholder):
        client_of_lead.get(f"{url}?decision=remove&kind=other&ticked={response.pk}:")
    assert not Flag.objects.exclude(state="open").exists()


def test_only_a_lead_is_offered_the_pages_beside_it(project, response, lead, browser_of):
    rounds = reverse("rounds", args=[project.slug])
    assert rounds in shown(browser_of(lead), address(project))
    assert rounds not in shown(browser_of(make_member(project, "instructor")), address(project))


def test_instructors_find_the_queue_on_their_home_page(project, lead, annotator, browser_of):
    assert address(project) in shown(browser_of(make_member(project, "instructor")), "/")
    for person in (lead, annotator):
        assert address(project) not in shown(browser_of(person), "/")


# --- What the queue shows ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "shown_as"),
    [
        ("qwen-plus.json, item 35", "qwen-plus.json, Nr. 35"),
        ("a, row 3, b.csv, line 3", "a, row 3, b.csv, line 3"),
        ("item 7, item 8", "item 7, Nr. 8"),
        ("", "texts.jsonl"),
        ("item 35", "texts.jsonl · item 35"),
        ("a.json, item 3x", "texts.jsonl · a.json, item 3x"),
        ("a.json, page 3", "texts.jsonl · a.json, page 3"),
    ],
)
def test_the_place_of_a_text_is_said_once_and_with_its_unit_in_the_readers_language(
    response, monkeypatch, stored, shown_as
):
    monkeypatch.setitem(triage_items.UNITS, "item", "Nr. %(number)s")
    response.source_place = stored
    assert triage_items.response_item(response).origin == shown_as


def test_an_item_shows_the_text_the_doubts_and_the_source(project, response, annotator, client_of_lead):
    flag(response, raised_by=annotator, kind="factual", note="Rivers flow\ndown.")
    html = shown(client_of_lead, address(project))
    for words in (
        "To be decided: 1 response.",
        "<p>I am sorry.</p>",
        "<p>I cannot.</p>",
        response.prompt.text,
        "Fiction",
        "gpt-9",
        "texts.jsonl · line 3",
        "Refusal",
        "seen at 7: it",
        "A short text that starts by declining the task.",
        annotator.pseudonym,
        "Factual inconsistency",
        "Rivers flow<br>down.",
    ):
        assert words in html, words
    assert 'lang="en" translate="no"' in html


def test_the_kind_that_fits_is_chosen_already(project, response, client_of_lead):
    assert '<option value="prompt_violation" selected>' in shown(client_of_lead, address(project))


def test_chinese_texts_are_set_as_such(project, client_of_lead):
    flag(make_response(make_prompt(project, language="zh", text="写桥。"), text="桥很长。"))
    html = shown(client_of_lead, address(project))
    assert 'lang="zh-Hans" translate="no"' in html
    assert "triage-text is-chinese" in html


def test_a_long_text_is_shown_by_its_beginning_and_whole_on_demand(project, prompt, client_of_lead):
    long = make_response(prompt, text="word " * 300 + "END")
    flag(long)
    html = shown(client_of_lead, address(project))
    assert "The whole text, 1503 characters" in html
    assert html.count("END") == 1
    assert html.index("word…</p>") < html.index("The whole text")


def test_a_very_long_text_is_whole_on_its_own_page_alone(project, prompt, client_of_lead):
    huge = make_response(prompt, text="word " * 10_000 + "END")
    flag(huge)
    html = shown(client_of_lead, address(project))
    assert "END" not in html
    assert of(huge) in html
    assert len(html) < 30_000
    assert "END" in shown(client_of_lead, of(huge))


def test_an_empty_response_and_an_empty_prompt_say_so(project, client_of_lead):
    empty = make_prompt(project, "p-empty", text="")
    flag(empty, "placeholder_prompt")
    flag(make_response(empty, "r-empty", " \n "), "empty")
    html = shown(client_of_lead, address(project))
    assert "This prompt is empty." in html
    assert "This response is empty." in html


def test_a_prompt_shows_how_many_responses_it_has_and_some_of_them(project, placeholder, client_of_lead):
    html = shown(client_of_lead, address(project))
    assert "To be decided: 1 prompt." in html
    assert "Remove the 2 responses to this prompt" in html
    assert "model-of-s1" in html
    assert "What shall I write, s2?" in html


def test_the_empty_queue_says_what_triage_is(project, client_of_lead):
    html = shown(client_of_lead, address(project))
    assert "Nothing waits for a decision." in html
    assert "people spend hours on scoring them" in html


def test_a_filter_that_nothing_fits_leads_back(project, response, client_of_lead):
    html = shown(client_of_lead, f"{address(project)}?raised=annotator")
    assert "Nothing fits this filter." in html
    assert f'href="{address(project)}"' in html


def test_the_filter_comes_back_as_it_was_chosen(project, response, client_of_lead):
    make_prompt(project, language="zh")
    html = shown(client_of_lead, f"{address(project)}?state=all&raised=refusal&language=en&genre=fiction")
    for key in ("all", "refusal", "en", "fiction"):
        assert f'<option value="{key}" selected>' in html
    assert items(html) == ["r1"]


@pytest.mark.parametrize(
    "query",
    [
        "state=gone&raised=magic&language=xx&genre=none",
        "state__in=open&prompt__project__isnull=&password=1",
        "from=1-1-r-1%27%20or%201&was=response-999999&next=prompt-1",
        "from=999999999999999999-999999999-r-999999999999999999",
        "was=response-" + "9" * 18,
        "was=<script>&next=<script>&what=<script>&done=999999999&before=-1&sealed=x",
    ],
)
def test_what_no_page_wrote_asks_for_nothing(project, response, client_of_lead, query):
    html = shown(client_of_lead, f"{address(project)}?{query}")
    assert items(html) in (["r1"], [])
    assert "<script>" not in html


def test_what_strangers_wrote_is_shown_verbatim_and_never_run(project, annotator, client_of_lead):
    nasty = "<img src=x onerror=alert(1)>{{7*7}}{% debug %}{0.__class__}"
    safe = "&lt;img src=x onerror=alert(1)&gt;{{7*7}}{% debug %}{0.__class__}"
    source = make_import(project, files=[{"name": nasty, "sha256": "0" * 64, "size": 1, "path": ""}])
    prompt = make_prompt(project, f"p{nasty}", text=f"Write {nasty}", source=source)
    response = make_response(prompt, f"r{nasty}", f"Once {nasty}", source_model=f"m{nasty}", source=source)
    flag(response, detail=f"d{nasty}")
    flag(response, raised_by=annotator, kind="other", note=f"n{nasty}")
    flag(prompt, "placeholder_prompt", detail=f"q{nasty}")
    pages = [shown(client_of_lead, url) for url in (address(project), of(response), of(prompt))]
    triage.remove(response, kind="other", reason=f"z{nasty}", by=None, now=NOW)
    pages.append(shown(client_of_lead, f"{address(project)}?state=removed&was=response-{response.pk}"))
    for html in pages:
        assert "<img" not in html
    for start in ("p", "r", "m", "d", "n", "q", "z", "Once ", "Write "):
        assert any(start + safe in html for html in pages), start


def test_names_that_would_turn_the_line_around_are_marked(project, prompt, client_of_lead):
    flag(make_response(prompt, "r\u202egnp", source_model="m\u202etpg"))
    html = shown(client_of_lead, address(project))
    assert "\u202e" not in html
    assert "m\\u202etpg" in html


def test_a_check_of_an_earlier_version_is_shown_by_its_key(project, response, client_of_lead):
    flag(response, "vanished_check")
    assert "vanished_check" in shown(client_of_lead, address(project))


def test_every_check_has_its_name_and_meaning_on_the_page(project, prompt, client_of_lead):
    one = make_response(prompt)
    for check in checks.CHECKS:
        flag(one, check.key)
    html = shown(client_of_lead, of(one)).replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
    for check in checks.CHECKS:
        assert check.name in html
        assert check.meaning in html


def test_a_page_takes_few_queries_however_much_is_on_it(project, prompt, annotator, lead, client_of_lead):
    def queries():
        with CaptureQueriesContext(
            connection,
        ) as seen:
            client_of_lead.get(address(project))
        return len(seen)

    flag(make_response(prompt))
    queries()  # the first request of a session notes when it came
    few = queries()
    for number in range(24):
        one = make_response(prompt)
        flag(one)
        flag(one, raised_by=annotator, kind="other", note=str(number))
    assert queries() == few


# --- Deciding ------------------------------------------------------------------------------------


def decide(client, about, decision, query="", **sent):
    seen = ",".join(str(one.pk) for one in about.flags.filter(state="open"))
    return client.post(f"{of(about)}?{query}", {"decision": decision, "seen": seen, **sent})


def test_keeping_is_one_click_and_leads_back_to_the_queue(project, response, lead, client_of_lead):
    answer = decide(client_of_lead, response, "keep")
    assert answer.status_code == 302
    assert answer.url == f"{address(project)}?was=response-{response.pk}#decided"
    assert response.flags.get().settled_by == lead.user
    html = shown(client_of_lead, answer.url)
    assert 'id="decided"' in html
    assert "Kept." in html
    assert "Nothing waits for a decision." in html


def test_removing_takes_a_kind_and_a_reason(project, response, lead, client_of_lead):
    decide(client_of_lead, response, "remove", kind="truncated", reason="Only\r\nan excuse.")
    response.refresh_from_db()
    assert (response.state, response.removed_kind, response.removed_reason, response.removed_by) == (
        "removed",
        "truncated",
        "Only\nan excuse.",
        lead.user,
    )
    html = shown(client_of_lead, f"{address(project)}?state=removed")
    assert "Removed: Truncated or failed." in html
    assert "Only\nan excuse." in html
    assert "Put back" in html


@pytest.mark.parametrize("role", ["instructor", "adjudicator"])
def test_instructors_and_adjudicators_decide_too(response, role, browser_of):
    member = make_member(response.project, role)
    assert decide(browser_of(member), response, "keep").status_code == 302
    assert response.flags.get().settled_by == member.user


def test_what_was_removed_is_put_back(project, response, client_of_lead):
    decide(client_of_lead, response, "remove", kind="other")
    answer = decide(client_of_lead, response, "restore", query="state=removed", reason="My mistake.")
    assert answer.url == f"{address(project)}?state=removed&was=response-{response.pk}#decided"
    response.refresh_from_db()
    assert response.state == "active"
    assert JournalEntry.objects.get(action="response.restored").data["reason"] == "My mistake."


def test_what_a_frozen_release_counts_says_why_it_stays_removed(project, response, client_of_lead):
    triage.remove(response, kind="other", by=None, now=NOW)
    seals.note_freeze(project, at=NOW)
    html = shown(client_of_lead, f"{address(project)}?state=removed")
    assert "A frozen release counts this response as removed" in html
    assert 'name="decision" value="restore">' in html  # for the ticked ones
    assert html.count('value="restore"') == 1
    answer = decide(client_of_lead, response, "restore")
    assert answer.status_code == 409
    assert "A frozen release counts this response as removed" in answer.content.decode()


def test_the_second_of_two_is_told_and_sees_what_was_decided(project, response, browser_of, client_of_lead):
    seen = response.flags.get().pk
    decide(browser_of(make_member(project, "instructor", "ina")), response, "remove", kind="duplicate")
    answer = client_of_lead.post(of(response), {"decision": "keep", "seen": seen})
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody else has decided on this already." in html
    assert "Removed: Duplicate." in html
    assert "ina" in html
    response.refresh_from_db()
    assert response.state == "removed"


def test_a_click_twice_is_one_decision(response, client_of_lead):
    seen = response.flags.get().pk
    answers = [client_of_lead.post(of(response), {"decision": "keep", "seen": seen}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 409]
    assert JournalEntry.objects.filter(action="response.kept").count() == 1


def test_a_prompt_is_kept_or_all_its_responses_go(project, placeholder, client_of_lead):
    answer = decide(client_of_lead, placeholder, "remove", kind="prompt_violation")
    assert answer.url == f"{address(project)}?was=prompt-{placeholder.pk}#decided"
    assert "All responses to this prompt were removed." in shown(client_of_lead, answer.url)
    assert set(placeholder.responses.values_list("state", flat=True)) == {"removed"}
    html = shown(client_of_lead, f"{address(project)}?state=removed")
    assert set(items(html)) == {"p-slash", "s1", "s2"}


def test_a_kept_prompt_says_so(project, placeholder, client_of_lead):
    answer = decide(client_of_lead, placeholder, "keep", reason="A riddle.")
    assert "The prompt was kept." in shown(client_of_lead, answer.url)
    assert JournalEntry.objects.get(action="prompt.kept").data["note"] == "A riddle."
    assert not placeholder.responses.filter(state="removed").exists()


def test_the_second_who_decides_on_a_prompt_is_told(placeholder, client_of_lead):
    seen = placeholder.flags.get().pk
    for status in (302, 409):
        answer = client_of_lead.post(of(placeholder), {"decision": "keep", "seen": seen})
        assert answer.status_code == status
    assert "Somebody else has decided on this already." in answer.content.decode()


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({}, "Choose what to do."),
        ({"decision": "burn"}, "Choose what to do."),
        ({"decision": "remove"}, "Choose why it is removed."),
        ({"decision": "remove", "kind": "boring"}, "Choose a kind of the list."),
        ({"decision": "remove", "kind": "other", "reason": "x" * 2001}, "Write at most 2000 characters"),
        ({"decision": "keep", "seen": "1;2"}, "This page is damaged. Open it again."),
    ],
)
def test_what_cannot_be_taken_comes_back_filled_in(response, client_of_lead, sent, says):
    answer = client_of_lead.post(of(response), {"reason": "My <b>words</b>.", **sent})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert says in html
    assert ("My &lt;b&gt;words&lt;/b&gt;." in html) is ("reason" not in sent)
    response.refresh_from_db()
    assert response.state == "active"
    assert not Flag.objects.exclude(state="open").exists()


# --- Going on ------------------------------------------------------------------------------------


@pytest.fixture
def many(prompt):
    for number in range(60):
        flag(make_response(prompt, f"r{number:02d}", source=prompt.source))
    return prompt.project


def actions(html):
    return [
        url.replace("&amp;", "&") for url in re.findall(r'class="triage-decide"[^>]*action="([^"]+)"', html)
    ]


def test_after_a_decision_the_page_goes_on_with_the_next_item(many, client_of_lead):
    html = shown(client_of_lead, address(many))
    assert items(html) == [f"r{number:02d}" for number in range(25)]
    first = Response.objects.get(external_id="r10")
    answer = client_of_lead.post(actions(html)[10], {"decision": "keep", "seen": first.flags.get().pk})
    html = shown(client_of_lead, answer.url)
    assert items(html)[9:12] == ["r09", "r11", "r12"]
    assert re.search(r'id="decided".*?r10.*?Kept\..*?id="response-\d+".*?<bdi>r11</bdi>', html, re.S)


def test_after_the_last_item_of_a_page_the_next_page_follows(many, client_of_lead):
    html = shown(client_of_lead, address(many))
    last = Response.objects.get(external_id="r24")
    answer = client_of_lead.post(actions(html)[24], {"decision": "keep", "seen": last.flags.get().pk})
    html = shown(client_of_lead, answer.url)
    assert items(html)[0] == "r25"
    assert html.index('id="decided"') < html.index("<bdi>r25</bdi>")


def test_the_filter_and_the_place_are_kept(many, client_of_lead):
    html = shown(client_of_lead, f"{address(many)}?state=all&raised=check")
    following = re.search(r'href="\?([^"]+)">Next', html)[1].replace("&amp;", "&")
    html = shown(client_of_lead, f"{address(many)}?{following}")
    assert items(html)[0] == "r25"
    one = Response.objects.get(external_id="r30")
    answer = client_of_lead.post(
        actions(html)[5], {"decision": "remove", "kind": "other", "seen": one.flags.get().pk}
    )
    assert answer.url.startswith(f"{address(many)}?{following}&was=response-{one.pk}&next=response-")
    html = shown(client_of_lead, answer.url)
    assert items(html) == [f"r{number}" for number in range(25, 50)]
    assert html.index("<bdi>r30</bdi>") < html.index('id="decided"') < html.index("Response <bdi>r31</bdi>")


def test_when_the_last_page_is_decided_the_one_before_is_shown(many, client_of_lead):
    html = shown(client_of_lead, address(many))
    for _ in range(2):
        following = re.search(r'href="\?([^"]+)">Next', html)[1]
        html = shown(client_of_lead, f"{address(many)}?{following}")
    assert len(items(html)) == 10
    for one in Response.objects.filter(external_id__gte="r50"):
        triage.keep(one, by=None, now=NOW)
    html = shown(client_of_lead, f"{address(many)}?{following}")
    assert items(html) == [f"r{number}" for number in range(25, 50)]


def test_the_address_after_a_decision_leads_nowhere_else(response, client_of_lead):
    answer = decide(
        client_of_lead, response, "keep", query="next=//evil.example&from=//evil.example&state=//evil.example"
    )
    assert answer.url == f"{address(response.project)}?was=response-{response.pk}#decided"


# --- Many at once --------------------------------------------------------------------------------


def ticks(*names):
    found = Response.objects.filter(external_id__in=names).prefetch_related("flags")
    return [f"{one.pk}:{','.join(str(raised.pk) for raised in one.flags.all())}" for one in found]


def test_the_ticked_responses_are_decided_on_and_counted(many, client_of_lead):
    triage.keep(Response.objects.get(external_id="r03"), by=None, now=NOW)
    sent = {"decision": "remove", "kind": "", "ticked": ticks("r01", "r02", "r03"), "reason": "All alike."}
    answer = client_of_lead.post(address(many, "triage_several"), sent)
    html = shown(client_of_lead, answer.url)
    assert "2 responses were removed." in html
    assert "1 had been decided on by somebody else before." in html
    removed = Response.objects.filter(state="removed")
    assert set(removed.values_list("external_id", "removed_kind", "removed_reason")) == {
        ("r01", "prompt_violation", "All alike."),
        ("r02", "prompt_violation", "All alike."),
    }


def test_what_the_boxes_of_the_page_send_is_what_is_taken(many, client_of_lead):
    html = shown(client_of_lead, address(many))
    boxes = re.findall(r'name="ticked" value="([^"]+)"', html)
    assert len(boxes) == 25
    answer = client_of_lead.post(address(many, "triage_several"), {"decision": "keep", "ticked": boxes})
    assert "25 responses were kept." in shown(client_of_lead, answer.url)
    assert Flag.objects.filter(state="kept").count() == 25


def test_the_filter_and_place_are_kept_after_many_too(many, client_of_lead):
    html = shown(client_of_lead, f"{address(many)}?raised=refusal")
    following = re.search(r'href="\?([^"]+)">Next', html)[1].replace("&amp;", "&")
    answer = client_of_lead.post(
        f"{address(many, 'triage_several')}?{following}", {"decision": "keep", "ticked": ticks("r25")}
    )
    assert answer.url.startswith(f"{address(many)}?{following}&what=keep")


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"decision": "keep"}, "Tick at least one response."),
        ({"decision": "keep", "ticked": ["r1"]}, "Select a valid choice"),
        ({"decision": "keep", "ticked": [f"{n}:" for n in range(101)]}, "At most 100 responses at once."),
        ({"decision": "burn", "ticked": ["1:"]}, "Choose what to do."),
        ({"decision": "remove", "ticked": ["1:"], "reason": "x" * 2001}, "Write at most 2000 characters"),
    ],
)
def test_ticks_that_cannot_be_taken_come_back(many, client_of_lead, sent, says):
    answer = client_of_lead.post(address(many, "triage_several"), sent)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Flag.objects.exclude(state="open").exists()


def test_what_was_ticked_is_ticked_still(many, client_of_lead):
    sent = {"decision": "remove", "kind": "factual", "ticked": ticks("r04"), "reason": "y" * 2001}
    html = client_of_lead.post(address(many, "triage_several"), sent).content.decode()
    assert f'value="{ticks("r04")[0]}" checked' in html
    assert html.count(" checked>") == 1
    assert '<option value="factual" selected>' in html
    assert "y" * 2001 in html


# --- The counts ----------------------------------------------------------------------------------


def test_the_counts_are_shown_by_check_and_kind(many, client_of_lead):
    triage.remove(Response.objects.get(external_id="r01"), kind="duplicate", by=None, now=NOW)
    html = shown(client_of_lead, address(many, "triage_counts"))
    row = re.search(r"raised=refusal.*?</tr>", html, re.S)[0]
    assert re.findall(r">(\d+)</td>", row) == ["60", "0", "1", "59"]
    assert "1 of 60 responses are removed (1.7 %)." in html
    assert "Duplicate" in html
    assert "15 %" not in html


def test_without_flags_the_counts_say_so(project, client_of_lead):
    html = shown(client_of_lead, address(project, "triage_counts"))
    assert "Nothing has been flagged yet." in html
    assert "No response has been removed." in html


# --- In Chinese ----------------------------------------------------------------------------------


def test_a_flag_is_said_in_the_language_of_the_reader(response, monkeypatch):
    """The template is translated before the values, which may hold anything, are put in."""
    monkeypatch.setattr(
        "annotation.queries.imports._",
        lambda text: {"seen at {place}: {evidence}": "第 {place} 个字符处：{evidence}"}.get(text, text),
    )
    response.flags.update(
        detail={"template": "seen at {place}: {evidence}", "values": {"place": 7, "evidence": "{place}"}}
    )
    assert triage_items.response_item(response).flags[0].detail == "第 7 个字符处：{place}"


def test_the_pages_can_be_read_in_chinese(project, response, placeholder, client_of_lead):
    for url in every_address(project, response, placeholder):
        page = client_of_lead.get(url, headers={"accept-language": "zh-CN"}, follow=True)
        assert page.status_code == 200
        assert "小说" in page.content.decode() or url != address(project)


def test_a_membership_that_ends_closes_the_door_at_once(project, response, client_of_lead, lead):
    make_member(project, "lead")
    assert client_of_lead.get(address(project)).status_code == 200
    membership.pause(lead, by=None, now=NOW + timedelta(hours=1))
    assert Membership.objects.get(pk=lead.pk).state == "paused"
    assert client_of_lead.get(address(project)).status_code == 404

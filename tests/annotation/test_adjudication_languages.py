"""Adjudicators see cases of the languages that they read, may ask for one of several, and leads learn of the rest."""

import pytest
from django.urls import reverse

from annotation import access
from annotation.domain import reach
from annotation.domain.splits import Thresholds
from annotation.errors import NotAllowed
from annotation.models import AdjudicationCase, CaseJudgement
from annotation.services import adjudication, membership
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, score_all
from tests.split_rounds import send

pytestmark = pytest.mark.django_db
TEXTS = {"en": "A bridge of words.", "zh-Hans": "一座桥，桥下是河。", "": "Nobody says in which tongue."}


@pytest.fixture
def cases(project):
    """One case in English, one in Chinese and one in a language that nobody named, by language."""
    for name in ("ann", "bob", "cem"):
        make_member(project, "annotator", name)
    given = {}
    for number, (language, text) in enumerate(TEXTS.items()):
        make_response(make_prompt(project, language=language), f"r{number}", text)
        given |= {
            (f"r{number}", one): score for one, score in zip(("ann", "bob", "cem"), (0, 3, 1), strict=True)
        }
    work = make_round(project)
    score_all(work, given)
    send(work, Thresholds(minority=None))
    return {case.prompt.language: case for case in AdjudicationCase.objects.select_related("prompt")}


@pytest.fixture
def desk(project):
    return reverse("adjudication", args=[project.slug])


def reader(project, *languages):
    member = make_member(project, "adjudicator", "reader")
    membership.set_languages(project, member.user, languages=languages, by=None, now=NOW)
    member.refresh_from_db()
    return member


def shown(client, address):
    html = client.get(address).content.decode()
    return {language for language, text in TEXTS.items() if text in html}


@pytest.mark.parametrize(
    ("reads", "seen"),
    [
        ((), {"en", "zh-Hans", ""}),
        (("en",), {"en", ""}),
        (("zh",), {"zh-Hans", ""}),
        (("en", "zh"), {"en", "zh-Hans", ""}),
        (("fr",), {""}),  # what names no language may be in any
    ],
)
def test_the_queue_holds_what_the_adjudicator_reads(project, cases, desk, browser_of, reads, seen):
    member = reader(project, *reads)
    assert shown(browser_of(member), desk) == seen
    assert set(access.cases_of(member)) == {cases[language] for language in seen}


@pytest.mark.parametrize(("language", "status"), [("en", 200), ("zh-Hans", 403), ("", 200)])
def test_a_case_in_another_language_is_closed_at_its_own_address_too(
    project, cases, browser_of, language, status
):
    member = reader(project, "en")
    case = cases[language]
    client = browser_of(member)
    page = reverse("adjudicate", args=[case.token])
    assert client.get(page).status_code == status
    assert client.post(page, {"step": "own", "value": "1"}).status_code == (302 if status == 200 else 403)
    assert CaseJudgement.objects.filter(case=case).exists() is (status == 200)


def test_who_may_not_read_it_any_more_does_not_decide_it(project, cases):
    member = reader(project)
    adjudication.own(cases["en"], member, choice="1", justification="", now=NOW)
    membership.set_languages(project, member.user, languages=["zh"], by=None, now=NOW)
    with pytest.raises(NotAllowed) as refusal:
        adjudication.decide(cases["en"], member, choice="1", reason="So.", now=NOW)
    assert refusal.value.code == "not_your_language"


# --- The filter ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ("", {"en", "zh-Hans", ""}),
        ("en", {"en"}),
        ("zh", {"zh-Hans"}),
        ("unknown", {""}),
        ("fr", {"en", "zh-Hans", ""}),
        ("zh-Hans", {"en", "zh-Hans", ""}),
    ],
)
def test_one_of_several_languages_may_be_asked_for(project, cases, desk, browser_of, asked, seen):
    assert shown(browser_of(reader(project)), f"{desk}?language={asked}") == seen


def test_the_filter_says_how_many_wait_in_each(project, cases, desk, browser_of):
    member = reader(project)
    adjudication.own(cases["en"], member, choice="1", justification="", now=NOW)
    adjudication.decide(cases["en"], member, choice="1", reason="So.", now=NOW)
    client = browser_of(member)
    html = client.get(f"{desk}?language=en").content.decode()
    assert '<option value="en" selected>English (0)</option>' in html
    assert '<option value="zh">Chinese (1)</option>' in html
    assert '<option value="unknown">Unknown language (1)</option>' in html
    assert "No case in this language waits for you." in html
    assert "decided by you" in html


def test_there_is_no_filter_where_there_is_one_language(project, cases, desk, browser_of):
    for case in (cases["zh-Hans"], cases[""]):
        project.prompts.filter(pk=case.prompt_id).update(language="en-GB")
    html = browser_of(reader(project)).get(f"{desk}?language=en").content.decode()
    assert '<select id="language"' not in html
    assert all(text in html for text in TEXTS.values())


# --- What a lead learns --------------------------------------------------------------------------


def test_a_lead_is_told_of_languages_that_no_adjudicator_reads(project, lead, cases, desk, browser_of):
    client = browser_of(lead)
    assert (
        "no adjudicator reads" not in client.get(desk).content.decode()
    )  # there is none, which is said instead
    member = reader(project, "en")
    assert "Cases wait in languages that no adjudicator reads: Chinese." in client.get(desk).content.decode()
    second = make_member(project, "adjudicator", "second")
    assert "no adjudicator reads" not in client.get(desk).content.decode()
    adjudication.own(cases["zh-Hans"], second, choice="1", justification="", now=NOW)
    adjudication.decide(cases["zh-Hans"], second, choice="1", reason="So.", now=NOW)
    membership.set_languages(project, second.user, languages=["en"], by=None, now=NOW)
    assert member.languages == ["en"]
    assert "no adjudicator reads" not in client.get(desk).content.decode()


def test_a_reader_of_no_named_language_reads_all():
    assert reach.of_languages([]) == reach.ANYTHING
    assert reach.covers(reach.of_languages(["zh"]), "Chinese")
    assert not reach.covers(reach.of_languages(["zh"]), "en")

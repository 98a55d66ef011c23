"""What a project records of people: a lead writes it, members read it and agree."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.domain import shipped
from annotation.models import Consent
from annotation.services import consent, projects
from tests.factories import NOW, make_member, make_project

pytestmark = pytest.mark.django_db

BODIES = {"en": "# Recorded\n\nYour **scores**.", "zh": "# 记录\n\n您的**分数**。"}


@pytest.fixture
def edit(project):
    return reverse("consent", args=[project.slug])


@pytest.fixture
def read(project):
    return reverse("read_consent", args=[project.slug])


@pytest.fixture
def first(project):
    consent.add_shipped(project, by=None, now=NOW)


def test_a_new_project_begins_with_the_shipped_text(db):
    project = projects.create("new-one", name="New", taxonomy="", by=None, now=NOW)
    texts = dict(project.consent_texts.values_list("language", "body"))
    wording = shipped.consent()
    assert texts == {"en": wording.en, "zh": wording.zh}


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        ("scores", "分数"),
        ("seconds", "秒"),
        ("draft", "草稿"),
        ("order", "顺序"),
        ("flagged", "标记"),
        ("pseudonym", "化名"),
        ("leave the project", "退出项目"),
        ("withdraw your data", "撤回您的数据"),
        ("Nothing else is recorded", "除此之外不记录"),
    ],
)
def test_the_shipped_text_says_what_matters_in_both_languages(en, zh):
    wording = shipped.consent()
    assert en in wording.en
    assert zh in wording.zh


def test_only_leads_write_and_only_members_read(
    project, lead, annotator, stranger, browser_of, client, first, edit, read
):
    for person in (annotator, make_member(project, "instructor")):
        assert browser_of(person).get(edit).status_code == 403
        assert browser_of(person).post(edit, {**BODIES, "based_on": 1}).status_code == 403
        assert browser_of(person).get(read).status_code == 200
    assert browser_of(lead).get(edit).status_code == 200
    for page in (edit, read):
        assert browser_of(stranger).get(page).status_code == 404
        assert browser_of(stranger).post(page, {**BODIES, "based_on": 1, "agreed": 1}).status_code == 404
        assert client.get(page).url.startswith(reverse("sign_in"))
    other = make_member(make_project("elsewhere"), "lead")
    assert browser_of(other).post(edit, {**BODIES, "based_on": 1}).status_code == 404
    assert project.consent_texts.count() == 2


def test_saving_makes_a_version_and_keeps_the_old_one(project, lead, browser_of, first, edit):
    answer = browser_of(lead).post(edit, {**BODIES, "based_on": 1})
    assert answer.url == f"{edit}?saved"
    assert set(project.consent_texts.values_list("version", "language")) == {
        (version, language) for version in (1, 2) for language in ("en", "zh")
    }


def test_a_project_without_a_text_is_offered_the_shipped_one(project, lead, browser_of, edit):
    page = browser_of(lead).get(edit)
    assert page.context["form"].initial["en"] == shipped.consent().en
    assert browser_of(lead).post(edit, {**BODIES, "based_on": 0}).status_code == 302
    assert project.consent_texts.filter(version=1).count() == 2


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"en": ""}, "Write the text in both languages."),
        ({"zh": " "}, "Write the text in both languages."),
        ({"en": ">" * 50}, "Shorten it."),
    ],
)
def test_a_refused_text_comes_back(project, lead, browser_of, first, edit, sent, error):
    answer = browser_of(lead).post(edit, {**BODIES, "based_on": 1, **sent})
    assert answer.status_code == 422
    assert error in answer.content.decode()
    assert project.consent_texts.count() == 2


def test_the_second_of_two_leads_is_told_and_loses_nothing(project, lead, browser_of, first, edit):
    client = browser_of(lead)
    client.post(edit, {**BODIES, "based_on": 1})
    mine = {"en": "Mine", "zh": "我的"}
    answer = client.post(edit, {**mine, "based_on": 1})
    assert answer.status_code == 409
    assert answer.context["form"].data["based_on"] == 2
    assert "Mine" in answer.content.decode()
    assert client.post(edit, {**mine, "based_on": 2}).status_code == 302
    assert client.post(edit, {**mine, "based_on": 3}).status_code == 422  # nothing new


def test_a_member_agrees_to_the_newest_version_alone(project, annotator, browser_of, first, read):
    client = browser_of(annotator)
    assert client.post(read, {"agreed": ""}).status_code == 422
    assert client.post(read, {"agreed": "2"}).status_code == 409
    assert client.post(read, {"agreed": "1"}).url == f"{read}?agreed"
    client.post(read, {"agreed": "1"})
    consent.save(project, BODIES, based_on=1, by=None, now=NOW)
    page = client.get(read).content.decode()
    assert "You agreed to version 1. This is version 2." in page
    assert client.post(read, {"agreed": "1"}).status_code == 409
    client.post(read, {"agreed": "2"})
    assert list(Consent.objects.order_by("pk").values_list("user", "version")) == [
        (annotator.user_id, 1),
        (annotator.user_id, 2),
    ]
    assert "You agreed to version 2" in client.get(read).content.decode()


def test_the_first_page_says_when_a_text_waits_and_work_goes_on(project, annotator, browser_of, first, read):
    client = browser_of(annotator)
    assert read in client.get("/").content.decode()
    client.post(read, {"agreed": "1"})
    assert read not in client.get("/").content.decode()
    consent.save(project, BODIES, based_on=1, by=None, now=timezone.now())
    page = client.get("/").content.decode()
    assert "What is recorded of you has changed" in page


def test_markup_in_a_text_is_shown_as_it_was_typed(project, annotator, browser_of, read):
    consent.save(project, {"en": "<script>alert(1)</script>", "zh": "<b>x</b>"}, based_on=0, by=None, now=NOW)
    page = browser_of(annotator).get(read).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;" in page

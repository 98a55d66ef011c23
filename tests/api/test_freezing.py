"""REST: asking for a release by the rules of its page, and what is stated of the annotators."""

import pytest

from curation import tasks
from curation.models import Release
from tests.api.callers import Caller, fill, refusal_of
from tests.factories import REASON

pytestmark = pytest.mark.django_db
SAID = {"annotators": "Four students.", "training": "A course.", "pay": "20 EUR an hour."}


@pytest.fixture
def world(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return fill(project)


@pytest.fixture
def caller(world, lead, monkeypatch):
    monkeypatch.setattr(tasks.freeze_release, "delay_on_commit", lambda pk: None)
    return Caller(lead.user)


@pytest.fixture
def asked(world):
    return {"run": world.run.pk, "name": "bridges", "version": "1.0.1", "reason": REASON, "note": "More."}


def errors_of(answer):
    return {each["field"]: each["message"] for each in answer.json()["errors"]}


def test_all_that_stands_against_a_release_is_said_at_once(caller, asked):
    body = {**asked, "version": "0.9.0", "note": "", "reason": "", "target": 100, "floor": "much"}
    refused = caller.post("releases/", body)
    assert refusal_of(refused) == (422, "not_accepted")
    assert set(errors_of(refused)) == {"version", "note", "reason", "waivers.quota", "floor"}


def test_a_version_is_refused_in_the_words_of_the_page(caller, asked):
    refused = caller.post("releases/", {**asked, "version": "0.9.0"})
    assert errors_of(refused) == {
        "version": "The last version of this name is 1.0.0. Use 1.0.1, or a later one."
    }


@pytest.mark.parametrize(
    ("licence", "code"), [("odc-by", None), ("artistic-2.0", None), ("Not odc-by", "bad_licence")]
)
def test_a_licence_is_any_id_and_no_more(caller, asked, licence, code):
    answer = caller.post("releases/", {**asked, "licence": licence})
    if code is None:
        assert (answer.status_code, Release.objects.get(version="1.0.1").terms["licence"]) == (202, licence)
    else:
        assert refusal_of(answer) == (422, code)
        assert [*errors_of(answer)] == ["licence"]


def test_what_is_stated_of_the_annotators_is_kept_and_holds_for_the_next_version(caller, asked):
    assert caller.post("releases/", {**asked, **SAID}).status_code == 202
    assert Release.objects.get(version="1.0.1").terms["statements"] == SAID
    following = {**asked, "version": "1.0.2", "pay": "", "training": "Another course."}
    assert caller.post("releases/", following).status_code == 202
    assert Release.objects.get(version="1.0.2").terms["statements"] == {
        "annotators": "Four students.",
        "training": "Another course.",
        "pay": "",
    }


@pytest.mark.parametrize("name", [*SAID])
@pytest.mark.parametrize(
    ("value", "status"), [("x" * 2001, 400), ("Paid\u202e well.", 422), (1, 400), (None, 400)]
)
def test_a_statement_that_cannot_be_kept_is_refused_at_its_field(caller, asked, name, value, status):
    refused = caller.post("releases/", {**asked, name: value})
    assert refused.status_code == status
    assert [*errors_of(refused)] == [name]
    assert Release.objects.count() == 1

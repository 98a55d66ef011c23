"""REST: projects with their genres and rubrics; who makes them, and who changes what."""

import pytest

from annotation.models import Project
from tests.api.callers import Caller, at, refusal_of
from tests.factories import make_prompt, make_round, make_user

pytestmark = pytest.mark.django_db
PROJECTS = "/api/v1/projects/"


@pytest.fixture
def caller(lead):
    return Caller(lead.user)


@pytest.fixture
def operator(db):
    return Caller(make_user("opal", is_superuser=True))


# --- Projects ----------------------------------------------------------------------------------------


def test_a_lead_is_told_the_settings(caller):
    told = caller.get("").json()
    assert (told["slug"], told["name"], told["roles"]) == ("bridges", "Bridges", ["lead"])
    assert told["settings"]["alpha_good"] == "0.667"
    assert told["settings"]["hourly_rate"] is None
    assert told["settings"]["annotators_per_response"] == 3
    assert caller.all(PROJECTS) == [told]


def test_an_operator_makes_a_project_and_leads_it(operator):
    body = {"name": "Long Tunnels", "languages": ["en", "pt-BR"]}
    made = operator.post(PROJECTS, body)
    assert (made.status_code, made.json()["slug"]) == (201, "long-tunnels")
    assert made["Location"] == made.json()["url"] == "http://testserver/api/v1/projects/long-tunnels/"
    assert made.json()["roles"] == ["lead"]
    assert made.json()["settings"]["languages"] == ["en", "pt-BR"]
    assert operator.get(made["Location"]).json() == made.json()


def test_who_is_no_operator_makes_none(caller):
    assert refusal_of(caller.post(PROJECTS, {"name": "Tunnels"})) == (403, "not_an_operator")
    assert Project.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({}, 400),
        ({"name": 7}, 400),
        ({"name": ""}, 400),
        ({"name": "Tunnels", "languages": "en"}, 400),
        ({"name": "Tunnels", "languages": [1]}, 400),
        ({"name": "Tunnels", "created_at": "2020-01-01"}, 400),
        ({"name": "Tunnels", "id": 7}, 400),
        ([], 400),
        ("not json", 400),
        ('{"name": "a", "name": "b"}', 400),
        ('{"name": "a\\u0000"}', 400),
        ('{"name": "\\ud800"}', 400),
        ({"name": "Tunnels", "slug": "bridges"}, 409),
        ({"name": "Tunnels", "slug": "new"}, 422),
        ({"name": "Tunnels", "slug": "a b"}, 422),
        ({"name": "Tunnels", "taxonomy": "nobodys"}, 422),
        ({"name": "Tunnels", "languages": ["not a tag"]}, 422),
    ],
)
def test_what_makes_no_project_is_refused_and_nothing_is_made(operator, project, body, refused):
    assert refusal_of(operator.post(PROJECTS, body))[0] == refused
    assert Project.objects.count() == 1


def test_settings_are_changed_one_by_one_and_the_others_stay(caller, project):
    before = caller.get("").json()
    changed = caller.patch("", {"name": "Old Bridges", "hourly_rate": "12.50", "criterion_marks": True})
    assert changed.status_code == 200
    wanted = {**before["settings"], "hourly_rate": "12.50", "criterion_marks": True}
    assert changed.json() == {**before, "name": "Old Bridges", "settings": wanted}
    assert caller.get("").json() == changed.json()
    assert caller.patch("", {"hourly_rate": None}).json()["settings"]["hourly_rate"] is None


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"slug": "tunnels"}, 400),
        ({"created_at": "2020-01-01T00:00:00Z"}, 400),
        ({"sealed_at": None}, 400),
        ({"annotators_per_response": "3"}, 400),
        ({"annotators_per_response": True}, 400),
        ({"annotators_per_response": 1}, 400),
        ({"assigning": "nobody"}, 400),
        ({"criterion_marks": "true"}, 400),
        ({"alpha_good": "0.1"}, 422),
        ({"alpha_good": "much"}, 422),
        ({"currency": "12"}, 422),
        ({"time_zone": "Europe/Nowhere"}, 422),
    ],
)
def test_a_setting_that_cannot_be_is_refused_and_nothing_changes(caller, body, refused):
    before = caller.get("").json()
    assert refusal_of(caller.patch("", {**body, "name": "Changed"}))[0] == refused
    assert caller.get("").json() == before


def test_what_would_break_work_that_is_done_is_refused_as_on_the_page(caller, project):
    project.languages = ["en", "zh"]
    project.save()
    make_prompt(project, "p1", language="zh")
    assert refusal_of(caller.patch("", {"languages": ["en"]})) == (422, "settings_refused")
    make_round(project)
    assert refusal_of(caller.patch("", {"criterion_marks": True})) == (422, "settings_refused")


# --- Genres ------------------------------------------------------------------------------------------


def test_genres_are_listed_with_their_types(caller, project):
    added = caller.post("genres/", {"name_en": "Sonnet", "name_zh": "十四行诗", "parent": "poetry"})
    assert (added.status_code, added.json()["key"], added.json()["parent"]) == (201, "sonnet", "poetry")
    macro = caller.post("genres/", {"name_en": "Drama"}).json()
    assert (macro["key"], macro["parent"], macro["name_zh"]) == ("drama", None, "")
    assert [row["key"] for row in caller.all("genres/?ordering=key")] == [
        "drama",
        "fiction",
        "poetry",
        "sonnet",
    ]
    assert [row["key"] for row in caller.all("genres/?parent=poetry")] == ["sonnet"]
    assert caller.get(added["Location"]).json() == added.json()


def test_a_genre_goes_while_nothing_uses_it(caller, project):
    make_prompt(project, "p1", genre=project.genres.get(key="poetry"))
    assert refusal_of(caller.delete("genres/poetry/")) == (409, "genre_in_use")
    caller.post("genres/", {"name_en": "Drama"})
    assert caller.delete("genres/drama/").status_code == 204
    assert caller.get("genres/drama/").status_code == 404


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"name_zh": "戏剧"}, 400),
        ({"name_en": "Poetry"}, 422),
        ({"name_en": "Drama", "key": "mine"}, 400),
        ({"name_en": "Drama", "position": 0}, 400),
        ({"name_en": "Drama", "parent": "nobody"}, 404),
    ],
)
def test_a_genre_that_cannot_be_is_refused(caller, project, body, refused):
    assert refusal_of(caller.post("genres/", body))[0] == refused
    assert project.genres.count() == 2


# --- Rubrics -----------------------------------------------------------------------------------------


def test_a_version_of_the_rubric_is_told_in_both_languages(caller):
    listed = caller.all("rubrics/")
    assert [(row["version"], row["url"]) for row in listed] == [(1, "http://testserver" + at("rubrics/1/"))]
    told = caller.get("rubrics/1/").json()
    assert {level["value"] for level in told["levels"]} == {0, 1, 2, 3}
    assert told["levels"][0]["name"].keys() == {"en", "zh"}
    assert {(each["genre"], each["key"]) for each in told["criteria"]} == {
        ("", "voice"),
        ("fiction", "voice"),
    }
    assert {name: told[name] for name in listed[0]} == listed[0]

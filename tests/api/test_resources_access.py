"""REST: who may open which address of a project. Others hear the same of what is there and of what is not."""

import re

import pytest
from django.urls import reverse

from api.resources.urls import urlpatterns
from tests.api.callers import Caller, at, fill
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
ROLES = ("lead", "instructor", "adjudicator", "annotator", "other lead", "stranger")
ANYBODY = ("api_schema", "api_me", "api_own_rounds", "api_projects")
OF_MEMBERS = ("api_project",)
OF_SIGHTED = ("api_response",)
OF_WRITERS = ("api_authored_prompts", "api_authored_prompt")
THERE = {
    "key": "fiction",
    "number": "1",
    "username": "ursula",
    "kind": "scores",
}
NOT_THERE = dict.fromkeys((*THERE, "id", "name", "version"), "none") | {"number": "99", "pk": "999999"}
# What can be asked for in another way than by GET, with a body that would be accepted of a lead.
WRITES = {
    "api_project": [("patch", {"name": "Of somebody else"})],
    "api_genres": [("post", {"name_en": "Drama"})],
    "api_genre": [("delete", None)],
    "api_members": [("post", {"username": "ursula", "role": "instructor"})],
    "api_member": [("patch", {"role": "annotator", "action": "pause"})],
    "api_rounds": [("post", {"name": "Round 9"})],
    "api_round": [("patch", {"name": "Round 9"}), ("delete", None)],
    **{f"api_round_{action}": [("post", {})] for action in ("open", "pause", "resume", "lock")},
    "api_recipes": [("post", {"name": "mine", "recipe": {}})],
    "api_runs": [("post", {})],
    "api_run_cancel": [("post", {})],
    "api_project_releases": [("post", {"run": 1, "name": "bridges", "version": "2.0.0"})],
}
ROUTES = {pattern.name: re.findall(r"<(?:\w+:)?(\w+)>", str(pattern.pattern)) for pattern in urlpatterns}
OF_PROJECTS = [name for name in ROUTES if name not in ANYBODY]


@pytest.fixture
def world(project, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path / "releases"
    return fill(project)


@pytest.fixture
def callers(world, lead):
    elsewhere = make_member(make_project("tunnels"), "lead", "elsewhere")
    people = {
        "lead": lead.user,
        "instructor": make_member(world.project, "instructor", "inge").user,
        "adjudicator": make_member(world.project, "adjudicator", "adam").user,
        "annotator": world.project.memberships.get(user__username="ursula").user,
        "other lead": elsewhere.user,
        "stranger": make_user("nobody"),
    }
    return {role: Caller(person) for role, person in people.items()}


def address(name, world, values=None):
    named = world.ranked.name if name.startswith("api_round") else "writing-preference"
    name_of = "bridges" if name.startswith("api_project_release") else named
    text = "p0" if name == "api_prompt" else "p0-0"
    there = {**THERE, "id": text, "slug": "bridges", "name": name_of, "version": "1.0.0", "pk": world.run.pk}
    if name in OF_WRITERS:
        there["key"] = world.authored.key
    if name in ("api_plan", "api_requests"):
        there["pk"] = world.plan.pk
    filled = {**there, **(values or {})}
    return reverse(name, kwargs={key: filled[key] for key in ROUTES[name]})


def expected(name, role):
    if name in ANYBODY:
        return 200
    if role in ("other lead", "stranger"):
        return 404
    if name in OF_MEMBERS or role == "lead":
        return 200
    if name in OF_WRITERS and role == "instructor":
        return 200
    return 200 if name in OF_SIGHTED and role in ("instructor", "adjudicator") else 403


def only_posted(name):
    return name.startswith("api_round_") or name == "api_run_cancel"


@pytest.mark.parametrize("role", ROLES)
def test_each_address_opens_to_those_whose_page_shows_the_same(world, callers, role):
    for name in ROUTES:
        if not only_posted(name):
            answer = callers[role].get(address(name, world))
            assert answer.status_code == expected(name, role), f"{role} at {name}: {answer.content[:200]}"


@pytest.mark.parametrize("role", [role for role in ROLES if role != "lead"])
def test_nobody_but_a_lead_changes_anything(world, callers, role):
    before = world.project.rounds.count(), world.project.memberships.count(), world.project.genres.count()
    for name, calls in WRITES.items():
        for method, body in calls:
            caller, url = callers[role], address(name, world)
            answer = caller.delete(url) if method == "delete" else caller.send(method, url, body)
            wanted = 404 if role in ("other lead", "stranger") else 403
            assert answer.status_code == wanted, f"{role} {method} {name}: {answer.content[:200]}"
    after = world.project.rounds.count(), world.project.memberships.count(), world.project.genres.count()
    assert after == before


@pytest.mark.parametrize("role", ["annotator", "instructor", "other lead", "stranger"])
def test_what_is_there_cannot_be_told_from_what_is_not(world, callers, role):
    for name in OF_PROJECTS:
        keys = [key for key in ROUTES[name] if key != "slug"]
        if not keys or only_posted(name) or expected(name, role) == 200:
            continue
        there = callers[role].get(address(name, world))
        absent = callers[role].get(address(name, world, NOT_THERE))
        assert without_place(there) == without_place(absent), name
        assert there.status_code in (403, 404)


def without_place(answer):
    told = answer.json()
    return answer.status_code, {key: value for key, value in told.items() if key != "instance"}


@pytest.mark.parametrize("role", ["other lead", "stranger"])
def test_a_project_of_others_is_as_good_as_none(world, callers, role):
    for name in OF_PROJECTS:
        if not only_posted(name):
            theirs = callers[role].get(address(name, world))
            nobodys = callers[role].get(address(name, world, {"slug": "no-such-project"}))
            assert without_place(theirs) == without_place(nobodys), name


def test_without_a_token_every_address_is_refused(world, client):
    for name in ROUTES:
        assert client.get(address(name, world)).status_code == 401


def test_what_is_not_there_is_404_to_a_lead(world, callers):
    for name in OF_PROJECTS:
        if set(ROUTES[name]) - {"slug"} and not only_posted(name):
            assert callers["lead"].get(address(name, world, NOT_THERE)).status_code == 404, name


@pytest.mark.parametrize("name", ["%00", "a%00b", "..%2f..%2fsettings", "%ff", "'%22", "x" * 3000])
def test_a_name_that_no_database_takes_names_nothing(world, callers, name):
    for place in ("prompts", "responses", "members", "rounds", "genres"):
        assert callers["lead"].get(f"{place}/{name}/").status_code == 404


def test_every_route_that_writes_is_in_the_matrix():
    writing = {
        pattern.name
        for pattern in urlpatterns
        if {"post", "put", "patch", "delete"} & set(dir(pattern.callback.cls))
    }
    assert writing - {"api_projects", "api_imports"} == set(WRITES)


# --- Annotators --------------------------------------------------------------------------------------


def test_an_annotator_is_told_the_name_of_the_project_and_their_own_rounds(world, callers):
    caller = callers["annotator"]
    assert caller.all("/api/v1/projects/") == [
        {
            "slug": "bridges",
            "name": "Bridges",
            "roles": ["annotator"],
            "url": f"http://testserver{at('')}",
            "settings": None,
        }
    ]
    cards = {card["round"]: card for card in caller.get("/api/v1/me/rounds/").json()["results"]}
    assert set(cards["Round 1"]) == {"id", "project", "round", "state", "has_work", "done", "total"}
    assert (cards["Round 1"]["done"], cards["Ranking"]["done"]) == (8, 1)
    assert cards["Round 1"]["id"] == world.work.token


def test_what_an_annotator_can_read_says_nothing_of_material_or_of_others(world, callers):
    caller = callers["annotator"]
    said = b"".join(
        caller.get(f"/api/v1/{place}").content
        for place in ("me/", "me/rounds/", "projects/", "projects/bridges/")
    ).decode()
    secrets = ("p0", "gpt", "claude", "benedict", "annotator-0", "alpha", str(world.run.pk * 1000))
    assert not [secret for secret in secrets if secret in said]


def test_who_annotates_nowhere_has_no_rounds(world, callers):
    for role in ("lead", "instructor", "stranger"):
        assert callers[role].get("/api/v1/me/rounds/").json()["results"] == []

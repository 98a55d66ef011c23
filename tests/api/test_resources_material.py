"""REST: prompts and responses of a project, found by what people know of them."""

import pytest

from tests.api.callers import BASE, Caller, at, fill, refusal_of
from tests.factories import NOW, make_import, make_project, make_prompt, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(project):
    return fill(project, is_released=False)


@pytest.fixture
def caller(world, lead):
    return Caller(lead.user)


def ids(found):
    return [row["id"] for row in found]


def test_a_prompt_is_told_with_its_requirements(caller, world):
    prompt = world.project.prompts.get(external_id="p0")
    prompt.requirements.create(position=1, kind="length", text="Ten lines.")
    told = caller.get("prompts/p0/").json()
    assert told == {
        "id": "p0",
        "language": "en",
        "genre": "fiction",
        "text": "Write about a bridge.",
        "requirements": [{"kind": "length", "text": "Ten lines."}],
        "created_at": "2026-03-02T09:00:00Z",
        "url": "http://testserver" + at("prompts/p0/"),
    }
    assert caller.get("prompts/").json()["results"][0] == told


def test_a_response_is_told_with_its_source(caller):
    told = caller.get("responses/p1-0/").json()
    assert (told["id"], told["prompt"], told["model"], told["state"]) == ("p1-0", "p1", "gpt", "active")
    assert (told["genre"], told["language"]) == ("poetry", "zh")


def test_an_id_with_slashes_and_blanks_has_an_address(caller, world):
    prompt = make_prompt(world.project, "a/b c/")
    make_response(prompt, "ü/1?#%")
    for place, name in (("prompts", "a/b c/"), ("responses", "ü/1?#%")):
        listed = next(row for row in caller.all(f"{place}/") if row["id"] == name)
        assert caller.get(listed["url"]).json() == listed


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("prompts/?genre=fiction", ["p0", "p2"]),
        ("prompts/?language=zh", ["p1", "p3"]),
        ("prompts/?genre=poetry&language=en", []),
        ("responses/?prompt=p2", ["p2-0", "p2-1"]),
        ("responses/?genre=fiction&model=gpt", ["p0-0", "p2-0"]),
        ("responses/?language=zh&model=claude", ["p1-1", "p3-1"]),
        ("responses/?state=removed", ["p0-0"]),
        ("responses/?model=nobody", []),
        ("prompts/?ordering=-id", ["p3", "p2", "p1", "p0"]),
    ],
)
def test_filters_and_orders_are_those_of_the_list(caller, world, query, expected):
    removed = world.project.responses.filter(external_id="p0-0")
    if "state" in query:
        removed.update(state="removed", removed_at=NOW)
    assert ids(caller.all(query)) == expected


@pytest.mark.parametrize(
    "query",
    [
        "source__state=stored",
        "prompt__genre__key=fiction",
        "project=tunnels",
        "id=p0",
        "genre=fiction&genre=poetry",
        "state=incoming",
        "ordering=text",
        "ordering=project__slug",
        "ordering=",
        "page_size=0",
        "page_size=501",
        "page_size=x",
        "cursor=x",
        "genre=%00",
        "expand=project",
        "fields=text",
        "search=bridge",
        "_connector=OR",
        "x.y=1",
        "a b=1",
        "%00=1",
    ],
)
def test_what_is_not_on_the_list_is_refused(caller, query):
    assert refusal_of(caller.get(f"responses/?{query}"))[0] == 400


def test_pages_have_every_row_once(caller, world):
    assert ids(caller.all("responses/?page_size=3")) == ids(caller.all("responses/?page_size=500"))
    assert len(ids(caller.all("responses/?page_size=1&ordering=-id"))) == 8


def test_pages_go_on_while_rows_come_and_go(caller, world):
    first = caller.get("prompts/?page_size=2").json()
    make_prompt(world.project, "p9")
    world.project.prompts.filter(external_id="none").delete()
    rest = caller.all(first["next"])
    assert ids(first["results"]) + ids(rest) == ["p0", "p1", "p2", "p3", "p9"]


def test_what_is_still_coming_in_does_not_exist(caller, world):
    prompt = world.project.prompts.get(external_id="p0")
    make_response(prompt, "new", source=make_import(world.project, state="storing"), state="incoming")
    assert caller.get("responses/new/").status_code == 404
    assert "new" not in ids(caller.all("responses/"))


def test_nothing_of_another_project_is_found(caller, world):
    other = make_project("tunnels")
    make_response(make_prompt(other, "theirs"), "theirs-0")
    assert caller.get("prompts/theirs/").status_code == 404
    assert caller.get("responses/theirs-0/").status_code == 404
    assert ids(caller.all("responses/?prompt=theirs")) == []


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_texts_are_never_written_here(caller, method):
    for place in ("prompts/", "prompts/p0/", "responses/", "responses/p0-0/"):
        assert getattr(caller.client, method)(BASE + place, headers=caller.headers).status_code == 405


def test_questions_to_the_database_do_not_grow_with_the_page(caller, world, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        caller.get("responses/?page_size=2")
    with django_assert_max_num_queries(12):
        assert len(caller.get("responses/?page_size=8").json()["results"]) == 8

"""Lists in pages: every row once, in an order of the list's own, whatever comes and goes meanwhile."""

import base64
import json

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from annotation.models import Prompt
from api.pagination import MOST, page_of
from api.parameters import BadCursor, BadParameter
from tests.factories import make_project, make_prompt

pytestmark = pytest.mark.django_db
ALLOWED = {"created": "pk", "language": "language", "genre": "genre__key", "id": "external_id"}


@pytest.fixture
def prompts(project):
    """Seven of two genres and languages, so that most stand beside one of the same value."""
    genres = list(project.genres.order_by("position"))
    for number in range(7):
        make_prompt(
            project, f"p{number * 3 % 7}", genre=genres[number % 2], language=("zh", "en")[number // 4]
        )
    return Prompt.objects.filter(project=project)


def page(found, query="", ordering="created"):
    url = query if query.startswith("http") else f"/list/{query}"
    request = Request(APIRequestFactory().get(url))
    return page_of(request, found, ordering=ordering, allowed=ALLOWED, row=lambda one: one.external_id).data


def walk(found, query, towards="next"):
    """(rows, the pages) from a page on."""
    told = page(found, query)
    pages = [told]
    while told[towards]:
        told = page(found, told[towards])
        pages.append(told)
    return [row for each in pages for row in each["results"]], pages


@pytest.mark.parametrize("name", ALLOWED)
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_every_row_comes_once_in_either_direction(prompts, name, sign, size):
    column = ALLOWED[name]
    expected = list(prompts.order_by(f"{sign}{column}", f"{sign}pk").values_list("external_id", flat=True))
    rows, pages = walk(prompts, f"?ordering={sign}{name}&page_size={size}")
    assert rows == expected
    assert pages[0]["previous"] is None
    assert len(pages) == -(-7 // size)
    if len(pages) > 1:
        back = [page(prompts, pages[-1]["previous"])]
        while back[-1]["previous"]:
            back.append(page(prompts, back[-1]["previous"]))
        earlier = [row for each in reversed(back) for row in each["results"]]
        assert earlier + pages[-1]["results"] == expected
        assert page(prompts, back[0]["next"])["results"] == pages[-1]["results"]


def test_rows_that_come_and_go_meanwhile_make_none_come_twice(project, prompts):
    first = page(prompts, "?page_size=3")
    make_prompt(project, "new")
    rest, _ = walk(prompts.exclude(external_id__in=first["results"][1:]), first["next"])
    assert len(rest) == len(set(rest)) == 5
    assert not set(rest) & set(first["results"])


def test_more_rows_of_one_value_than_a_page_holds_are_walked_through(project):
    for number in range(12):
        make_prompt(project, f"same-{number}", language="en")
    rows, pages = walk(Prompt.objects.filter(project=project), "?ordering=language&page_size=2")
    assert len(set(rows)) == len(rows) == 12
    assert len(pages) == 6


def test_a_list_of_nothing_is_a_page_of_nothing(project):
    assert page(Prompt.objects.filter(project=make_project())) == {
        "next": None,
        "previous": None,
        "results": [],
    }


@pytest.mark.parametrize("size", ["0", "-1", "501", "1e2", " 5", "5.0", "", "٣", "9" * 500, "true", "1\x00"])
def test_a_size_that_is_none_is_refused(prompts, size):
    with pytest.raises(BadParameter, match=f"from 1 to {MOST}"):
        page_with(prompts, page_size=size)


@pytest.mark.parametrize("name", ["pk", "external_id", "project__slug", "?", "", "--id", "id,pk", "-"])
def test_an_order_that_is_not_listed_is_refused(prompts, name):
    with pytest.raises(BadParameter, match="ordering is one of created, -created"):
        page_with(prompts, ordering=name)


def cursor_of(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        *("", "x", "%%%", "é", "AAAA", "9" * 5000, "a" * 4000, "bnVsbA"),
        *map(
            cursor_of,
            [
                None,
                {},
                [],
                ["created", 1, 1],
                ["created", 1, 1, False, 1],
                ["-created", 1, 1, False],
                ["created", 1, -1, False],
                ["created", 1, 2**63, False],
                ["created", 1, 10**90, False],
                ["created", 2**63, 1, False],
                ["created", 1, True, False],
                ["created", 1, "1", False],
                ["created", 1, 1, 0],
                ["created", "x", 1, False],
                ["created", None, 1, False],
                ["created", [1], 1, False],
                ["created", {"a": 1}, 1, False],
                ["created", 1.5, 1, False],
                ["created", True, 1, False],
                ["project__slug", "bridges", 1, False],
                [["created"], 1, 1, False],
            ],
        ),
        cursor_of(["created", "NUL", 1, False]).replace("TlVM", "AAAA"),
    ],
)
def test_a_cursor_that_is_none_is_refused(prompts, cursor):
    with pytest.raises(BadCursor):
        page_with(prompts, cursor=cursor)


def test_a_cursor_cannot_lead_out_of_the_list(prompts):
    make_prompt(make_project(), "of-another")
    cursor = cursor_of(["created", 0, 0, False])
    assert "of-another" not in page_with(prompts, cursor=cursor)["results"]


def page_with(found, **query):
    request = Request(APIRequestFactory().get("/list/", query))
    return page_of(request, found, ordering="created", allowed=ALLOWED, row=lambda one: one.external_id).data

"""The log of requests names pages, and no link that opens something."""

from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from config.access_log import AccessLog, masked

pytestmark = pytest.mark.files


@pytest.mark.parametrize("path", ["/invitations/aBc-123_x/", "/password/new/4/c7x-9f/"])
def test_a_link_that_opens_something_is_cut_short(path):
    line = masked(f"POST {path} HTTP/1.1")
    assert line == f"POST {path[: path.index('/', 1) + 1] if 'inv' in path else '/password/new/'}... HTTP/1.1"


@pytest.mark.parametrize("path", ["/", "/projects/demo/people/invitations/", "/score/token/"])
def test_every_other_page_is_named(path):
    assert masked(f"GET {path} HTTP/1.1").startswith(f"GET {path.split('invitations/')[0]}")


def test_neither_the_request_nor_where_it_came_from_is_logged_whole():
    request = SimpleNamespace(
        headers=[("REFERER", "https://plumb.example.org/invitations/secret/")], version=(1, 1), method="GET"
    )
    environ = {
        "RAW_URI": "/invitations/secret/",
        "PATH_INFO": "/invitations/secret/",
        "REQUEST_METHOD": "GET",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_REFERER": "https://plumb.example.org/invitations/secret/",
    }
    response = SimpleNamespace(status="200 OK", sent=1, headers=[])
    took = SimpleNamespace(seconds=0, microseconds=1)
    atoms = AccessLog(Config()).atoms(response, request, environ, took)
    assert "secret" not in str(atoms["r"]) + str(atoms["f"]) + str(atoms["U"])

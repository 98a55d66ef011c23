"""Every refusal under /api/ is a problem of RFC 9457, whoever refuses: a view, the framework, or what stands before."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.errors import DomainError
from annotation.services.refusals import FieldsRefused
from api import agreement, problems, views
from api.errors import handle
from curation.models import Report
from tests.api.callers import Caller

pytestmark = pytest.mark.django_db
LIST = "/api/v1/releases/"
IMPORTS = "/api/v1/projects/bridges/imports/"
ASK = "/api/v1/projects/bridges/agreement/"
PARTS = {"type", "title", "status", "detail", "code"}


@pytest.fixture
def caller(project, lead):
    return Caller(lead.user)


def told(response, status, code):
    """The problem, once it is seen to be one."""
    assert response["Content-Type"] == "application/problem+json"
    found = response.json()
    assert set(found) >= PARTS
    assert (response.status_code, found["status"], found["code"]) == (status, status, code)
    assert found["type"] == f"/api/v1/problems/{code}/"
    assert found["title"]
    assert found["detail"]
    assert "Traceback" not in response.content.decode()
    return found


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v1/nothing", "/api/v1/", "/api/v1/releases", "/api/v1/projects/bridges/nothing/?x=1"),
        *("/api/v2/releases/", "/api/", "/api", "/api/v1/releases/a/b/c/d/"),
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
def test_an_address_that_is_none(caller, path, method):
    told(caller.get(path) if method == "get" else caller.send(method, path), 404, "not_found")
    told(getattr(Client(), method)(path), 401, "not_authenticated")


def test_a_method_that_is_none(caller):
    refused = caller.send("put", LIST)
    told(refused, 405, "method_not_allowed")
    assert "GET" in refused["Allow"]


def test_a_type_that_is_not_given(caller):
    told(caller.get(LIST, accept="text/html"), 406, "not_acceptable")
    assert caller.get(LIST, accept="application/json").status_code == 200
    assert caller.get(LIST, accept="*/*").status_code == 200


def test_a_type_that_is_not_taken(caller):
    told(
        caller.post(ASK, "a=b", content_type="application/x-www-form-urlencoded"),
        415,
        "unsupported_media_type",
    )
    told(caller.post(ASK, "<a/>", content_type="application/xml"), 415, "unsupported_media_type")


def test_a_body_that_is_too_large(caller, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    told(caller.post(ASK, {"genre": "x" * 200}), 413, "too_large")


def test_a_body_that_is_none(caller):
    told(caller.post(ASK, "{"), 400, "parse_error")
    told(caller.post(ASK, b"\xff"), 400, "parse_error")
    told(caller.post(ASK, "[]"), 400, "parse_error")
    cut = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a'
    told(caller.post(IMPORTS, cut, content_type="multipart/form-data; boundary=x"), 422, "no_file")
    told(caller.post(IMPORTS, cut, content_type="multipart/form-data"), 400, "parse_error")


def test_a_parameter_that_is_not_known_or_stands_there_twice(caller):
    found = told(caller.get(f"{LIST}?user__password__startswith=a"), 400, "unknown_parameter")
    assert "user__password__startswith is not known here" in found["detail"]
    assert "page_size" in found["detail"]
    told(caller.get(f"{LIST}?page_size=1&page_size=1"), 400, "unknown_parameter")
    told(caller.send("options", f"{LIST}?x=1"), 400, "unknown_parameter")


def test_what_is_not_led_or_not_there(caller, annotator):
    told(Caller(annotator.user).get(IMPORTS), 403, "not_a_lead")
    told(caller.get(f"{IMPORTS}99/"), 404, "not_found")
    told(caller.get("/api/v1/projects/tunnels/imports/"), 404, "not_found")


def test_a_refusal_of_a_service_keeps_its_code_and_its_sentence(caller, monkeypatch):
    def refuse(*args, **kwargs):
        raise DomainError("some_rule", "The rule says no.")

    monkeypatch.setattr(agreement.reports, "request", refuse)
    assert told(caller.post(ASK), 409, "some_rule")["detail"] == "The rule says no."


def test_several_fields_are_told_one_by_one():
    refused = handle(FieldsRefused("not_accepted", {"name": "Write one.", "": "Too many."}), {})
    assert refused.data["errors"] == [
        {"field": "name", "message": "Write one."},
        {"field": "", "message": "Too many."},
    ]
    assert (refused.status_code, refused.data["detail"]) == (422, "Write one.")


def test_where_a_computation_stands_is_told_beside(caller):
    assert told(caller.get(ASK), 404, "not_computed")["newest"] is None
    caller.post(ASK)
    assert Report.objects.get()
    assert told(caller.get(ASK), 404, "not_computed_yet")["newest"]["state"] == "queued"


def test_a_fault_of_ours_has_a_reference_and_no_trace(lead, monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise RuntimeError("a secret of the house")

    caller = Caller(lead.user)
    caller.client.raise_request_exception = False
    monkeypatch.setattr(views.access, "releases", fail)
    response = caller.get(LIST)
    found = told(response, 500, "server_error")
    assert "secret" not in response.content.decode()
    reference = response["X-Reference"]
    assert found["instance"] == f"urn:plumb:{reference}"
    assert reference in caplog.text


def test_a_fault_before_any_view_is_told_in_the_same_shape(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("config.middleware.get_user", lambda request: 1 / 0)
    told(client.get(LIST), 500, "server_error")
    assert b"<html" in client.get("/").content


def test_a_host_that_is_not_ours(client):
    told(client.get(LIST, headers={"host": "elsewhere.example.org"}), 400, "bad_request")
    assert b"<html" in client.get("/", headers={"host": "elsewhere.example.org"}).content


@pytest.mark.parametrize("code", [*problems.PROBLEMS, "not_a_lead"])
def test_the_type_of_a_problem_answers_whoever_asks(client, code):
    found = client.get(reverse("api_problem", args=[code]), headers={"accept": "text/html"})
    assert (found.status_code, found["Content-Type"]) == (200, "application/json")
    assert (found.json()["type"], found.json()["code"]) == (problems.address(code), code)
    assert found.json()["title"]
    assert found.json()["description"]


def test_the_address_of_a_problem_is_the_one_that_problems_name():
    assert reverse("api_problem", args=["not_found"]) == problems.address("not_found")

"""Batch files: a request a line, and results that are read strictly, each fault with the number of its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain import batch_files
from authoring.domain.batch_files import Fault, Result, read, request_line, sort_out
from authoring.domain.chat import Answer, Failure
from tests.authoring.model_server import completion


def line(custom_id="a", *, status=200, body=None, error=None, **more):
    response = (
        None if error else {"status_code": status, "request_id": "r", "body": body or completion("Yes.")}
    )
    return json.dumps(
        {"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": error, **more}
    )


def one(text):
    (found,) = read([text.encode() if isinstance(text, str) else text])
    return found


def test_a_request_is_a_line_as_the_interface_wants_it():
    body = {"model": "tiny-1", "messages": [{"role": "user", "content": "写一座桥\nthat sings"}]}
    written = request_line("c1", body)
    assert written.count("\n") == 1
    assert json.loads(written) == {
        "custom_id": "c1",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": body,
    }
    assert "桥" in written


def test_an_answer_is_read_as_from_the_server():
    found = one(line("a"))
    assert (found.number, found.custom_id) == (1, "a")
    assert isinstance(found.found, Answer)
    assert (found.found.text, found.found.finish_reason, found.found.tokens_out) == ("Yes.", "stop", 20)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, None, "refused"),
        (429, None, "rate_limited"),
        (429, "insufficient_quota", "no_money"),
        (500, None, "server_error"),
    ],
)
def test_a_status_of_http_becomes_a_failure_with_what_the_server_said(status, code, kind):
    found = one(line(status=status, body={"error": {"message": "No.", "code": code}})).found
    assert isinstance(found, Failure)
    assert (found.kind, found.status) == (kind, status)
    assert "No." in found.detail
    assert found.detail.startswith("batch_req_1: ")


def test_a_request_that_the_batch_never_came_to_was_not_answered_in_time():
    error = {
        "code": "batch_expired",
        "message": "This request could not be executed before the batch expired.",
    }
    found = one(line(error=error)).found
    assert (found.kind, found.status) == ("timed_out", None)
    assert "expired" in found.detail


def test_any_other_error_of_the_batch_is_a_refusal():
    assert one(line(error={"code": "bad_model", "message": "No such."})).found.kind == "refused"
    assert one(line(error="Simply no.")).found.detail == "batch_req_1: Simply no."


def test_an_answer_without_choices_is_a_failure_and_not_a_fault():
    assert one(line(body={"choices": []})).found.kind == "broken_answer"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "no JSON object"),
        ('"a"', "no JSON object"),
        (b"\xff{}", "not in UTF-8"),
        ("{}", "no custom_id"),
        ('{"custom_id": 3}', "no custom_id"),
        ('{"custom_id": ""}', "no custom_id"),
        ('{"custom_id": "%s"}' % ("x" * 201), "no custom_id"),
        ('{"custom_id": "a"}', "neither a response nor an error"),
        ('{"custom_id": "a", "response": null, "error": null}', "neither a response nor an error"),
        ('{"custom_id": "a", "response": {}}', "no status_code"),
        ('{"custom_id": "a", "response": {"status_code": true, "body": {}}}', "no status_code"),
        ('{"custom_id": "a", "response": {"status_code": 20, "body": {}}}', "no status_code"),
        ('{"custom_id": "a", "response": {"status_code": 200, "body": "x"}}', "no JSON object"),
        ('{"custom_id": "a", "custom_id": "b"}', "twice"),
        ('{"custom_id": "a", "x": NaN}', "NaN"),
        (request_line("a", {"model": "tiny-1"}), "This is a request."),
    ],
)
def test_a_line_that_is_no_result_is_a_fault(text, said):
    found = one(text)
    assert isinstance(found, Fault)
    assert found.number == 1
    assert said in found.reason


def test_faults_have_the_number_of_their_line_and_blank_lines_count():
    found = list(read(["\ufeff".encode() + line("a").encode(), b"\r\n", b"{", line("b").encode()]))
    assert [(type(each).__name__, each.number) for each in found] == [
        ("Result", 1),
        ("Fault", 3),
        ("Result", 4),
    ]


def test_a_file_that_is_too_long_says_so_and_is_read_no_further(monkeypatch):
    monkeypatch.setattr(batch_files, "MOST_LINES", 2)
    found = list(read([line(name).encode() for name in "abcd"]))
    assert [each.number for each in found] == [1, 2, 3]
    assert "2 results at most" in found[2].reason


def test_unknown_and_second_lines_are_faults_and_the_first_is_taken():
    lines = [
        line("a", body=completion("First.")),
        line("x"),
        line("a", body=completion("Second.")),
        line("b"),
    ]
    found = sort_out(read(each.encode() for each in lines), {"a": 7, "b": 8, "c": 9})
    assert [(pk, answer.text) for pk, answer in found.results] == [(7, "First."), (8, "Yes.")]
    assert [fault.number for fault in found.faults] == [2, 3]
    assert 'custom_id "x"' in found.faults[0].reason
    assert "line 1" in found.faults[1].reason


@given(st.lists(st.binary(max_size=30), max_size=5))
def test_whatever_the_bytes_each_line_is_a_result_or_a_fault(lines):
    found = list(read(lines))
    assert len(found) == sum(bool(each.strip()) for each in lines) or b"\xef\xbb\xbf" in b"".join(lines)
    assert all(isinstance(each, Result | Fault) for each in found)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20), max_size=5, unique=True
    )
)
def test_what_went_out_comes_back_to_the_request_it_is_of(names):
    known = {f"-{name}": place for place, name in enumerate(names)}
    sent = [json.loads(request_line(name, {"model": "tiny-1"})) for name in known]
    found = sort_out(read(line(each["custom_id"]).encode() for each in sent), known)
    assert [pk for pk, _answer in found.results] == list(known.values())
    assert not found.faults

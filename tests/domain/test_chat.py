"""What a server may answer, and what follows from it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.chat import (
    ATTEMPTS,
    LONGEST_ASKED_WAIT,
    LONGEST_WAIT,
    MAY_PASS,
    MEANINGS,
    STOPS_ALL,
    Answer,
    Failure,
    asked_wait,
    of_status,
    read_answer,
    read_vectors,
    wait_before,
)

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "refusal", "usage", "index", "finish_reason", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def body(content, **message):
    return {"choices": [{"index": 0, "message": {"content": content, **message}, "finish_reason": "stop"}]}


@given(st.dictionaries(st.sampled_from(["choices", "usage", "model", "x"]), JSON))
def test_whatever_comes_is_an_answer_or_a_failure_and_can_be_kept(given_body):
    found = read_answer(given_body)
    assert isinstance(found, Answer | Failure)
    if isinstance(found, Answer):
        found.text.encode()
        assert "\x00" not in found.text
        json.dumps(found.raw, allow_nan=False).encode()
    else:
        assert found.kind == "broken_answer"
        found.detail.encode()


@pytest.mark.parametrize(
    ("given_body", "text", "finish"),
    [
        (body("A text."), "A text.", "stop"),
        (body(None), "", "stop"),
        (body([{"type": "text", "text": "In "}, {"type": "text", "text": "parts."}]), "In parts.", "stop"),
        (body("", refusal="No."), "No.", "refusal"),
        (body("A text.", refusal="No."), "A text.", "stop"),
        (body("a\x00b\ud800"), "ab?", "stop"),
    ],
)
def test_the_text_is_what_the_message_says(given_body, text, finish):
    found = read_answer(given_body)
    assert (found.text, found.finish_reason) == (text, finish)


@pytest.mark.parametrize(
    "usage", [None, 7, {}, {"prompt_tokens": -1}, {"prompt_tokens": True}, {"prompt_tokens": "5"}]
)
def test_tokens_that_are_no_count_are_none(usage):
    assert read_answer({**body("A text."), "usage": usage}).tokens_in is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "context_length_exceeded", "refused"),
        (400, "content_filter", "refused"),
        (401, "", "key_refused"),
        (402, "", "no_money"),
        (403, "", "key_refused"),
        (404, "model_not_found", "no_such_model"),
        (408, "", "server_error"),
        (409, "", "server_error"),
        (422, "", "refused"),
        (429, "", "rate_limited"),
        (429, "insufficient_quota", "no_money"),
        (500, "", "server_error"),
        (529, "", "server_error"),
        (301, "", "redirected"),
        (307, "", "redirected"),
    ],
)
def test_a_status_has_a_meaning(status, code, kind):
    found = of_status(status, "Said.", code=code)
    assert (found.kind, found.status, found.detail) == (kind, status, "Said.")
    assert MEANINGS[kind]


def test_what_may_pass_stops_nothing_and_every_kind_has_a_sentence():
    assert not MAY_PASS & STOPS_ALL
    assert MEANINGS.keys() > MAY_PASS | STOPS_ALL


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("40", 40),
        (" 1.5 ", 1.5),
        ("0", 0),
        ("Mon, 02 Mar 2026 09:00:30 GMT", 30),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0),
        ("999999999999999999999", LONGEST_ASKED_WAIT.total_seconds()),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("1e400", None),
        ("٤٠", None),
        ("Mon, 02 Mar 2026 09:00:30", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header, seconds):
    found = asked_wait(header, now=NOW)
    assert found == (None if seconds is None else timedelta(seconds=seconds))


@given(st.integers(1, 200), st.text(max_size=10), st.none() | st.timedeltas(timedelta(), LONGEST_ASKED_WAIT))
def test_a_wait_grows_to_a_limit_is_drawn_by_its_key_and_never_shorter_than_asked_for(attempt, key, asked):
    found = wait_before(attempt, key, asked)
    assert found == wait_before(attempt, key, asked)
    assert timedelta(seconds=2) <= found <= max(LONGEST_WAIT, asked or timedelta()) + LONGEST_WAIT / 2
    assert asked is None or found >= asked


def test_all_attempts_together_give_an_outage_a_minute():
    waits = [wait_before(attempt, "key", None) for attempt in range(1, ATTEMPTS)]
    assert sum(waits, timedelta()) >= timedelta(minutes=1)


def test_vectors_come_in_the_order_of_the_texts():
    data = [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [1.0, 2.0]}]
    assert read_vectors({"data": data}, 2) == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": "x"}],
        [{"index": 0}, {"index": 1}],
    ],
)
def test_vectors_that_are_not_one_a_text_are_a_broken_answer(data):
    assert read_vectors({"data": data}, 2).kind == "broken_answer"

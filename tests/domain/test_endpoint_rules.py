"""Which servers an end point may name, and what may go along with a request."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.endpoint_rules import address_fault, extra_fault, origin_of, read_extra

ALLOWED = ["https://models.example.org", "http://10.0.0.5:8000"]


@pytest.mark.parametrize(
    "address",
    [
        "https://models.example.org/v1",
        "https://models.example.org",
        "http://10.0.0.5:8000/api/v1/",
    ],
)
def test_an_address_on_an_allowed_server_is_taken(address):
    assert address_fault(address, ALLOWED) == ""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "Write an address"),
        ("models.example.org/v1", "Write an address"),
        ("ftp://models.example.org/v1", "Write an address"),
        ("file:///etc/passwd", "Write an address"),
        ("https://models.example.org /v1", "Write an address"),
        ("https://models.exam\nple.org/v1", "Write an address"),
        ("https://models.example.org\\@evil.example/v1", "Write an address"),
        ("https://mödels.example.org/v1", "Write an address"),
        ("http://[::1", "Write an address"),
        ("https://me:word@models.example.org/v1", "Leave the user"),
        ("https://models.example.org@evil.example/v1", "Leave the user"),
        ("https://models.example.org/v1?key=1", "Leave out"),
        ("https://models.example.org/v1#part", "Leave out"),
        ("https://models.example.org/v1?", "Leave out"),
        ("http://models.example.org/v1", "not one of the servers"),
        ("https://models.example.org:444/v1", "not one of the servers"),
        ("https://models.example.org.evil.example/v1", "not one of the servers"),
        ("http://169.254.169.254/latest", "not one of the servers"),
    ],
)
def test_any_other_address_is_refused_with_its_reason(address, said):
    assert said in address_fault(address, ALLOWED)


def test_where_no_server_is_allowed_that_is_said():
    assert "MODEL_ORIGINS is empty" in address_fault("https://models.example.org/v1", [])


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=40))
def test_whatever_is_appended_to_an_origin_stays_there_or_is_refused(rest):
    address = ALLOWED[0] + rest
    assert address_fault(address, ALLOWED) or origin_of(address) == ALLOWED[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        (" \n", {}),
        ("{}", {}),
        ('{"top_p": 0.95, "stop": ["END"]}', {"top_p": 0.95, "stop": ["END"]}),
        ('{"reasoning": {"effort": "low"}}', {"reasoning": {"effort": "low"}}),
    ],
)
def test_an_object_goes_along(text, found):
    assert read_extra(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "JSON object"),
        ("3", "JSON object"),
        ("{", "not valid JSON"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": "\\u0000"}', "NUL"),
        ('{"a": "' + "x" * 5000 + '"}', "characters"),
        ('{"model": "other"}', "A plan says this itself: model"),
        ('{"stream": true, "n": 3}', "n, stream"),
        ('{"Max_Tokens": 3}', "Max_Tokens"),
        ('{"api_key": "x"}', "'api_key' looks like a secret"),
        ('{"headers": [{"Authorization": "Bearer x"}]}', "'Authorization' looks like a secret"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        read_extra(text)


def test_a_secret_is_not_repeated():
    assert "hush" not in extra_fault({"api_key": "hush"})

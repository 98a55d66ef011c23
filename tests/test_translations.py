"""The interface in Chinese: complete, with the same placeholders, punctuated as Chinese is."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

pytestmark = pytest.mark.files

PO = Path(__file__).parent.parent / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)\w|\{\w+\}")
ASCII_AFTER_HAN = re.compile(r"[\u4e00-\u9fff][,:;?!]")


def messages():
    with PO.open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms(text):
    return [text] if isinstance(text, str) else list(text)


def test_every_sentence_is_translated_and_none_is_a_guess():
    assert [m.id for m in messages() if m.fuzzy or not all(forms(m.string))] == []
    assert len(messages()) > 150


def test_placeholders_are_those_of_the_original():
    for message in messages():
        wanted = set(PLACEHOLDER.findall(forms(message.id)[-1]))
        for form in forms(message.string):
            assert set(PLACEHOLDER.findall(form)) == wanted, message.id


def test_punctuation_after_han_is_full_width():
    assert [m.id for m in messages() for form in forms(m.string) if ASCII_AFTER_HAN.search(form)] == []

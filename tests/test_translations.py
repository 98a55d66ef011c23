"""The interface in Chinese: complete, with the same placeholders, punctuated as Chinese is."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests import check_messages

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
    assert check_messages.findings() == []
    assert len(messages()) > 1000


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ('msgid "Your work"', 'msgid "Your play"', "Your work: make messages has not collected it"),
        ('msgstr "我的工作"', 'msgstr ""', "Your work: it is not translated"),
        ('msgid "Your work"', '#, fuzzy\nmsgid "Your work"', "Your work: its translation is a guess"),
    ],
)
def test_a_sentence_that_is_missing_empty_or_guessed_is_found(tmp_path, old, new, finding):
    words = PO.read_text(encoding="utf-8")
    assert words.count(f"\n{old}\n") == 1
    damaged = tmp_path / "django.po"
    damaged.write_text(words.replace(f"\n{old}\n", f"\n{new}\n"), encoding="utf-8")
    assert finding in check_messages.findings(damaged)


def test_placeholders_are_those_of_the_original():
    for message in messages():
        wanted = set(PLACEHOLDER.findall(forms(message.id)[-1]))
        for form in forms(message.string):
            assert set(PLACEHOLDER.findall(form)) == wanted, message.id


def test_punctuation_after_han_is_full_width():
    assert [m.id for m in messages() for form in forms(m.string) if ASCII_AFTER_HAN.search(form)] == []

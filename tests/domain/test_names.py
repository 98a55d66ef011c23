"""Names and tags of languages in the one form in which they are compared and kept."""

import pytest

from annotation.domain import names

pytestmark = pytest.mark.files


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("EN", "en"),
        (" zh ", "zh"),
        ("zh_hans_cn", "zh-Hans-CN"),
        ("PT-br", "pt-BR"),
        ("es-419", "es-419"),
        ("de-1996", "de-1996"),
        ("sl-ROZAJ-biske", "sl-rozaj-biske"),
        ("yue", "yue"),
        ("english", None),
        ("中文", None),
        ("e", None),
        ("en-", None),
        ("en--US", None),
        ("en US", None),
        ("ｅｎ", None),
        ("en-" + "abcdefgh-" * 5, None),
        ("", None),
    ],
)
def test_a_language_tag_is_written_in_its_usual_spelling(written, tag):
    assert names.language_tag(written) == tag


@pytest.mark.parametrize(
    ("tag", "language", "covered"),
    [
        ("zh", "zh-Hant", True),
        ("zh", "ZH_hant", True),
        ("zh-Hant", "zh", False),
        ("en", "en", True),
        ("e", "en", False),
        ("en", "eng", False),
    ],
)
def test_a_wider_tag_covers_a_narrower_one(tag, language, covered):
    assert names.covers(tag, language) is covered


def test_names_are_kept_on_one_line_and_in_one_unicode_form():
    assert names.tidy("  Re\u0301sume\u0301 \r\n and\tmore\u3000 ") == "R\u00e9sum\u00e9 and more"


@pytest.mark.parametrize(
    ("one", "other"), [("Straße", "STRASSE"), ("e\u0301", "É"), ("a  b", "A b"), ("ﬁ", "FI")]
)
def test_names_that_read_the_same_have_the_same_key(one, other):
    assert names.key(one) == names.key(other)


@pytest.mark.parametrize("sign", ["\u202e", "\u200b", "\ufeff", "\u2066", "\x00", "\x7f"])
def test_signs_that_cannot_be_seen_are_found(sign):
    assert names.has_unseen(f"a{sign}b")
    assert not names.has_unseen("नमस्ते ‌ 家👩‍👧 a-b")

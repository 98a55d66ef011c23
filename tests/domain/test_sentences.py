import pytest

from annotation.domain.sentences import Said, as_dict, say

pytestmark = pytest.mark.files


def test_a_sentence_reads_in_english_and_knows_its_template():
    sentence = say("{n} rows are refused", n=3)
    assert sentence == "3 rows are refused"
    assert isinstance(sentence, Said)
    assert sentence.as_dict() == {"template": "{n} rows are refused", "values": {"n": 3}}


def test_a_brace_within_a_value_stays_as_it_is():
    assert say("the value {value}", value="{0.__class__}") == "the value {0.__class__}"


def test_any_sentence_can_be_kept_as_json():
    assert as_dict(say("{n} rows", n=1)) == {"template": "{n} rows", "values": {"n": 1}}
    assert as_dict("the {odd} one") == {"template": "{sentence}", "values": {"sentence": "the {odd} one"}}

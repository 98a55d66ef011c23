import pytest

from annotation.domain.sentences import Said, as_dict, as_text, from_text, say

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


def test_any_sentence_can_be_kept_as_text_and_comes_back_with_its_template():
    for sentence in (say("{n} rows of '{file}'", n=3, file='{"odd"}\x00.csv'), say("a {{}} alone")):
        again = from_text(as_text(sentence))
        assert isinstance(again, Said)
        assert (again, again.template, again.values) == (sentence, sentence.template, sentence.values)
    assert as_text(say("It was interrupted.")) == "It was interrupted."


@pytest.mark.parametrize(
    "plain",
    ["", "It was interrupted.", "3", "null", "{odd}", '{"template": "x"}', '{"template": 1, "values": {}}'],
)
def test_text_that_was_kept_without_a_template_is_the_sentence(plain):
    assert (as_text(plain), from_text(plain)) == (plain, plain)
    assert not isinstance(from_text(plain), Said)

"""What is kept of an audit: the same numbers, the same verdict, in an order of its own; and fingerprints as bytes."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain.audit import fingerprints, record
from curation.domain.audit.fingerprints import Fingerprint
from curation.domain.audit.found import COUNTS, SIGNALS, Found
from curation.domain.audit.limits import Limits, exceeded
from curation.domain.audit.record import Record
from curation.domain.audit.report import Audit, audit
from tests.domain.audit_samples import noise, pair

pytestmark = pytest.mark.files

LEAKING = [*noise(40), pair("q-leak", "As ChatGPT would say: late.", "two")]


@pytest.fixture(scope="module")
def found() -> Audit:
    earlier = [Fingerprint("old 1.0.0", "x", fingerprints.digest("two"))]
    return audit(LEAKING, earlier=earlier, replicates=200)


def kept(value: object) -> object:
    """As a database gives JSON back: with the keys of each object in another order."""
    return json.loads(json.dumps(value, sort_keys=True))


def test_what_is_kept_has_the_numbers_of_the_audit(found):
    read = Found.of(kept(found.as_dict()))
    assert dict(read.shares()) == found.shares()
    assert dict(read.counts()) == found.counts()
    assert (read.signals.pairs, read.signals.prompts, read.signals.few) == (41, 41, False)
    assert read.genres["essay"].shares == found.genres["essay"].shares()
    assert read.earlier == 1


def test_limits_say_the_same_of_an_audit_and_of_what_is_kept(found):
    for limits in (Limits(), Limits(leaks=1, earlier_exact=None), Limits(longer=Decimal(0), near=0)):
        assert exceeded(Found.of(kept(found.as_dict())), limits) == exceeded(found, limits)


def test_a_record_comes_back_and_is_written_in_one_order(found):
    made = Record(record.DONE, Limits(logistic=Decimal("0.7")), Found.of(found.as_dict()), "Meant so.")
    again = Record.from_dict(kept(made.as_dict()))
    assert again == made
    assert json.dumps(again.as_dict()) == json.dumps(made.as_dict())
    assert list(made.as_dict()["found"]["signals"])[3:] == list(SIGNALS)
    assert list(made.as_dict()["found"]["copies"]) == list(COUNTS)


def test_a_record_is_within_where_there_is_an_audit_and_no_limit_is_exceeded(found):
    numbers = Found.of(found.as_dict())
    outside = Record(record.DONE, Limits(), numbers)
    assert [each.key for each in outside.exceeded] == ["earlier_exact", "leaks"]
    assert not outside.is_within
    assert Record(record.DONE, Limits(earlier_exact=1, leaks=1), numbers).is_within
    for state in (record.NOT_DONE, record.FAILED):
        without = Record(state, Limits())
        assert (without.is_within, without.exceeded) == (False, ())
        assert Record.from_dict(kept(without.as_dict())) == without


def test_a_record_names_no_text_no_model_and_no_response(found):
    written = json.dumps(Record(record.DONE, Limits(), Found.of(found.as_dict())).as_dict())
    for name in ("ChatGPT", "q-leak", "model-a", "old 1.0.0"):
        assert name not in written


@pytest.mark.parametrize(
    ("typed", "tidied"), [(" a\n\t b ", "a b"), (" \n ", ""), ("因为\u3000如此", "因为 如此")]
)
def test_a_reason_is_kept_on_one_line(typed, tidied):
    assert record.tidy(typed) == tidied


# --- fingerprints ----------------------------------------------------------------------------------------

TEXTS = st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(max_size=40)), max_size=6)


@given(TEXTS)
@settings(max_examples=30, deadline=None)
def test_fingerprints_come_back_from_bytes_but_for_those_of_nothing(texts):
    made = list(fingerprints.of_texts("old 1.0.0", texts))
    read = list(fingerprints.from_bytes("old 1.0.0", fingerprints.to_bytes(made)))
    assert read == [each for each in made if each.digest]


def test_bytes_that_were_cut_off_are_refused():
    content = fingerprints.to_bytes(fingerprints.of_texts("old 1.0.0", [("r", "The bridge fell.")]))
    with pytest.raises(ValueError, match="are not the fingerprints of 1 texts"):
        list(fingerprints.from_bytes("old 1.0.0", content[:-1]))

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.ledger import Ledger, Meeting, folded

pytestmark = pytest.mark.files


def test_an_id_is_new_the_first_time_and_known_with_its_place_the_next():
    ledger = Ledger()
    assert ledger.meet("r1", b"text", file=2, line=7) is None
    assert ledger.meet("r1", b"text", file=3, line=1) == Meeting(True, True, file=2, line=7)
    assert ledger.meet("r1", b"other", file=3, line=2) == Meeting(True, False, file=2, line=7)
    assert ledger.meet("r1", b"text", file=2, line=7) is not None
    assert len(ledger) == 1


@pytest.mark.parametrize(
    "other", ["R1é", unicodedata.normalize("NFD", "r1é"), unicodedata.normalize("NFD", "R1É")]
)
def test_ids_that_differ_in_case_or_unicode_form_meet_as_such(other):
    ledger = Ledger()
    ledger.meet("r1é", line=1)
    met = ledger.meet(other, line=2)
    assert met is not None
    assert not met.same_name
    assert ledger.has("r1é")
    assert not ledger.has(other)


def test_what_is_stored_already_has_no_line():
    ledger = Ledger()
    ledger.meet("r1")
    met = ledger.meet("r1", line=4)
    assert met is not None
    assert met.line == 0


@given(st.lists(st.text(min_size=1, max_size=12), max_size=30))
def test_exactly_the_ids_that_were_met_are_had(names):
    ledger = Ledger()
    kept: dict[str, str] = {}
    for line, name in enumerate(names, start=1):
        assert (ledger.meet(name, line=line) is None) == (folded(name) not in kept)
        kept.setdefault(folded(name), name)
    assert all(ledger.has(name) == (kept[folded(name)] == name) for name in names)

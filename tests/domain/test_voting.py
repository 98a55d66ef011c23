"""A vote is an act on a pair; the order in which the two were shown is kept and makes no other vote."""

import pytest

from annotation.domain.records import InputError
from annotation.domain.scoring import additions
from annotation.domain.voting import pair_of, preferred_of, told, vote

pytestmark = pytest.mark.files


@pytest.mark.parametrize("preferred", ["a", "b", "tie"])
@pytest.mark.parametrize("pair", [("x", "y"), ("y", "x")])
def test_a_vote_keeps_what_was_shown_and_what_was_preferred(pair, preferred):
    found = vote(*pair, annotator="ann", preferred=preferred)
    assert (pair_of(found), preferred_of(found)) == (pair, preferred)


def test_the_same_choice_with_the_sides_exchanged_is_the_same_vote():
    assert vote("x", "y", annotator="ann", preferred="a") == vote("y", "x", annotator="ann", preferred="b")
    assert vote("x", "y", annotator="ann", preferred="a") != vote("y", "x", annotator="ann", preferred="a")


@pytest.mark.parametrize(
    ("lines", "words", "said"),
    [
        ((3, 5), ("", ""), "votes otherwise on 'x' and 'y' on line 3"),
        ((0, 5), ("", ""), "votes otherwise on 'x' and 'y' as stored"),
        ((3, 5), ("Dull.", "Flat."), "justifies the vote on 'x' and 'y' in several ways"),
    ],
)
def test_what_cannot_be_put_in_order_is_said_of_votes(lines, words, said):
    choices = ("a", "a") if words[0] else ("a", "b")
    one, other = (
        vote("x", "y", annotator="ann", preferred=choice, justification=word, line=line)
        for choice, word, line in zip(choices, words, lines, strict=True)
    )
    stored, acts = ([one], [other]) if not one.line else ([], [one, other])
    with pytest.raises(InputError) as caught:
        additions(stored, acts)
    assert said in told(caught.value)
    assert "\0" not in told(caught.value)

"""References to paragraphs, and the pieces a text falls into by them."""

import pytest

from annotation.domain.citations import Piece, pieces

pytestmark = pytest.mark.files


def test_a_paragraph_that_there_is_is_referred_to():
    assert pieces("See ¶2 and ¶ 3.", paragraphs=3) == (
        Piece("See "),
        Piece("¶2", 2),
        Piece(" and "),
        Piece("¶ 3", 3),
        Piece("."),
    )


@pytest.mark.parametrize("text", ["See ¶4.", "See ¶0.", "Only words.", "¶"])
def test_what_names_no_paragraph_stays_plain(text):
    assert pieces(text, paragraphs=3) == (Piece(text),)


@pytest.mark.parametrize("text", ["", "¶1", "第¶1段与¶2段", "a ¶9 b ¶1", "¶1¶2"])
def test_the_pieces_make_up_the_text(text):
    assert "".join(piece.text for piece in pieces(text, paragraphs=2)) == text

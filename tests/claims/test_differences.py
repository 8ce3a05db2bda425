from hypothesis import given
from hypothesis import strategies as st

from aipk_core.claims.differences import word_difference


def test_whole_words_are_compared():
    assert word_difference("The pump runs at 12 bar.", "The pump runs at 120 bar.") == [
        ("same", "The pump runs at "),
        ("gone", "12"),
        ("new", "120"),
        ("same", " bar."),
    ]


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_pieces_give_both_texts_back(old, new):
    pieces = word_difference(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == old
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == new


def test_long_texts_are_not_compared():
    old, new = "a " * 3000, "b " * 3000
    assert word_difference(old, new) == [("gone", old), ("new", new)]

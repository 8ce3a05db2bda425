"""What changed between two texts, word by word, in a form that pages and terminals can show."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_PIECES = 2000


class Piece(NamedTuple):
    """A run of text that both have (``same``), that only the old one has (``gone``), or only the new one (``new``)."""

    kind: Literal["same", "gone", "new"]
    text: str


def word_difference(old: str, new: str) -> list[Piece]:
    """The pieces in reading order: those that are ``same`` or ``gone`` give ``old``, those ``same`` or ``new`` give
    ``new``. Texts of more than 2000 words are not compared, but shown as wholly replaced."""
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    if len(before) > _MAX_PIECES or len(after) > _MAX_PIECES:
        return [Piece("gone", old), Piece("new", new)]
    pieces: list[Piece] = []
    for operation, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation == "equal":
            pieces.append(Piece("same", "".join(before[a:b])))
            continue
        if b > a:
            pieces.append(Piece("gone", "".join(before[a:b])))
        if d > c:
            pieces.append(Piece("new", "".join(after[c:d])))
    return pieces

"""Long evidence cut into sentences, so that a statement is compared with the few that concern it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aipk_core.text.sentences import split_sentences
from aipk_core.verify.model import VerifiableClaim

LONG_CLAIM = 280
"""Characters from which a claim is read sentence by sentence."""
MAX_PIECES = 2000


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a claim's text: ``claim.text[offset : offset + len(piece.text)] == piece.text``."""

    claim: VerifiableClaim
    piece: VerifiableClaim
    offset: int


def passages_of(claims: Sequence[VerifiableClaim]) -> list[Passage]:
    """Every claim as it is, or its sentences when it is long; ids of pieces are made unique."""
    found: list[Passage] = []
    for number, claim in enumerate(claims):
        if len(claim.text) <= LONG_CLAIM:
            found.append(Passage(claim, replace(claim, id=f"{number}:0"), 0))
            continue
        for part, span in enumerate(split_sentences(claim.text, claim.lang)[:MAX_PIECES]):
            piece = replace(claim, id=f"{number}:{part}", text=claim.text[span.start : span.end])
            found.append(Passage(claim, piece, span.start))
    return found

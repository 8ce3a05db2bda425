"""Cut long evidence down to the sentences that matter for one statement.

The learned judge reads a bounded number of tokens. Handing it the first ones of a long text would judge a statement by the
wrong sentences, so the ones that share the rarest words with the statement are kept, in their original order. Training and
inference call the same function: a model must see at work what it saw in training.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

MAX_PIECES = 400
"""Sentences of one evidence text that are looked at; what lies beyond is too far from a claim to be one."""

_BREAK = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9\u00c0-\uffff])|\n+|(?<=[。！？])")
_WORD = re.compile(r"\w+")


def rough_sentences(text: str) -> list[str]:
    """Pieces of ``text`` for windows only: offsets are not kept, and a wrong cut costs a little context, no span."""
    return [piece for part in _BREAK.split(text) if (piece := part.strip())]


def focus(evidence: str, statement: str, budget: int, cost: Callable[[Sequence[str]], list[int]]) -> str:
    """The part of ``evidence`` that best covers ``statement`` within ``budget`` tokens.

    Args:
        cost: token counts of a list of texts, without special tokens.
    """
    if len(evidence) <= budget:  # a token is at least a character
        return evidence
    pieces = rough_sentences(evidence)[:MAX_PIECES] or [evidence]
    costs = cost(pieces)
    if sum(costs) <= budget:
        return evidence
    words = [_stems(piece) for piece in pieces]
    wanted = _stems(statement)
    seen_in = {stem: sum(stem in piece for piece in words) for stem in wanted}
    weight = {stem: math.log(1 + len(pieces) / (1 + count)) for stem, count in seen_in.items()}
    chosen: set[int] = set()
    covered: set[str] = set()
    left = budget
    while len(chosen) < len(pieces):
        best, gain = -1, -1.0
        for index, piece in enumerate(words):
            if index in chosen or (costs[index] > left and chosen):
                continue
            shared = piece & wanted
            value = sum(weight[stem] * (1.0 if stem not in covered else 0.25) for stem in shared)
            value += 0.05 * (index - 1 in chosen) + 0.02 * (index + 1 in chosen)  # neighbours resolve pronouns
            if value > gain:
                best, gain = index, value
        if best < 0 or (gain < 0.02 and chosen):
            break
        chosen.add(best)
        covered |= words[best] & wanted
        left -= costs[best]
        if left <= 0:
            break
    return " ".join(pieces[index] for index in sorted(chosen))


def _stems(text: str) -> set[str]:
    """Lower-case word beginnings: enough to see that "commissioned" and "commissioning" are one thing."""
    return {word[:6] for word in _WORD.findall(text.lower()) if len(word) > 2 or word.isdigit()}

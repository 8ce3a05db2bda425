"""Small edits: a statement that follows a claim word by word, but for a word or two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from aipk_core.verify.alignment import Alignment, word_relation
from aipk_core.verify.analysis import Analysis
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.stopwords import stopwords
from aipk_core.verify.lexicon.wordnet import Relation, wordnet

_NEAR_COPY = 0.6
"""Share of the statement's tokens that must stand in the claim in the same order."""
_TOKEN = re.compile(r"`[^`]+`|[^\W_]+(?:[.,:/'’+-][^\W_]+)*|[%°€$£]")
_MAX_TOKENS = 120


def check_edits(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    mine = _tokens(statement)
    if (
        len(mine) > _MAX_TOKENS
        or len(mine) < 3
        or (not statement.text.isascii() and statement.lang not in ("de", "fr", "es", "en"))
    ):
        return
    best: tuple[float, int, list[tuple[str, int, int]], Sequence[tuple[str, int, int, int, int]]] | None = None
    for number, claim in enumerate(alignment.claims):
        theirs = _tokens(claim)[: 2 * _MAX_TOKENS]
        matcher = SequenceMatcher(None, [t[0] for t in mine], [t[0] for t in theirs], autojunk=False)
        share = sum(block.size for block in matcher.get_matching_blocks()) / len(mine)
        if best is None or share > best[0]:
            best = (share, number, theirs, matcher.get_opcodes())
    if best is None or best[0] < _NEAR_COPY:
        return
    _, number, theirs, codes = best
    for tag, a, b, c, d in codes:
        if tag != "replace" or b - a > 4 or d - c > 6:
            continue
        yield from _replacement(
            alignment, number, mine[a:b], theirs[c:d], first=a == 0 or all(_is_function(t[0]) for t in mine[:a])
        )


def _replacement(
    alignment: Alignment,
    number: int,
    mine: list[tuple[str, int, int]],
    theirs: list[tuple[str, int, int]],
    *,
    first: bool,
) -> Iterator[Finding]:
    here = [token for token in mine if not _is_function(token[0]) and not token[0][:1].isdigit()]
    there = [token for token in theirs if not _is_function(token[0]) and not token[0][:1].isdigit()]
    if not here or not there:
        return
    claim = alignment.claims[number]
    known = [word for claim_ in alignment.claims for word in claim_.words]
    everything = " ".join(claim_.lowered for claim_ in alignment.claims)
    new = [
        token
        for token in here
        if token[0] not in everything and not any(_near(token[0], word.norm, alignment.statement.lang) for word in known)
    ]
    if cues.LEXICAL_DENIAL.search(alignment.statement.text[mine[0][1] : mine[-1][2]]):
        return
    gone = [
        token
        for token in there
        if not any(_near(word.norm, token[0], claim.lang) for word in alignment.statement.words)
    ]
    if (
        not new
        or not gone
        or not any(_nominal(token[0]) for token in new)
        or not any(_nominal(token[0]) for token in gone)
    ):
        return
    span, other = (new[0][1], new[-1][2]), (gone[0][1], gone[-1][2])
    said, says = alignment.statement.text[slice(*span)], claim.text[slice(*other)]
    if first:
        yield Finding("entity", f"the claim speaks of “{says}”, not of “{said}”", span, number, other, unsupported=True)
    else:
        yield Finding("entity", f"“{said}” here, “{says}” in the claim", span, number, other, contradicts=True)


def _tokens(analysis: Analysis) -> list[tuple[str, int, int]]:
    return [(match[0].casefold(), match.start(), match.end()) for match in _TOKEN.finditer(analysis.text)]


def _is_function(token: str) -> bool:
    return token in stopwords("en")


def _near(a: str, b: str, lang: str) -> bool:
    from aipk_core.verify.analysis import stem_of

    return word_relation(stem_of(a, lang), a, stem_of(b, lang), b) >= Relation.NARROWER


def _nominal(token: str) -> bool:
    """A noun, an adjective or a name: what can be exchanged for another without changing the sentence's form."""
    return wordnet().nominal(token)

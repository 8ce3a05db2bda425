"""Small edits: a statement that follows a claim word by word, but for a word or two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.analysis import KEPT, Analysis, stem_of
from aipk_core.verify.checks.quantity import WEAK
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexemes import lexeme, word_relation
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.stopwords import stopwords
from aipk_core.verify.lexicon.wordnet import Relation, wordnet
from aipk_core.verify.quantities import Quantity
from aipk_core.verify.segments import segments_of

_QUANTITY = "#"
_SAME_FORM = 0.8
_NEAR_COPY = 0.6
"""Share of the statement's tokens that must stand in the claim in the same order."""
_ALL_MOVED = 4
"""Quantities from which a statement that has all of the claim's own tells it in another order rather than wrongly."""
_TOKEN = re.compile(r"`[^`]+`|[^\W_]+(?:[.,:/'’+-][^\W_]+)*|[%°€$£]")
_MAX_TOKENS = 120


def check_edits(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if statement.lang not in ("en", "de", "fr", "es", "ru"):
        return
    mine = _tokens(statement)
    theirs = [_tokens(claim)[: 2 * _MAX_TOKENS] for claim in alignment.claims]
    spans = [(0, len(statement.text))]
    segments = segments_of(statement)
    if len(segments) > 1:
        spans += [(segment.start, segment.end) for segment in segments]
    for start, end in spans:
        tokens = [token for token in mine if start <= token[1] < end]
        if 3 <= len(tokens) <= _MAX_TOKENS:
            found = list(_compare(alignment, tokens, theirs, whole=start == 0))
            if found:
                yield from found
                return


def _compare(alignment: Alignment, mine: list[_Token], theirs: list[list[_Token]], *, whole: bool) -> Iterator[Finding]:
    """Differences to the claim that the tokens follow most closely."""
    best: tuple[float, int, SequenceMatcher[str]] | None = None
    own = [token[0] for token in mine]
    counts = Counter(own)
    for number, tokens in enumerate(theirs):
        known = _counts(alignment.claims[number])
        at_most = sum(min(count, known[stem]) for stem, count in counts.items() if stem in known) / len(own)
        if at_most < _NEAR_COPY or (best is not None and at_most <= best[0]):
            continue  # in whatever order: too few of the same tokens
        matcher = SequenceMatcher(None, own, [t[0] for t in tokens], autojunk=False)
        share = sum(block.size for block in matcher.get_matching_blocks()) / len(own)
        if best is None or share > best[0]:
            best = (share, number, matcher)
    if best is None or best[0] < _NEAR_COPY:
        return
    share, number, matcher = best
    lang = alignment.statement.lang
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "replace" and b - a <= 4 and d - c <= 6:
            first = whole and all(_is_function(token[0], lang) for token in mine[:a])
            yield from _replacement(alignment, number, mine[a:b], theirs[number][c:d], first=first)
        elif tag == "delete" and share >= _NEAR_COPY:
            yield from _insertion(alignment, mine[a:b])
        elif tag == "equal" and share >= _SAME_FORM:
            yield from _values_in_place(alignment, number, mine, theirs[number], (a, b, c))


def _insertion(alignment: Alignment, added: list[_Token]) -> Iterator[Finding]:
    """Words put into the claim's own sentence that no claim has."""
    lang = alignment.statement.lang
    told = [token for token in added if _tells(token[0], lang)]
    new = _unknown(alignment, told)
    if new and len(new) * 2 > len(told) and (len(new) > 1 or _nominal(new[0][0])):
        span = (added[0][1], added[-1][2])
        said = alignment.statement.text[slice(*span)]
        yield Finding("addition", f"no claim adds “{said}”", span, unsupported=True)


def _values_in_place(
    alignment: Alignment, number: int, mine: list[_Token], theirs: list[_Token], block: tuple[int, int, int]
) -> Iterator[Finding]:
    """Two quantities in the same place of the same words must be equal, even if the value stands elsewhere in the claim."""
    a, b, c = block
    for i in range(a, b):
        here, there = mine[i], theirs[c + i - a]
        follows = i + 2 < b or (b == len(mine) and c + b - a == len(theirs))
        if here[0] != _QUANTITY or not follows:
            continue
        quantity = next((q for q in alignment.statement.quantities if q.start == here[1]), None)
        other = next((q for q in alignment.claims[number].quantities if q.start == there[1]), None)
        if quantity and quantity.text.casefold() in WEAK:
            continue
        if (
            quantity
            and other
            and (
                {quantity.kind, other.kind} <= {"label", "version"} or len(alignment.statement.quantities) >= _ALL_MOVED
            )
            and _only_moved(alignment, number, other)
        ):
            continue  # "edition 4 supersedes edition 3": names that changed places, which the checks of roles look at
        if (
            quantity
            and other
            and quantity.key == other.key
            and quantity.comparable(other)
            and not quantity.same_as(other)
        ):
            message = f"“{quantity.text}” here, “{other.text}” in the same place of the claim"
            yield Finding("quantity", message, (quantity.start, quantity.end), number, (other.start, other.end), True)
            return


def _only_moved(alignment: Alignment, number: int, other: Quantity) -> bool:
    """Whether the statement names everything that the claim has in its own way: both texts have the same values."""
    mine = alignment.statement.quantities
    theirs = alignment.claims[number].quantities
    return all(any(q.same_as(o) for o in theirs) for q in mine) and any(other.same_as(q) for q in mine)


def _replacement(
    alignment: Alignment,
    number: int,
    mine: list[tuple[str, int, int]],
    theirs: list[tuple[str, int, int]],
    *,
    first: bool,
) -> Iterator[Finding]:
    lang = alignment.statement.lang
    here = [token for token in mine if _tells(token[0], lang)]
    there = [token for token in theirs if _tells(token[0], lang)]
    if not here or not there:
        return
    claim = alignment.claims[number]
    # a word that has its equal on the other side cannot be the counterpart of another one as well
    new = _unknown(alignment, here)
    if not new:
        return
    stems = frozenset().union(*(claim_.stems for claim_ in alignment.claims))
    own = [word for word in alignment.statement.words if word.stem not in stems]
    if cues.LEXICAL_DENIAL.search(alignment.statement.text[mine[0][1] : mine[-1][2]]):
        return
    gone = [
        token
        for token in there
        if token[0] not in alignment.statement.stems and not any(_near(word.norm, token[0], claim.lang) for word in own)
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
    if first or not any(_rivals(alignment, a, b) for a in new for b in gone):
        yield Finding("entity", f"the claim speaks of “{says}”, not of “{said}”", span, number, other, unsupported=True)
    else:
        yield Finding("entity", f"“{said}” here, “{says}” in the claim", span, number, other, contradicts=True)


def _unknown(alignment: Alignment, tokens: list[_Token]) -> list[_Token]:
    """Those of the tokens that no claim has in any form, nor a near word that has no equal of its own."""
    everything = " ".join(claim.lowered for claim in alignment.claims)
    unknown = [token for token in tokens if token[0] not in everything]
    if not unknown:
        return []
    lang, stems = alignment.statement.lang, alignment.statement.stems
    norms = {word.norm for claim in alignment.claims for word in claim.words if word.stem not in stems}
    known = frozenset(lexeme(norm, stem_of(norm, lang)) for norm in norms)
    return [
        token
        for token in unknown
        if not any(
            relation >= Relation.BROADER
            for relation in lexeme(token[0], stem_of(token[0], lang)).related(known).values()
        )
    ]


_Token = tuple[str, int, int]


@lru_cache(maxsize=KEPT)
def _tokens(analysis: Analysis) -> list[_Token]:
    """Stems and function words in order; a quantity is one token, whatever its value."""
    quantities = analysis.quantities
    tokens: list[_Token] = [(_QUANTITY, q.start, q.end) for q in quantities]
    functions, lang = stopwords(analysis.lang), analysis.lang
    for match in _TOKEN.finditer(analysis.text):
        start, end = match.span()
        if not (quantities and any(q.start < end and start < q.end for q in quantities)):
            word = match[0].casefold()
            tokens.append((word if word in functions else stem_of(word, lang), start, end))
    if quantities:
        tokens.sort(key=lambda token: token[1])
    return tokens


@lru_cache(maxsize=KEPT)
def _counts(analysis: Analysis) -> Counter[str]:
    return Counter(token[0] for token in _tokens(analysis)[: 2 * _MAX_TOKENS])


def _tells(token: str, lang: str) -> bool:
    return token != _QUANTITY and not _is_function(token, lang) and not token[:1].isdigit()


def _is_function(token: str, lang: str) -> bool:
    return token in stopwords(lang)


def _near(a: str, b: str, lang: str) -> bool:
    return word_relation(stem_of(a, lang), a, stem_of(b, lang), b) >= Relation.BROADER


def _rivals(alignment: Alignment, mine: _Token, theirs: _Token) -> bool:
    """Whether one excludes the other: two names, two opposites, two kinds of one thing."""
    here, there = alignment.statement.text[mine[1] : mine[2]], ""
    for claim in alignment.claims:
        if claim.text[theirs[1] : theirs[2]].casefold().startswith(theirs[0][:3]):
            there = claim.text[theirs[1] : theirs[2]]
    if here[:1].isupper() and there[:1].isupper():
        return True
    return wordnet().relation(mine[0], theirs[0]) in (Relation.OPPOSITE, Relation.SIBLING)


def _nominal(token: str) -> bool:
    """A noun, an adjective or a name: what can be exchanged for another without changing the sentence's form."""
    return wordnet().nominal(token)

"""Word forms, each known once, and how any two of them stand to each other.

Comparing two words by the dictionary takes some microseconds, and an answer asks for thousands of pairs, most of which have
nothing to do with each other. A form therefore keeps marks of what it is (its senses, base forms, beginning) and of what it
reaches (broader senses, opposites, words derived from it, its endings). Unless one form is something that the other
reaches, they are unrelated, which two looks tell.
"""

from __future__ import annotations

import threading
from collections import Counter
from functools import lru_cache

from aipk_core.verify.lexicon.wordnet import Relation, wordnet

_FORMS = 60_000
"""Forms that are kept; the language has more, an answer and its claims have not."""
_PAIRS = 1_000_000
"""Pairs of forms whose relation is remembered (about 100 MB); then all are forgotten."""
_SHORTEST_ROOT = 5
_SHORTEST_FOREIGN_ROOT = 3


class Lexeme:
    """A form: ``norm`` as it is written, ``stem`` what its inflected forms share. Equal forms are one object while kept.

    Attributes:
        relations: forms that it was compared with.
        near: those of them that it has a relation to.
    """

    __slots__ = ("_marks", "ascii", "near", "norm", "relations", "stem")

    def __init__(self, norm: str, stem: str) -> None:
        self.norm, self.stem = norm, stem
        self.ascii = norm.isascii() and stem.isascii()
        self.relations: dict[Lexeme, Relation] = {}
        self.near: set[Lexeme] = set()
        self._marks: tuple[frozenset[str], frozenset[str]] | None = None

    def relation(self, other: Lexeme) -> Relation:
        """How this form stands to ``other``: it says more or less, or the contrary."""
        known = self.relations.get(other)
        if known is None:
            known = self._remember(other, self.relations, self.near)
            _count_pairs(self, 1)
        return known

    def related(self, others: frozenset[Lexeme]) -> dict[Lexeme, Relation]:
        """Those of ``others`` that this form has a relation to."""
        relations, near = self.relations, self.near  # another thread may begin new ones
        if unknown := others.difference(relations):
            own, reach = self._marks or self.marks()
            for other in unknown:
                theirs, their_reach = other._marks or other.marks()
                if own.isdisjoint(their_reach) and theirs.isdisjoint(reach):
                    relations[other] = Relation.NONE
                else:
                    self._remember(other, relations, near)
            _count_pairs(self, len(unknown))
        found = others & near
        return {other: relations[other] for other in found} if found else {}

    def _remember(self, other: Lexeme, relations: dict[Lexeme, Relation], near: set[Lexeme]) -> Relation:
        found = self._compare(other)
        if found is not Relation.NONE:
            near.add(other)
        relations[other] = found
        return found

    def in_dictionary(self, other: Lexeme) -> Relation:
        """What the dictionary alone says; both forms in ASCII letters."""
        if self._apart(other):
            return Relation.NONE
        return wordnet().relation(self.norm, other.norm)

    def _compare(self, other: Lexeme) -> Relation:
        if self.stem == other.stem or self.norm == other.norm:
            return Relation.SAME
        if self._apart(other):
            return Relation.NONE
        if self.norm.isascii() and other.norm.isascii():
            relation = wordnet().relation(self.norm, other.norm)
            if relation in (Relation.NONE, Relation.SIBLING) and _same_root(self.stem, other.stem):
                return Relation.DERIVED
            return relation
        return Relation.SAME if _same_root(self.stem, other.stem) else Relation.NONE

    def _apart(self, other: Lexeme) -> bool:
        """Whether the marks tell that there is no relation."""
        own, reach = self.marks()
        theirs, their_reach = other.marks()
        return own.isdisjoint(their_reach) and theirs.isdisjoint(reach)

    def marks(self) -> tuple[frozenset[str], frozenset[str]]:
        """Marks of what the form is, and of what it reaches."""
        if self._marks is None:
            own, reach = wordnet().marks(self.norm) if self.norm.isascii() else (frozenset(), frozenset())
            both = {"=" + self.stem, "=" + self.norm}
            short = "^" + self.stem[:_SHORTEST_FOREIGN_ROOT]
            if not self.ascii:
                both.add(short)
            elif len(self.stem) >= _SHORTEST_ROOT:
                both.add("^" + self.stem[:_SHORTEST_ROOT])
            self._marks = own | both | {short}, reach | both  # two ASCII forms do not meet in the short beginning alone
        return self._marks


_compared: Counter[Lexeme] = Counter()
"""How many pairs each form remembers."""
_lock = threading.Lock()


def _count_pairs(form: Lexeme, pairs: int) -> None:
    global _pairs
    with _lock:
        _compared[form] += pairs
        _pairs += pairs
        if _pairs > _PAIRS:
            for known in _compared:
                known.relations, known.near = {}, set()
            _compared.clear()
            _pairs = 0


_pairs = 0


@lru_cache(maxsize=_FORMS)
def lexeme(norm: str, stem: str) -> Lexeme:
    """The form with this spelling and stem."""
    return Lexeme(norm, stem)


def word_relation(stem: str, norm: str, other_stem: str, other_norm: str) -> Relation:
    """How two words stand to each other, each given by its stem and its form."""
    return lexeme(norm, stem).relation(lexeme(other_norm, other_stem))


def _same_root(a: str, b: str) -> bool:
    """Long common beginnings: invest- in ``investigator`` and ``investigation``, also in languages without a table."""
    shorter = min(len(a), len(b))
    common = 0
    while common < shorter and a[common] == b[common]:
        common += 1
    if not a.isascii():
        return (
            common >= _SHORTEST_FOREIGN_ROOT
            and common >= 0.6 * shorter
            and any((char.isalpha() and ord(char) < 0x2E80) or "가" <= char <= "힣" for char in a)
        )
    return common >= _SHORTEST_ROOT and common >= 0.7 * shorter

"""Lemmas and word relations of English, from a table made of Princeton WordNet 3.0 (see ``wordnet-LICENSE.txt``).

``scripts/build_wordnet_table.py`` makes the table. It is read once, on first use (about half a second), and never changes.
"""

from __future__ import annotations

import gzip
from enum import IntEnum
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from aipk_core.verify.lexicon.opposites import OPPOSITES
from aipk_core.verify.once import once


class Relation(IntEnum):
    """How close two words are, from nothing to the same word; ``OPPOSITE`` stands apart."""

    OPPOSITE = -1
    NONE = 0
    SIBLING = 1  # two kinds of the same thing: brush, broom
    NARROWER = 2  # the first word says more than the second: workboat, boat
    BROADER = 3  # the first word says less than the second: boat, workboat
    DERIVED = 4  # commission, commissioning
    SYNONYM = 5
    SAME = 6


class _Senses(NamedTuple):
    """The most frequent senses of a lemma in one part of speech, and what they touch; ``first`` are two of them."""

    ids: frozenset[str]
    first: frozenset[str]
    similar: frozenset[str]
    above: frozenset[str]
    far: frozenset[str]

    def relation(self, other: _Senses) -> Relation:
        if not self.first.isdisjoint(other.similar) or not other.first.isdisjoint(self.similar):
            return Relation.DERIVED
        if not other.far.isdisjoint(self.ids):
            return Relation.BROADER
        if not self.far.isdisjoint(other.ids):
            return Relation.NARROWER
        return Relation.NONE if self.above.isdisjoint(other.above) else Relation.SIBLING


class _Entry(NamedTuple):
    """All senses of a lemma; ``by_pos`` has nothing for a part of speech that it cannot be; ``reach`` is all they touch."""

    senses: frozenset[str]
    by_pos: tuple[_Senses | None, ...]
    reach: frozenset[str]
    derived: frozenset[str]


class WordNet:
    """Relations between single English words, all lower case."""

    def __init__(self) -> None:
        # Values stay one string each, with commas, until a word is asked for: a table of strings loads quickly and does
        # not occupy the garbage collector.
        self._senses: dict[str, str] = {}
        self._broader: dict[str, str] = {}
        self._similar: dict[str, str] = {}
        self._opposite: dict[str, str] = {}
        self._derived: dict[str, str] = {}
        self._forms: dict[str, str] = {}
        table = gzip.decompress(files(__package__).joinpath("wordnet.tsv.gz").read_bytes()).decode()
        whole = {"w": self._senses, "b": self._broader, "s": self._similar}
        for line in table.splitlines():
            mark, _, rest = line.partition("\t")
            key, _, values = rest.partition("\t")
            if mark in whole:
                whole[mark][key] = values
            elif mark == "o":
                _append(self._opposite, key, values)
                _append(self._opposite, values, key)
            elif mark == "d":
                _append(self._derived, key, values)
                _append(self._derived, values, key)
            elif mark == "x":
                _append(self._forms, key, values)
        for line in OPPOSITES.strip().splitlines():
            left, right = (side.split() for side in line.split("|"))
            for a in left:
                for b in right:
                    _append(self._opposite, a, b)
                    _append(self._opposite, b, a)

    def __contains__(self, word: str) -> bool:
        return word in self._senses

    def nominal(self, word: str) -> bool:
        """Whether ``word`` can be a noun, an adjective or a name that is in no dictionary, rather than only a verb."""
        senses = [sense for lemma in self._lemmas(word) for sense in _listed(self._senses, lemma)]
        return not senses or any(sense[0] in "na" for sense in senses)

    def lemmas(self, word: str) -> tuple[str, ...]:
        """Base forms that ``word`` (lower case) may stand for, the word itself first if it is one."""
        return self._lemmas(word)

    @lru_cache(maxsize=50_000)  # noqa: B019 - one instance lives as long as the process
    def _lemmas(self, word: str) -> tuple[str, ...]:
        found = [word] if word in self._senses else []
        found += [form[1:] for form in _listed(self._forms, word)]
        for ending, replacement in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 2:
                stem = word[: -len(ending)]
                candidates = [stem + replacement]
                if not replacement and ending in ("ed", "ing", "er", "est") and len(stem) > 2 and stem[-1] == stem[-2]:
                    candidates.append(stem[:-1])
                found += [base for base in candidates if self._has_pos(base, _POS_OF_ENDING[ending])]
        return tuple(dict.fromkeys(found)) or (word,)

    def _has_pos(self, base: str, kinds: str) -> bool:
        return any(sense[0] in kinds for sense in _listed(self._senses, base))

    def marks(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        """What a word is and what it points to: two words have no relation unless one is something that the other points to."""
        own: set[str] = set()
        others: set[str] = set()
        for lemma in {word, *self._lemmas(word)}:
            entry = self._entry(lemma)
            own |= entry.senses | {f"={lemma}"} | {f"~{other}" for other in entry.derived}
            for senses in entry.by_pos:
                if senses is not None:
                    own |= {f"<{up}" for up in senses.above}
            if len(lemma) >= _SHORTEST_PART:
                own.add(f"${lemma}")
            others |= entry.reach | {f"={other}" for other in (*entry.derived, *self._opposites(lemma))}
            others |= {f"${lemma[start:]}" for start in range(2, len(lemma) - _SHORTEST_PART + 1)}
        return frozenset(own), frozenset(own | others)

    @lru_cache(maxsize=50_000)  # noqa: B019
    def relation(self, first: str, second: str) -> Relation:
        """The closest relation between two words in any of their base forms and common senses."""
        if first == second:
            return Relation.SAME
        if second in self._opposites(first):
            return Relation.OPPOSITE
        bases, others = self._lemmas(first), self._lemmas(second)
        if set(bases) & set(others):
            return Relation.SAME
        best = Relation.NONE
        for a in bases:
            for b in others:
                found = self._base_relation(a, b)
                if found == Relation.OPPOSITE:
                    return found
                best = max(best, found)
        return best

    def _base_relation(self, a: str, b: str) -> Relation:
        if b in self._opposites(a) or self._negated(a, b) or self._negated(b, a):
            return Relation.OPPOSITE
        first, second = self._entry(a), self._entry(b)
        if not first.senses.isdisjoint(second.senses):
            return Relation.SYNONYM
        if _ends_with_word(a, b):
            return Relation.NARROWER
        if _ends_with_word(b, a):
            return Relation.BROADER
        best = Relation.NONE
        if not first.reach.isdisjoint(second.reach):
            for mine, theirs in zip(first.by_pos, second.by_pos, strict=True):
                if mine is not None and theirs is not None:
                    best = max(best, mine.relation(theirs))
        if best < Relation.DERIVED and (b in first.derived or not first.derived.isdisjoint(second.derived)):
            return Relation.DERIVED
        return best

    @lru_cache(maxsize=50_000)  # noqa: B019
    def _entry(self, lemma: str) -> _Entry:
        senses = _listed(self._senses, lemma)
        by_pos = tuple(self._senses_of([sense[1:] for sense in senses if sense[0] == pos][:3]) for pos in "nvar")
        reach = frozenset().union(*(kept.ids | kept.far | kept.similar for kept in by_pos if kept is not None))
        return _Entry(frozenset(sense[1:] for sense in senses), by_pos, reach, frozenset(_listed(self._derived, lemma)))

    def _senses_of(self, ids: list[str]) -> _Senses | None:
        if not ids:
            return None
        above = frozenset(up for sense in ids for up in _listed(self._broader, sense))
        far = above.union(up for sense in above for up in _listed(self._broader, sense))
        similar = frozenset(other for sense in ids[:2] for other in _listed(self._similar, sense))
        return _Senses(frozenset(ids), frozenset(ids[:2]), similar, above, far)

    def _negated(self, long: str, short: str) -> bool:
        """Whether ``long`` is ``short`` with a prefix that turns its meaning round."""
        if not long.endswith(short) or len(short) < _SHORTEST_PART:
            return False
        prefix = long[: -len(short)]
        if prefix.rstrip("-") in ("un", "non", "anti", "counter"):
            return True
        return prefix in ("in", "im", "ir", "il", "dis") and self._has_pos(short, "a")

    @lru_cache(maxsize=50_000)  # noqa: B019
    def _opposites(self, word: str) -> frozenset[str]:
        return frozenset(_listed(self._opposite, word))


_SHORTEST_PART = 4
"""Letters of a word that may be the end of another: "work" in "groundwork"."""


def _append(table: dict[str, str], key: str, value: str) -> None:
    table[key] = f"{table[key]},{value}" if key in table else value


def _listed(table: dict[str, str], key: str) -> list[str]:
    values = table.get(key)
    return values.split(",") if values is not None else []


def _ends_with_word(long: str, short: str) -> bool:
    return len(short) >= _SHORTEST_PART and len(long) >= len(short) + 3 and long.endswith(short)


@once
def wordnet() -> WordNet:
    """The one table of this process."""
    return WordNet()


_ENDINGS = (
    ("ies", "y"),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("s", ""),
    ("es", ""),
    ("es", "e"),
    ("ied", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("er", ""),
    ("er", "e"),
    ("ier", "y"),
    ("est", ""),
    ("est", "e"),
    ("iest", "y"),
)
_POS_OF_ENDING = {
    ending: "v" if ending in ("ed", "ied", "ing") else "a" if ending in ("er", "ier", "est", "iest") else "nv"
    for ending, _ in _ENDINGS
}
"""What a base form must be to take an ending: "manager" is no form of "manage"."""

"""Lemmas and word relations of English, from a table made of Princeton WordNet 3.0 (see ``wordnet-LICENSE.txt``).

``scripts/build_wordnet_table.py`` makes the table. It is read once, on first use (about half a second), and never changes.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from importlib.resources import files

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


@dataclass(frozen=True, slots=True)
class _Entry:
    senses: frozenset[str]
    by_pos: tuple[list[str], ...]
    reach: frozenset[str]


class WordNet:
    """Relations between single English words, all lower case."""

    def __init__(self) -> None:
        self._senses: dict[str, tuple[str, ...]] = {}
        self._broader: dict[str, tuple[str, ...]] = {}
        self._similar: dict[str, tuple[str, ...]] = {}
        self._opposite: dict[str, set[str]] = defaultdict(set)
        self._derived: dict[str, set[str]] = defaultdict(set)
        self._forms: dict[str, list[str]] = defaultdict(list)
        table = gzip.decompress(files(__package__).joinpath("wordnet.tsv.gz").read_bytes()).decode()
        for line in table.splitlines():
            mark, key, values = line.split("\t") if line.count("\t") == 2 else ("#", "", "")
            if mark == "w":
                self._senses[key] = tuple(values.split(","))
            elif mark == "b":
                self._broader[key] = tuple(values.split(","))
            elif mark == "s":
                self._similar[key] = tuple(values.split(","))
            elif mark == "o":
                self._opposite[key].add(values)
                self._opposite[values].add(key)
            elif mark == "d":
                self._derived[key].add(values)
                self._derived[values].add(key)
            elif mark == "x":
                self._forms[key].append(values)
        for line in OPPOSITES.strip().splitlines():
            left, right = (side.split() for side in line.split("|"))
            for a in left:
                self._opposite[a].update(right)
            for b in right:
                self._opposite[b].update(left)

    def __contains__(self, word: str) -> bool:
        return word in self._senses

    def nominal(self, word: str) -> bool:
        """Whether ``word`` can be a noun, an adjective or a name that is in no dictionary, rather than only a verb."""
        senses = [sense for lemma in self._lemmas(word) for sense in self._senses.get(lemma, ())]
        return not senses or any(sense[0] in "na" for sense in senses)

    def lemmas(self, word: str) -> tuple[str, ...]:
        """Base forms that ``word`` (lower case) may stand for, the word itself first if it is one."""
        return self._lemmas(word)

    @lru_cache(maxsize=50_000)  # noqa: B019 - one instance lives as long as the process
    def _lemmas(self, word: str) -> tuple[str, ...]:
        found = [word] if word in self._senses else []
        found += [form[1:] for form in self._forms.get(word, ())]
        for ending, replacement in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 2:
                stem = word[: -len(ending)]
                candidates = [stem + replacement]
                if not replacement and ending in ("ed", "ing", "er", "est") and len(stem) > 2 and stem[-1] == stem[-2]:
                    candidates.append(stem[:-1])
                found += [base for base in candidates if self._has_pos(base, _POS_OF_ENDING[ending])]
        return tuple(dict.fromkeys(found)) or (word,)

    def _has_pos(self, base: str, kinds: str) -> bool:
        return any(sense[0] in kinds for sense in self._senses.get(base, ()))

    def traces(self, word: str) -> frozenset[str]:
        """Marks of a word: two words without a common one have no relation at all."""
        found: set[str] = set()
        for lemma in {word, *self._lemmas(word)}:
            entry = self._entry(lemma)
            found |= entry.senses | entry.reach
            found |= {f"={other}" for other in (lemma, *self._opposites(lemma), *self._derived.get(lemma, ()))}
            found |= {f"${lemma[start:]}" for start in range(len(lemma) - 3) if start != 1}
        return frozenset(found)

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
                if mine and theirs:
                    best = max(best, self._sense_relation(mine, theirs))
        if best < Relation.DERIVED and (b in self._derived.get(a, ()) or self._derived_sets_meet(a, b)):
            return Relation.DERIVED
        return best

    @lru_cache(maxsize=50_000)  # noqa: B019
    def _entry(self, lemma: str) -> _Entry:
        """A lemma's senses, the most frequent ones of each part of speech, and everything that these touch."""
        senses = self._senses.get(lemma, ())
        by_pos = tuple([sense[1:] for sense in senses if sense[0] == pos][:3] for pos in "nvar")
        near = {sense for kept in by_pos for sense in kept}
        above = {up for sense in near for up in self._broader.get(sense, ())}
        far = {up for sense in above for up in self._broader.get(sense, ())}
        similar = {other for sense in near for other in self._similar.get(sense, ())}
        return _Entry(frozenset(sense[1:] for sense in senses), by_pos, frozenset(near | above | far | similar))

    def _sense_relation(self, ids_a: list[str], ids_b: list[str]) -> Relation:
        """Relation of two words of one part of speech, each given by its most frequent senses."""
        if any(x in self._similar.get(y, ()) or y in self._similar.get(x, ()) for x in ids_a[:2] for y in ids_b[:2]):
            return Relation.DERIVED
        above_a = {up for x in ids_a for up in self._broader.get(x, ())}
        above_b = {up for x in ids_b for up in self._broader.get(x, ())}
        far_a = {up for x in above_a for up in self._broader.get(x, ())}
        far_b = {up for x in above_b for up in self._broader.get(x, ())}
        if (above_b | far_b) & set(ids_a):
            return Relation.BROADER
        if (above_a | far_a) & set(ids_b):
            return Relation.NARROWER
        return Relation.SIBLING if above_a & above_b else Relation.NONE

    def _negated(self, long: str, short: str) -> bool:
        """Whether ``long`` is ``short`` with a prefix that turns its meaning round."""
        if not long.endswith(short) or len(short) < 4:
            return False
        prefix = long[: -len(short)]
        if prefix.rstrip("-") in ("un", "non", "anti", "counter"):
            return True
        is_adjective = any(sense[0] == "a" for sense in self._senses.get(short, ()))
        return prefix in ("in", "im", "ir", "il", "dis") and is_adjective

    def _derived_sets_meet(self, a: str, b: str) -> bool:
        return bool(self._derived.get(a, set()) & self._derived.get(b, set()))

    @lru_cache(maxsize=50_000)  # noqa: B019
    def _opposites(self, word: str) -> frozenset[str]:
        return frozenset(self._opposite.get(word, ()))


def _ends_with_word(long: str, short: str) -> bool:
    return len(short) >= 4 and len(long) >= len(short) + 3 and long.endswith(short)


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

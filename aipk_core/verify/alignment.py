"""Finds, for every word, quantity and identifier of a statement, its counterpart in the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from aipk_core.verify.analysis import Analysis, Word, stem_of
from aipk_core.verify.identifiers import Identifier
from aipk_core.verify.lexemes import Lexeme, lexeme
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.quantities import Quantity

_WORTH = (0.0, 0.15, 0.5, 0.75, 0.85, 0.9, 1.0, 0.3)
"""By ``Relation``: nothing, sibling, narrower, broader, derived, synonym, same; the last is the opposite's, -1."""


class WordMatch(NamedTuple):
    """The best counterpart of a word: ``claims[claim].words[index]``; ``claim`` is -1 when there is none."""

    word: Word
    claim: int = -1
    counterpart: Word | None = None
    relation: Relation = Relation.NONE
    worth: float = 0.0


class QuantityMatch(NamedTuple):
    """A quantity with its equal in the evidence, or the one it seems to misstate."""

    quantity: Quantity
    claim: int = -1
    counterpart: Quantity | None = None
    equal: bool = False


class IdentifierMatch(NamedTuple):
    identifier: Identifier
    claim: int = -1
    counterpart: Identifier | None = None
    equal: bool = False


@dataclass(frozen=True)
class Alignment:
    """How a statement stands to some claims taken together."""

    statement: Analysis
    claims: tuple[Analysis, ...]
    words: tuple[WordMatch, ...]
    quantities: tuple[QuantityMatch, ...]
    identifiers: tuple[IdentifierMatch, ...]

    @cached_property
    def coverage(self) -> float:
        """Share of the statement's content that the claims cover, 0..1; numbers and names weigh double."""
        total = covered = 0.0
        for match in self.words:
            weight = weight_of(match.word)
            total += weight
            covered += weight * max(0.0, match.worth)
        for quantity in self.quantities:
            total += 2.0
            covered += 2.0 * quantity.equal
        for identifier in self.identifiers:
            total += 2.0
            covered += 2.0 * identifier.equal
        return covered / total if total else 0.0

    @cached_property
    def covered(self) -> set[int]:
        """What the claims cover, as numbers: words first, then quantities, then identifiers."""
        found = {i for i, match in enumerate(self.words) if match.worth >= 0.7}
        found |= {len(self.words) + i for i, match in enumerate(self.quantities) if match.equal}
        return found | {
            len(self.words) + len(self.quantities) + i for i, match in enumerate(self.identifiers) if match.equal
        }


def weight_of(word: Word) -> float:
    return 1.5 if word.name else 1.0


def align(statement: Analysis, claims: Sequence[Analysis]) -> Alignment:
    """The best counterparts of everything in ``statement`` among ``claims``."""
    return _align(statement, tuple(claims))


@lru_cache(maxsize=256)
def _align(statement: Analysis, claims: tuple[Analysis, ...]) -> Alignment:
    """Kept for a moment: one claim is aligned to be ranked, and again to be read closely."""
    order = sorted(range(len(claims)), key=lambda number: -len(statement.stems & claims[number].stems))
    rows = [related_words(statement, claim) for claim in claims]
    return Alignment(
        statement,
        claims,
        tuple(_match_word(number, word, claims, rows) for number, word in enumerate(statement.words)),
        tuple(_match_quantity(quantity, claims, order, statement) for quantity in statement.quantities),
        tuple(_match_identifier(identifier, claims) for identifier in statement.identifiers),
    )


@lru_cache(maxsize=512)
def related_words(statement: Analysis, claim: Analysis) -> Sequence[Sequence[tuple[int, Relation]]]:
    """For each word of ``statement`` the words of ``claim`` that it has a relation to, by number, in order."""
    by_form: dict[Lexeme, Sequence[tuple[int, Relation]]] = {}
    for form in statement.forms:
        found = form.related(claim.form_set)
        if len(found) == 1:
            ((other, relation),) = found.items()
            by_form[form] = [(number, relation) for number in claim.forms[other]]
        else:
            by_form[form] = sorted(
                (number, relation) for other, relation in found.items() for number in claim.forms[other]
            )
    return [by_form[word.form] for word in statement.words]


def _match_word(
    number: int, word: Word, claims: Sequence[Analysis], rows: Sequence[Sequence[Sequence[tuple[int, Relation]]]]
) -> WordMatch:
    best, place, other, how = 0.0, -1, None, Relation.NONE
    norm = word.norm
    for at, claim in enumerate(claims):
        for index, relation in rows[at][number]:
            worth = _WORTH[relation]
            if worth > best:
                best, place, other, how = worth, at, claim.words[index], relation
                if worth == 1.0:
                    return WordMatch(word, place, other, how, best)
        if best < 0.9 and word.name and (name := _acronym_match(word, claim)) is not None:
            best, place, other, how = 0.9, at, name, Relation.SYNONYM
        if best < 0.7 and len(norm) >= 4 and norm in claim.lowered:
            best, place, other, how = 0.8, at, None, Relation.DERIVED
    return WordMatch(word, place, other, how, best)


_FEW = 30
"""Quantities of a statement up to which it is looked whether another of them takes a value of the claims."""


def _match_quantity(
    quantity: Quantity, claims: Sequence[Analysis], order: Sequence[int], statement: Analysis
) -> QuantityMatch:
    """An equal quantity, in the claim nearest in words if there are several; a bound that clashes there counts."""
    near: QuantityMatch | None = None
    nearest = -1
    met: QuantityMatch | None = None
    clash: QuantityMatch | None = None
    for number in order:
        claim = claims[number]
        if clash is not None:
            return clash
        for other in claim.quantities:
            if quantity.same_as(other):
                if not bounds_clash(quantity, other):
                    return QuantityMatch(quantity, number, other, True)
                clash = clash or QuantityMatch(quantity, number, other, False)
            elif quantity.comparable(other) and quantity.key == other.key:
                if quantity.satisfied_by(other) and quantity.noun == other.noun:
                    met = met or QuantityMatch(quantity, number, other, True)
                fit = 4 * _rival(quantity, other) + 2 * (quantity.end_of_range == other.end_of_range)
                fit += len(statement.quantities) < _FEW and not any(
                    mine.same_as(other) for mine in statement.quantities if mine is not quantity
                )
                if fit > nearest:
                    near, nearest = QuantityMatch(quantity, number, other, False), fit
    return clash or met or near or QuantityMatch(quantity)


def _rival(mine: Quantity, other: Quantity | None) -> bool:
    """Whether the two measure or count the same thing, so that different values contradict."""
    if other is None:
        return False
    if mine.kind == "measure":
        return other.kind == "measure" and mine.periodic == other.periodic
    if mine.fields and other.fields:
        return any(a is not None and b is not None for a, b in zip(mine.fields, other.fields, strict=False))
    return bool(mine.noun) and stem_of(mine.noun, "en") == stem_of(other.noun, "en")


def rivals(match: QuantityMatch, alignment: Alignment) -> bool:
    """Whether a quantity without an equal is a misstatement of its counterpart rather than something new."""
    if match.counterpart is None:
        return False
    if not _rival(match.quantity, match.counterpart):
        return _same_things(match, alignment)
    claim = alignment.claims[match.claim]
    if match.quantity.noun and match.quantity.kind == "count":
        return True  # another number of the same things
    if match.quantity.end_of_range and _other_end_agrees(match, alignment):
        return True
    shared = sum(w.word.stem in claim.stems or (w.worth >= 0.7 and w.claim == match.claim) for w in alignment.words)
    return shared * 2 >= len(alignment.words)


def _same_things(match: QuantityMatch, alignment: Alignment) -> bool:
    """Whether two counts are of one thing although one of them leaves out its noun: ``seats 30``, ``up to 10 at once``."""
    mine, theirs = match.quantity, match.counterpart
    if theirs is None or mine.kind != "count" or theirs.kind != "count" or mine.end_of_range != theirs.end_of_range:
        return False
    if mine.end_of_range and _other_end_agrees(match, alignment):
        return True
    statement, claim = alignment.statement, alignment.claims[match.claim]
    if any(sum(q.kind == "count" for q in text.quantities) != 1 for text in (statement, claim)):
        return False
    if "times" in (mine.noun, theirs.noun):  # "renew it twice", "three renewals"
        noun, other = (theirs.noun, statement) if mine.noun == "times" else (mine.noun, claim)
        return bool(noun) and any(
            word.form.relation(lexeme(noun, stem_of(noun, other.lang))) >= Relation.DERIVED for word in other.words
        )
    if bool(mine.noun) == bool(theirs.noun):
        return False
    noun, other = (mine.noun, claim) if mine.noun else (theirs.noun, statement)
    return stem_of(noun, other.lang) in other.stems and alignment.coverage >= 0.4


def _other_end_agrees(match: QuantityMatch, alignment: Alignment) -> bool:
    """``15 to 25 °C`` against ``10 to 25 °C``: one end the same, the other not, is one range misquoted."""
    if match.counterpart is None or match.counterpart.end_of_range != match.quantity.end_of_range:
        return False
    return any(
        other.equal
        and other.claim == match.claim
        and other.quantity.end_of_range not in ("", match.quantity.end_of_range)
        and other.counterpart is not None
        and other.counterpart.end_of_range == other.quantity.end_of_range
        for other in alignment.quantities
    )


def bounds_clash(mine: Quantity, theirs: Quantity) -> bool:
    """At least against at most, more than against less than."""
    return (mine.bound in ("ge", "gt") and theirs.bound in ("le", "lt")) or (
        mine.bound in ("le", "lt") and theirs.bound in ("ge", "gt")
    )


def _match_identifier(identifier: Identifier, claims: Sequence[Analysis]) -> IdentifierMatch:
    near: IdentifierMatch | None = None
    for number, claim in enumerate(claims):
        for other in claim.identifiers:
            if identifier.norm == other.norm or identifier.norm.casefold() == other.norm.casefold():
                return IdentifierMatch(identifier, number, other, True)
            if near is None and identifier.family == other.family:
                near = IdentifierMatch(identifier, number, other, False)
        if identifier.norm in claim.text or (" " in identifier.norm and identifier.norm in claim.lowered):
            return IdentifierMatch(identifier, number, None, True)
    return near or IdentifierMatch(identifier)


def _acronym_match(word: Word, claim: Analysis) -> Word | None:
    """``CEO`` against ``Chief Executive Officer``: initials of a run of words."""
    letters = word.norm
    if not 2 <= len(letters) <= 6 or not word.name or not letters.isalpha():
        return None
    initials = "".join(other.norm[0] for other in claim.words)
    at = initials.find(letters)
    return claim.words[at] if at >= 0 else None

"""Exchanged roles: the same deed, but done by the one to whom it was done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations

from aipk_core.verify.alignment import Alignment, align
from aipk_core.verify.analysis import Analysis, stem_of
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexemes import word_relation
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.parsing import Argument, Predicate, predicates_of

_ENOUGH = 0.6
"""Coverage from which a statement is about the same deed."""


def check_roles(alignment: Alignment) -> Iterator[Finding]:
    statement = alignment.statement
    if alignment.coverage < _ENOUGH:
        return
    for number, claim in enumerate(alignment.claims):
        if not _may_exchange(statement, claim):
            continue
        for mine in predicates_of(statement.text):
            for theirs in predicates_of(claim.text):
                if _related(mine.verb, theirs.verb) and (pair := _exchanged(mine, theirs)):
                    here, there = pair
                    yield Finding(
                        "role", f"“{here.word}” and “{there.word}” have changed places", (here.start, here.end), number,
                        (theirs.start, theirs.end), True,
                    )  # fmt: skip
                    return
        if deeds := _exchanged_deeds(predicates_of(statement.text), predicates_of(claim.text)):
            doer, deed = deeds
            yield Finding(
                "role", f"“{doer.word}” does here what another does in the claim", (doer.start, doer.end), number,
                (deed.start, deed.end), True,
            )  # fmt: skip
            return


def _exchanged_deeds(mine: Sequence[Predicate], theirs: Sequence[Predicate]) -> tuple[Argument, Predicate] | None:
    """One picks and the other releases there; here the other picks and the one releases."""
    for one, other in permutations(theirs, 2):
        if _related(one.verb, other.verb) or not one.agents or not other.agents:
            continue
        if any(_among(agent, other.agents) for agent in one.agents):
            continue
        wrong = [
            agent
            for here in mine
            if _related(here.verb, one.verb)
            for agent in here.agents
            if _among(agent, other.agents) and not _among(agent, one.agents)
        ]
        back = any(
            _related(here.verb, other.verb) and any(_among(agent, one.agents) for agent in here.agents) for here in mine
        )
        if wrong and back:
            return wrong[0], one
    return None


def texts_to_parse(statement: Analysis, claims: Sequence[Analysis]) -> list[str]:
    """What ``check_roles`` is about to read, as far as the claims alone tell."""
    near = [
        claim for claim in claims if _may_exchange(statement, claim) and align(statement, [claim]).coverage >= _ENOUGH
    ]
    return [statement.text, *(claim.text for claim in near)] if near else []


def _may_exchange(statement: Analysis, claim: Analysis) -> bool:
    return statement.lang == claim.lang == "en" and _order_differs(statement, claim)


def _order_differs(statement: Analysis, claim: Analysis) -> bool:
    """Whether words that both have stand in another order; without that nothing can have been exchanged."""
    places: dict[str, int] = {}
    for index, word in enumerate(claim.words):
        places.setdefault(word.stem, index)
    order = [places[word.stem] for word in statement.words if word.stem in places]
    return any(later < earlier for earlier, later in pairwise(order))


def _exchanged(mine: Predicate, theirs: Predicate) -> tuple[Argument, Argument] | None:
    """One who acts here and suffers there, and one the other way round."""
    for agent in mine.agents:
        if _among(agent, theirs.agents):
            continue
        for other in (*mine.patients, *mine.recipients):
            if _among(agent, (*theirs.patients, *theirs.recipients)) and _among(other, theirs.agents):
                return agent, other
    for patient in mine.patients:
        for recipient in mine.recipients:
            if (
                _among(patient, theirs.recipients)
                and _among(recipient, theirs.patients)
                and not _among(patient, theirs.patients)
            ):
                return patient, recipient
    return None


def _among(argument: Argument, others: tuple[Argument, ...]) -> bool:
    return any(_related(argument.word, other.word) for other in others)


def _related(a: str, b: str) -> bool:
    return word_relation(stem_of(a, "en"), a, stem_of(b, "en"), b) >= Relation.DERIVED

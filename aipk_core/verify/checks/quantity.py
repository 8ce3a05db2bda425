"""Numbers, units, percentages, money, dates, times, versions and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations

from aipk_core.verify.alignment import Alignment, rivals
from aipk_core.verify.findings import Finding
from aipk_core.verify.lexicon import cues
from aipk_core.verify.lexicon.wordnet import Relation
from aipk_core.verify.quantities import Quantity

WEAK = ("one", "a", "single", "eins", "un", "uno")
"""Words that count and also just point: "one of the three"."""
_PAIR = re.compile(r"\b(?:both|either|neither|pair|couple|twin)\b", re.IGNORECASE)
_MOST_PARTS = 6
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than", "": "exactly"}


def check_quantities(alignment: Alignment) -> Iterator[Finding]:
    for match in alignment.quantities:
        quantity, other = match.quantity, match.counterpart
        span = (quantity.start, quantity.end)
        if match.equal:
            continue
        if quantity.kind == "ordinal" and not quantity.noun:
            continue  # "… first": an order in words
        if quantity.kind == "count" and (quantity.text.casefold() in WEAK or _points(quantity, other)):
            continue
        if (
            quantity.kind == "count"
            and quantity.value == 2
            and any(_PAIR.search(claim.text) for claim in alignment.claims)
        ):
            continue
        if _adds_up(alignment, quantity) or _differs_by(alignment, quantity):
            continue
        if other is not None and quantity.same_as(other):
            if {quantity.bound, other.bound} in ({"ge", "lt"}, {"le", "gt"}) and _turned_round(alignment, match.claim):
                continue  # "at least 12 is accepted", "less than 12 is refused"
            yield Finding(
                "bound", f"{_BOUNDS[quantity.bound]} “{quantity.text}” here, {_BOUNDS[other.bound]} in the claim", span,
                match.claim, (other.start, other.end), True,
            )  # fmt: skip
        elif other is None:
            yield Finding("quantity", f"no claim gives “{quantity.text}”", span, unsupported=True)
        elif not rivals(match, alignment):
            yield Finding("quantity", f"no claim gives “{quantity.text}” for this", span, unsupported=True)
        else:
            yield Finding(
                "quantity",
                f"“{quantity.text}” here, “{other.text}” in the claim",
                span,
                match.claim,
                (other.start, other.end),
                True,
            )


_TOGETHER = re.compile(
    r"\b(?:altogether|together|in all|in total|total|totals|combined|between them|overall|all told|sum|zusammen|insgesamt|"
    r"en tout|au total|en total|всего|вместе|итого)\b|합(?:계|쳐|해)|모두|총|合计|一共|总共|共|合計|合わせて",
    re.IGNORECASE,
)


def _adds_up(alignment: Alignment, quantity: Quantity) -> bool:
    """Whether the quantity is the sum of two that the claims give: ``£5`` and ``£3``, ``£8 altogether``."""
    if quantity.value is None or quantity.fields or not _TOGETHER.search(alignment.statement.text):
        return False
    parts = [
        other.value
        for claim in alignment.claims
        for other in claim.quantities
        if other.value is not None and other.key == quantity.key and other.comparable(quantity)
    ][:_MOST_PARTS]
    sums = {a + b for a, b in combinations(parts, 2)} | ({sum(parts, Decimal(0))} if len(parts) > 2 else set())
    return quantity.value in sums


def _points(quantity: Quantity, other: Quantity | None) -> bool:
    """Whether a one just points, as in "the one that …": not when a digit differs from the claim's only by its sign."""
    return quantity.value == 1 and not (quantity.text.isdigit() and other is not None and other.value == -1)


_APART = re.compile(
    r"\b(?:than|by|after|before|later|earlier|apart|difference|between|for|older|younger|gap|more|less|lasted|took)\b",
    re.IGNORECASE,
)
_YEAR = Decimal(31_557_600)


def _differs_by(alignment: Alignment, quantity: Quantity) -> bool:
    """Whether the quantity is how far two of the claims' values are apart: ``from £20 to £25``, ``by £5``."""
    if quantity.value is None or quantity.fields or quantity.bound or not _APART.search(alignment.statement.text):
        return False
    others = [other for claim in alignment.claims for other in claim.quantities]
    values = [o.value for o in others if o.value is not None and o.key == quantity.key and o.comparable(quantity)]
    gaps = {abs(a - b) for a, b in combinations(values[:_MOST_PARTS], 2)}
    if quantity.key == "[time]":
        years = [o.fields[0] for o in others if o.kind == "date" and o.fields[0] is not None][:_MOST_PARTS]
        gaps |= {abs(a - b) * _YEAR for a, b in combinations(years, 2)}
    return quantity.value in gaps


def _turned_round(alignment: Alignment, number: int) -> bool:
    """Whether the statement says the opposite of the claim in words, so that opposite bounds mean the same."""
    claim, statement = alignment.claims[number], alignment.statement
    plain = [(text.lang, cues.PSEUDO_NEGATION.sub(" ", text.text)) for text in (claim, statement)]
    denials = [len(cues.negations(lang).findall(text)) % 2 for lang, text in plain]
    opposite = any(word.relation(other) is Relation.OPPOSITE for word in statement.words for other in claim.words)
    return (denials[0] != denials[1]) != opposite

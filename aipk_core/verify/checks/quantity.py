"""Numbers, units, percentages, money, dates, times, versions and bounds."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding


_WEAK = ("one", "a", "single", "eins", "un", "uno")
"""Words that count and also just point: "one of the three"."""
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than", "": "exactly"}


def check_quantities(alignment: Alignment) -> Iterator[Finding]:
    for match in alignment.quantities:
        quantity, other = match.quantity, match.counterpart
        span = (quantity.start, quantity.end)
        if match.equal:
            continue
        if quantity.kind == "count" and quantity.text.casefold() in _WEAK:
            continue
        if other is not None and quantity.same_as(other):
            yield Finding(
                "bound", f"{_BOUNDS[quantity.bound]} “{quantity.text}” here, {_BOUNDS[other.bound]} in the claim", span,
                match.claim, (other.start, other.end), True,
            )  # fmt: skip
        elif other is None:
            yield Finding("quantity", f"no claim gives “{quantity.text}”", span, unsupported=True)
        else:
            yield Finding(
                "quantity",
                f"“{quantity.text}” here, “{other.text}” in the claim",
                span,
                match.claim,
                (other.start, other.end),
                True,
            )

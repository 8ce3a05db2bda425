"""Numbers, units, percentages, money, dates, times, versions and bounds."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding


def check_quantities(alignment: Alignment) -> Iterator[Finding]:
    for match in alignment.quantities:
        quantity, other = match.quantity, match.counterpart
        span = (quantity.start, quantity.end)
        if match.equal:
            continue
        if other is None:
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

"""One check a file. Each reads an alignment and yields findings."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.checks.binding import check_binding
from aipk_core.verify.checks.condition import check_conditions
from aipk_core.verify.checks.converse import check_converse
from aipk_core.verify.checks.edits import check_edits
from aipk_core.verify.checks.identifier import check_identifiers
from aipk_core.verify.checks.modality import check_modality
from aipk_core.verify.checks.order import check_order
from aipk_core.verify.checks.parallel import check_parallel
from aipk_core.verify.checks.polarity import check_polarity
from aipk_core.verify.checks.quantifier import check_quantifiers
from aipk_core.verify.checks.quantity import check_quantities
from aipk_core.verify.checks.role import check_roles
from aipk_core.verify.checks.slot import check_slots
from aipk_core.verify.findings import Finding
from aipk_core.verify.pairing import pair_segments

TOO_LITTLE_IN_COMMON = 0.2
"""Coverage below which a statement is about something else, and the checks of structure would compare by chance."""


def run_checks(alignment: Alignment, *, parse: bool = True) -> Iterator[Finding]:
    """All findings, the most telling first; one for each place."""
    seen: set[tuple[int, int]] = set()
    for finding in _all(alignment, parse=parse):
        if finding.span is None or finding.span not in seen:
            yield finding
        if finding.span is not None:
            seen.add(finding.span)


def _all(alignment: Alignment, *, parse: bool) -> Iterator[Finding]:
    yield from check_quantities(alignment)
    yield from check_identifiers(alignment)
    if not alignment.claims or alignment.coverage < TOO_LITTLE_IN_COMMON:
        return
    pairs = pair_segments(alignment)
    yield from check_polarity(alignment, pairs)
    yield from check_modality(alignment, pairs)
    yield from check_quantifiers(alignment, pairs)
    yield from check_conditions(alignment)
    yield from check_order(alignment)
    yield from check_converse(alignment)
    yield from check_binding(alignment)
    yield from check_parallel(alignment)
    yield from check_edits(alignment)
    yield from check_slots(alignment, pairs)
    if parse:
        yield from check_roles(alignment)

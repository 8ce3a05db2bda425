"""One check a file. Each reads an alignment and yields findings."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.checks.identifier import check_identifiers
from aipk_core.verify.checks.quantity import check_quantities
from aipk_core.verify.findings import Finding


def run_checks(alignment: Alignment) -> Iterator[Finding]:
    """All findings, the most telling first."""
    yield from check_quantities(alignment)
    yield from check_identifiers(alignment)

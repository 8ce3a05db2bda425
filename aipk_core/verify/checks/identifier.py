"""Code, flags, part numbers and labels: equal letter by letter or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from aipk_core.verify.alignment import Alignment
from aipk_core.verify.findings import Finding


def check_identifiers(alignment: Alignment) -> Iterator[Finding]:
    for match in alignment.identifiers:
        identifier, other = match.identifier, match.counterpart
        span = (identifier.start, identifier.end)
        if match.equal:
            continue
        claim = alignment.claims[match.claim] if match.claim >= 0 else None
        shared = sum(w.claim == match.claim and w.worth >= 0.7 for w in alignment.words)
        if other is None or claim is None or identifier.family == "name" or shared * 2 < len(alignment.words):
            yield Finding("identifier", f"no claim names “{identifier.norm}”", span, unsupported=True)
        else:
            yield Finding(
                "identifier",
                f"“{identifier.norm}” here, “{other.norm}” in the claim",
                span,
                match.claim,
                (other.start, other.end),
                True,
            )

"""What a check reports, before it is tied to places in the answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One observation of a check.

    Attributes:
        span: offsets in the statement's text, or ``None``.
        claim: number of the claim among those compared, or -1.
        claim_span: offsets in that claim's full text.
        contradicts: the claim says otherwise.
        unsupported: no claim says so.
    """

    check: str
    message: str
    span: tuple[int, int] | None = None
    claim: int = -1
    claim_span: tuple[int, int] | None = None
    contradicts: bool = False
    unsupported: bool = False

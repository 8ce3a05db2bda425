"""Says for each sentence of an answer whether the claims support it, contradict it, or do not speak of it, and why.

    from aipk_core.verify import VerifiableClaim, Verifier
    verifier = Verifier([VerifiableClaim("c-1", "The warranty lasts 3 years.")])
    print(verifier.verify("The warranty lasts nine years. [c-1]").units[0].reasons[0].message)

Depends on nothing of packages, answers or the server: claims in, report out.
"""

from __future__ import annotations

from aipk_core.verify.judges import Judge, Pair, Probabilities
from aipk_core.verify.model import (
    ClaimMatch,
    Outcome,
    Reason,
    Report,
    UnitKind,
    UnitReport,
    Verdict,
    VerifiableClaim,
)
from aipk_core.verify.verifier import Verifier

__all__ = [
    "ClaimMatch",
    "Judge",
    "Outcome",
    "Pair",
    "Probabilities",
    "Reason",
    "Report",
    "UnitKind",
    "UnitReport",
    "Verdict",
    "VerifiableClaim",
    "Verifier",
]

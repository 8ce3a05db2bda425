"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (
    0.0000,
    0.0000,
    0.9939,
    0.0000,
    -1.1077,
    0.0000,
    1.1363,
    -1.0719,
    -1.3319,
    1.1437,
    -0.8561,
    0.0000,
    -1.4086,
)
WITH_JUDGE = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

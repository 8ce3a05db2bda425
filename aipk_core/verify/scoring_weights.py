"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (
    0.0000,
    0.2885,
    1.6216,
    0.0000,
    -2.2617,
    0.0000,
    1.0128,
    -1.9941,
    -2.9139,
    1.4045,
    -1.8026,
    -0.0459,
    -0.7784,
)
WITH_JUDGE = (
    0.0000,
    0.0000,
    0.9559,
    0.0000,
    -1.5633,
    0.0000,
    1.0521,
    -2.0769,
    -2.7094,
    1.2808,
    -1.8298,
    0.0000,
    0.6856,
    0.0000,
    0.6121,
)

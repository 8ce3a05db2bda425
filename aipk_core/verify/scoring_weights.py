"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (
    0.0000,
    0.7288,
    0.9269,
    0.0000,
    -1.7180,
    0.9769,
    1.0840,
    -0.6912,
    -2.5399,
    1.7592,
    -1.2439,
    0.0000,
    -1.6539,
)
WITH_JUDGE = (
    0.0000,
    0.4712,
    0.6204,
    0.0000,
    -1.3659,
    1.1323,
    0.8236,
    -0.7830,
    -2.2715,
    1.6894,
    -1.0082,
    0.0000,
    0.2818,
    0.0000,
    -0.8463,
)

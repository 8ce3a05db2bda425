"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (0.0000, 0.3093, 1.5942, 0.0000, -2.3270, 0.0000, 1.0348, -2.0166, -2.9184, 1.3441, -1.8312, -0.0706, -0.7593)
WITH_JUDGE = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

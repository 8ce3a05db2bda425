"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (0.0000, 0.7518, 0.8277, 0.0000, -1.4311, 1.3390, 0.8565, -0.4986, -2.4668, 1.8683, -1.1912, 0.0000, -1.9140)
WITH_JUDGE = (0.0000, 0.5597, 0.5835, 0.0000, -1.0047, 1.6064, 0.7162, -0.5429, -2.2652, 1.9404, -1.0667, 0.0000, 0.3967, 0.0000, -1.5154)

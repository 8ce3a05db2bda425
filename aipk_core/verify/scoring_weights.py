"""Made by ``bench/fit_scoring.py``; order as in ``Features.vector``, then the judge's two, then the bias."""

from __future__ import annotations

WITHOUT_JUDGE = (0.0000, 0.7174, 1.0320, 0.0000, -1.8689, 0.8024, 0.9124, -0.5223, -2.6272, 1.7994, -1.4511, 0.0000, -1.4800)
WITH_JUDGE = (0.0000, 0.4998, 0.6766, 0.0000, -1.3504, 1.0809, 0.7961, -0.5328, -2.4285, 1.8354, -1.3462, 0.0000, 0.4709, 0.0000, -0.8983)

"""One number from the features: the belief, 0..1, that the claims support the statement.

The weights come from ``bench/fit_scoring.py`` (logistic regression on labelled pairs); they are few, so that each can be
read: a name or number that no claim has, or a clause far from every claim, pulls the score down, agreeing numbers pull it up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from aipk_core.verify.features import Features
from aipk_core.verify.judges import Probabilities
from aipk_core.verify.scoring_weights import WITH_JUDGE, WITHOUT_JUDGE

SUPPORTED_FROM = 0.5


def score_of(features: Features, opinion: Probabilities | None) -> float:
    """Belief that the claims support the statement, given that no rule contradicts it."""
    if opinion is None:
        return _logistic(features.vector(), WITHOUT_JUDGE)
    return _logistic((*features.vector(), *judge_features(opinion)), WITH_JUDGE)


def judge_features(opinion: Probabilities) -> tuple[float, float]:
    """Log-odds of support and of contradiction, bounded."""
    return _logit(opinion.supported), _logit(opinion.contradicted)


def _logistic(vector: Sequence[float], weights: Sequence[float]) -> float:
    *factors, bias = weights
    total = bias + sum(factor * value for factor, value in zip(factors, vector, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _logit(probability: float) -> float:
    bounded = max(0.01, min(0.99, probability))
    return math.log(bounded / (1 - bounded))

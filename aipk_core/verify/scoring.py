"""One number from the features: the belief, 0..1, that the claims support the statement.

The weights come from ``bench/fit_scoring.py`` (logistic regression on labelled pairs); they are few, so that each can be
read: a name or number that no claim has, or a clause far from every claim, pulls the score down, agreeing numbers pull it up.
There is a row of weights for each kind of evidence, because the same feature means different things: every word of a statement
should stand in a short claim, while a passage shares words with statements that it does not support.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from aipk_core.verify.features import Features
from aipk_core.verify.judges import Probabilities
from aipk_core.verify.scoring_weights import WEIGHTS

SUPPORTED_FROM = 0.5


class Evidence(StrEnum):
    """What a statement is compared with."""

    CLAIMS = "claims"  # short claims, in English
    PASSAGES = "passages"  # sentences cut from longer English text
    OTHER_LANGUAGE = "other_language"  # words cannot be compared by meaning


def score_of(features: Features, opinion: Probabilities | None, evidence: Evidence = Evidence.CLAIMS) -> float:
    """Belief that the claims support the statement, given that no rule contradicts it."""
    if opinion is None:
        return _logistic(features.vector(), WEIGHTS[evidence, False])
    return _logistic((*features.vector(), *judge_features(opinion)), WEIGHTS[evidence, True])


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

"""The review policy ``sample``: people read a stated share of the claims, and the rest is accepted if that went well.

Which claims are read is decided by a seeded hash of their ids, so nobody can choose them, every build chooses the same
ones, and a claim that comes or goes changes nothing for the others.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

_STEPS = 60


@dataclass(frozen=True, slots=True)
class SampleRules:
    """Attributes:
    percent: share of the claims that people read, 1..100.
    max_error_percent: the rest is accepted when the error rate's upper bound is at most this.
    confidence_percent: how sure the upper bound is (one-sided), 50..99.9.
    seed: any text; another seed draws another sample.
    """

    percent: float = 10.0
    max_error_percent: float = 2.0
    confidence_percent: float = 95.0
    seed: str = ""


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """How the sample stands.

    Attributes:
        size: claims in the sample; ``read`` of them are decided, ``wrong`` of those were rejected or edited.
        rest: claims outside of the sample that its outcome decides on.
        upper_bound: of the error rate, 0..1, from the claims read so far; 1 while nothing is read.
        accepted: whether all of the sample is read and the bound is within the limit.
    """

    size: int
    read: int
    wrong: int
    rest: int
    upper_bound: float
    accepted: bool

    @property
    def finished(self) -> bool:
        return self.size > 0 and self.read == self.size


def in_sample(claim: str, rules: SampleRules) -> bool:
    """Whether people read the claim with this id: its hash with the seed, as a share of all hashes, is small enough."""
    raw = hashlib.sha256(f"{rules.seed}\x00{claim}".encode()).digest()
    return int.from_bytes(raw[:8], "big") < rules.percent / 100 * 2**64


def judge_sample(size: int, read: int, wrong: int, rest: int, rules: SampleRules) -> SampleOutcome:
    """The outcome of a sample of ``size`` claims, ``read`` of which are decided and ``wrong`` of those bad.

    The rest is accepted only when the whole sample is read: stopping as soon as the figures look good would make the
    bound meaningless.
    """
    bound = upper_bound(wrong, read, rules.confidence_percent / 100)
    accepted = size > 0 and read == size and bound <= rules.max_error_percent / 100
    return SampleOutcome(size, read, wrong, rest, bound, accepted)


def upper_bound(wrong: int, read: int, confidence: float) -> float:
    """Upper confidence bound (one-sided, exact) of an error rate of which ``wrong`` in ``read`` were seen.

    Clopper and Pearson (Biometrika 26, 1934): the bound is the rate p at which seeing so few errors has the probability
    that is left over, the p that solves ``sum(C(n, i) p^i (1-p)^(n-i), i = 0..k) = 1 - confidence`` for k errors in n.
    It assumes a sample drawn from many; for a sample that is much of the whole it is on the safe side. With nothing wrong
    in n it is ``1 - (1 - confidence)^(1/n)``, about 3/n at 95 %.
    """
    if read <= 0 or wrong >= read:
        return 1.0
    left_over = 1.0 - confidence
    low, high = wrong / read, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _at_most(wrong, read, middle) > left_over:
            low = middle
        else:
            high = middle
    return high


def sample_needed(max_error_percent: float, confidence_percent: float) -> int:
    """How many claims must be read without any error before the bound is within the limit."""
    if max_error_percent >= 100:
        return 1
    return math.ceil(math.log(1 - confidence_percent / 100) / math.log(1 - max_error_percent / 100))


def _at_most(count: int, size: int, rate: float) -> float:
    """Probability of at most ``count`` errors in ``size`` at the error rate ``rate``; terms by their logarithms."""
    if rate >= 1.0:
        return 0.0
    if rate <= 0.0:
        return 1.0
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    whole = math.lgamma(size + 1)
    total = 0.0
    for k in range(count + 1):
        log_term = whole - math.lgamma(k + 1) - math.lgamma(size - k + 1) + k * log_rate + (size - k) * log_rest
        total += math.exp(log_term)
    return min(1.0, total)

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.claims.sampling import SampleRules, in_sample, judge_sample, sample_needed, upper_bound


@pytest.mark.parametrize(
    ("wrong", "read", "confidence", "bound"),
    [
        # From tables of exact one-sided limits.
        (0, 59, 0.95, 0.0495),
        (0, 299, 0.95, 0.00997),
        (1, 50, 0.95, 0.0914),
        (3, 100, 0.95, 0.0757),
        (10, 100, 0.975, 0.1762),
    ],
)
def test_the_bound_is_the_exact_one(wrong, read, confidence, bound):
    assert upper_bound(wrong, read, confidence) == pytest.approx(bound, rel=5e-3)


@given(st.integers(0, 30), st.integers(1, 3000), st.floats(0.5, 0.999))
def test_at_the_bound_so_few_errors_have_the_probability_that_is_left(wrong, read, confidence):
    bound = upper_bound(wrong, read, confidence)
    if wrong >= read:
        assert bound == 1.0
        return
    total = sum(math.comb(read, k) * bound**k * (1 - bound) ** (read - k) for k in range(wrong + 1) if read < 900)
    if read < 900:
        assert total == pytest.approx(1 - confidence, abs=1e-6)
    assert wrong / read <= bound <= 1.0
    assert upper_bound(wrong, read + 1, confidence) <= bound + 1e-12


def test_nothing_read_says_nothing():
    assert upper_bound(0, 0, 0.95) == 1.0
    assert not judge_sample(0, 0, 0, 100, SampleRules()).accepted


def test_a_sample_is_accepted_only_when_all_of_it_is_read():
    rules = SampleRules(max_error_percent=2)
    assert not judge_sample(200, 199, 0, 1800, rules).accepted
    assert judge_sample(200, 200, 0, 1800, rules).accepted
    assert not judge_sample(200, 200, 2, 1800, rules).accepted


def test_a_sample_must_be_large_enough():
    assert sample_needed(2, 95) == 149
    assert judge_sample(149, 149, 0, 9, SampleRules(max_error_percent=2)).accepted
    assert not judge_sample(148, 148, 0, 9, SampleRules(max_error_percent=2)).accepted


def test_the_seed_draws_the_stated_share_and_the_same_one_every_time():
    names = [f"c-{number}" for number in range(20_000)]
    rules = SampleRules(percent=10, seed="spring")
    drawn = {name for name in names if in_sample(name, rules)}
    assert 0.09 < len(drawn) / len(names) < 0.11
    assert drawn == {name for name in reversed(names) if in_sample(name, rules)}
    assert drawn != {name for name in names if in_sample(name, SampleRules(percent=10, seed="autumn"))}
    assert drawn < {name for name in names if in_sample(name, SampleRules(percent=20, seed="spring"))}
    assert all(in_sample(name, SampleRules(percent=100)) for name in names[:100])

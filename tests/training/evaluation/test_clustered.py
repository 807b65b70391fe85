from __future__ import annotations

import numpy as np
import pytest

from training.evaluation.clustered import Interval, clustered_mean, paired_test


def test_the_mean_is_over_tasks_not_over_clusters():
    found = clustered_mean([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert found.mean == pytest.approx(0.75)
    assert (found.low, found.high) == (0.0, 1.0)


def test_tasks_that_move_together_widen_the_interval():
    values = [float(n % 2) for n in range(20) for _ in range(10)]
    together = clustered_mean(values, [n for n in range(20) for _ in range(10)])
    apart = clustered_mean(values, range(200))
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_the_interval_covers_the_truth_about_95_times_of_100():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        rates = rng.beta(2, 2, size=60)
        values = [float(rng.random() < rate) for rate in rates for _ in range(3)]
        found = clustered_mean(values, [n for n in range(60) for _ in range(3)])
        hits += found.low <= 0.5 <= found.high
    assert 180 <= hits <= 199


def test_the_same_policy_twice_differs_by_nothing():
    found = paired_test([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], "abc")
    assert found.difference.mean == 0.0
    assert found.p_value == 1.0
    assert (found.lost, found.won) == (0, 0)


def test_the_p_value_is_that_of_all_signs():
    # Six clusters that all gain: 2 of 64 sign patterns are as far.
    found = paired_test([0.0] * 6, [1.0] * 6, "abcdef")
    assert found.p_value == pytest.approx(2 / 64, abs=0.01)
    assert (found.lost, found.won) == (0, 6)


def test_a_gain_within_one_template_proves_nothing():
    found = paired_test([0.0] * 6, [1.0] * 6, "aaaaaa")
    assert found.p_value == 1.0
    assert found.difference == Interval(1.0, -1.0, 1.0)


@pytest.mark.parametrize("templates", ["aa", "ab"])
def test_a_few_templates_say_too_little_about_others(templates):
    assert clustered_mean([1.0, 0.0], templates) == Interval(0.5, 0.0, 1.0)


@pytest.mark.parametrize(
    ("value", "low", "high"), [(0.0, 0.0, 0.37), (1.0, 0.63, 1.0), (-1.0, -1.0, -0.26)]
)
def test_templates_that_are_all_alike_leave_room_for_others(value, low, high):
    bounds = (-1.0, 1.0) if value < 0 else (0.0, 1.0)
    found = clustered_mean([value] * 16, [*"abcdefgh"] * 2, bounds=bounds)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_both_policies_need_all_tasks():
    with pytest.raises(ValueError, match="every task"):
        paired_test([1.0], [1.0, 0.0], "ab")


def test_nothing_has_no_mean():
    with pytest.raises(ValueError, match="Every task"):
        clustered_mean([], [])

from __future__ import annotations

import pytest

from webrl_site.statistics import difference_of, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 165, 0.00107, 0.03354),
    ],
)
def test_wilsons_interval_matches_published_values(
    successes: int, n: int, low: float, high: float
):
    share = wilson(successes, n)

    assert share.low == pytest.approx(low, abs=2e-4)
    assert share.high == pytest.approx(high, abs=2e-4)


def test_nothing_tried_is_nothing_known():
    assert wilson(0, 0).rate is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes: int, n: int):
    with pytest.raises(ValueError, match="successes out of"):
        wilson(successes, n)


def test_a_difference_of_seeds_has_welchs_interval():
    # t.test(c(0.6, 0.7, 0.8), c(0.2, 0.3, 0.4)) in R has 4 degrees of freedom.
    found = difference_of([0.2, 0.3, 0.4], [0.6, 0.7, 0.8])

    assert found.mean == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.1733, 0.6267), abs=1e-4)


def test_unequal_variances_count_fewer_degrees_of_freedom():
    # Welch gives 2.01 of them, rounded down to 2.
    found = difference_of([0.30, 0.31, 0.32], [0.3, 0.5, 0.7])

    assert found.high - found.mean == pytest.approx(4.303 * 0.11562, abs=1e-3)


@pytest.mark.parametrize(
    ("first", "second"),
    [([0.2], [0.3, 0.4]), ([], [0.3, 0.4]), ([0.2, 0.2], [0.4] * 2)],
)
def test_without_spread_between_seeds_a_difference_has_no_interval(
    first: list[float], second: list[float]
):
    assert difference_of(first, second) is None

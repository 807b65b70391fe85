from __future__ import annotations

import pytest

from webrl_site.statistics import wilson


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

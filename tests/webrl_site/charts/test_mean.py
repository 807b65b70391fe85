from __future__ import annotations

import pytest

from webrl_site.statistics import Mean, mean_of


def test_the_interval_of_three_runs_is_students():
    found = mean_of([0.4, 0.5, 0.6])

    # 4.303 * 0.1 / sqrt(3)
    assert found.mean == pytest.approx(0.5)
    assert found.high == pytest.approx(0.5 + 0.24843, abs=1e-4)


def test_a_single_run_has_no_interval():
    assert mean_of([0.4]) == Mean(1, 0.4, None, None)


def test_the_interval_stays_between_0_and_1():
    found = mean_of([0.0, 1.0])

    assert (found.low, found.high) == (0.0, 1.0)


def test_many_runs_use_the_normal_quantile():
    found = mean_of([0.4, 0.6] * 20)

    assert found.high == pytest.approx(0.5 + 1.96 * 0.10127 / 40**0.5, abs=1e-4)


def test_the_mean_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        mean_of([])

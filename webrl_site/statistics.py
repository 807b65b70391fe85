"""Intervals for proportions. Pure functions."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

Z_95 = 1.959963984540054
# Student's t at 97.5 %, for 1 to 30 degrees of freedom; beyond them nearly Z_95.
T_95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Proportion:
    """Successes out of n attempts with a 95 % Wilson interval, between 0 and 1.

    `rate`, `low` and `high` are None if n is 0.
    """

    n: int
    successes: int
    rate: float | None
    low: float | None
    high: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Mean:
    """Mean of n runs with a 95 % interval over them; no interval for a single one."""

    n: int
    mean: float
    low: float | None
    high: float | None


def mean_of(rates: Sequence[float]) -> Mean:
    """Mean of shares between 0 and 1 with Student's interval, cut at 0 and 1.

    Raises:
        ValueError: There are none.
    """
    if not rates:
        raise ValueError("There is nothing to take the mean of.")
    n, mean = len(rates), statistics.fmean(rates)
    if n == 1:
        return Mean(n, mean, None, None)
    t = T_95[n - 2] if n - 2 < len(T_95) else Z_95
    half = t * statistics.stdev(rates) / math.sqrt(n)
    return Mean(n, mean, max(0.0, mean - half), min(1.0, mean + half))


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Mean of second runs minus that of first ones, -1 to 1, with a 95 % interval."""

    mean: float
    low: float
    high: float


def difference_of(first: Sequence[float], second: Sequence[float]) -> Difference | None:
    """Compare the means of two groups of shares with Welch's interval (1947).

    Degrees of freedom are rounded down, which makes the interval wider. None if a group
    has fewer than two runs, or neither group varies: chance is not known then.
    """
    if min(len(first), len(second)) < 2:
        return None
    errors = [statistics.variance(rates) / len(rates) for rates in (first, second)]
    if not any(errors):
        return None
    freedom = sum(errors) ** 2 / sum(
        error**2 / (len(rates) - 1)
        for error, rates in zip(errors, (first, second), strict=True)
    )
    # Rounding must not make 2 into 1.
    place = int(freedom + 1e-9) - 1
    t = T_95[place] if place < len(T_95) else Z_95
    mean, half = (
        statistics.fmean(second) - statistics.fmean(first),
        t * math.sqrt(sum(errors)),
    )
    return Difference(mean, max(-1.0, mean - half), min(1.0, mean + half))


def wilson(
    successes: int, n: int, z: float = Z_95, *, tasks: int | None = None
) -> Proportion:
    """Wilson's score interval (1927), which is valid near 0 and 1 and for small n.

    Args:
        successes: 0 to n.
        n: Attempts.
        z: The normal distribution's quantile; 1.96 for 95 %.
        tasks: How many tasks they are of, if several are of one. These are not
            independent, at temperature 0 even equal: the interval is that of so many.

    Raises:
        ValueError: Unless 0 <= successes <= n, and 1 <= tasks <= n if n is not 0.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n}")
    if n == 0:
        return Proportion(0, 0, None, None, None)
    size = n if tasks is None else tasks
    if not 1 <= size <= n:
        raise ValueError(f"{n} attempts of {tasks} tasks")
    rate = successes / n
    scale = 1 + z * z / size
    centre = (rate + z * z / (2 * size)) / scale
    half = z * math.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size)) / scale
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Proportion(n, successes, rate, low, high)

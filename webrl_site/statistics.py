"""Intervals for proportions. Pure functions."""

from __future__ import annotations

import dataclasses
import math

Z_95 = 1.959963984540054


@dataclasses.dataclass(frozen=True, slots=True)
class Proportion:
    """Successes out of n with a 95 % Wilson interval, all between 0 and 1.

    `rate`, `low` and `high` are None when n is 0: nothing is known.
    """

    n: int
    successes: int
    rate: float | None
    low: float | None
    high: float | None


def wilson(successes: int, n: int, z: float = Z_95) -> Proportion:
    """Wilson's score interval (1927): honest near 0 and 1 and for small n.

    Raises:
        ValueError: Unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n}")
    if n == 0:
        return Proportion(0, 0, None, None, None)
    rate = successes / n
    scale = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / scale
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Proportion(n, successes, rate, low, high)

"""pass@k: the chance that at least one of k attempts succeeds."""

from __future__ import annotations

import math


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """The unbiased estimate for one task (Chen and others, arXiv 2107.03374, eq. 1).

    1 - C(n - c, k) / C(n, k): the share of all choices of k attempts out of n that
    hold a success.

    Args:
        attempts: n, at least k.
        successes: c, 0 to n.
        k: Attempts that are allowed, at least 1.

    Raises:
        ValueError: k exceeds n, or c exceeds n.
    """
    if not 1 <= k <= attempts:
        raise ValueError(f"k must lie in [1, {attempts}], not {k}.")
    if not 0 <= successes <= attempts:
        raise ValueError(f"successes must lie in [0, {attempts}], not {successes}.")
    return 1.0 - math.comb(attempts - successes, k) / math.comb(attempts, k)

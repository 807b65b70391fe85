"""Perplexity of an action: exp of minus its mean token log-probability, >= 1.

    perplexity(a) = exp(-(1 / n) sum_i log pi_ref(a_i | s, I, a_<i))

Source: WebRL, arXiv 2411.02337, section 3.3.
"""

from __future__ import annotations

import math


def perplexity(log_probability: float, token_count: int) -> float:
    """Perplexity of one action.

    Args:
        log_probability: Sum over the action's tokens, at most 0.
        token_count: How many tokens, at least 1.

    Raises:
        ValueError: `token_count` is not positive.
    """
    if token_count < 1:
        raise ValueError("An action has at least one token.")
    # Beyond exp(700) a float overflows; such an action is "too hard" either way.
    return math.exp(min(-log_probability / token_count, 700.0))

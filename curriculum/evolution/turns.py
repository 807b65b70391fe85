"""How many tasks a generator asks each site for, so that none is left out."""

from __future__ import annotations


def find_share(missing: int, turn: int, sites: int) -> int:
    """Return how many of the missing tasks this turn's site owes, at least 1.

    Sites take turns; the missing tasks are spread over the sites whose turn is still to
    come in this round.

    >>> [find_share(7, 0, 3), find_share(4, 1, 3), find_share(2, 2, 3)]
    [3, 2, 2]
    """
    waiting = sites - turn % sites
    return max(1, -(-missing // waiting))

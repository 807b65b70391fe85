"""How long each stage of a phase took, read from its history. Pure functions."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence

# A phase is stopped in these; the time does not count.
RESTING = ("stopped", "failed")

Move = tuple[str, dt.datetime]


def measure_stages(moves: Sequence[Move]) -> dict[str, float]:
    """Return the seconds of each stage that came to its end, interruptions left out.

    Args:
        moves: Status and when the phase entered it, oldest first.
    """
    seconds: dict[str, float] = {}
    for (status, began), (_, ended) in itertools.pairwise(moves):
        spent = (ended - began).total_seconds()
        seconds[status] = seconds.get(status, 0) + spent
    working = [status for status, _ in moves if status not in RESTING]
    left_out = {*RESTING, *working[-1:]}
    return {stage: time for stage, time in seconds.items() if stage not in left_out}


def find_spans(moves: Sequence[Move]) -> dict[str, tuple[dt.datetime, dt.datetime]]:
    """Return when each stage was first entered and last left; moves as above."""
    spans: dict[str, tuple[dt.datetime, dt.datetime]] = {}
    for (status, began), (_, ended) in itertools.pairwise(moves):
        first, _ = spans.get(status, (began, ended))
        spans[status] = first, ended
    return spans

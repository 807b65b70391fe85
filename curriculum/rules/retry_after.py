"""The Retry-After header: how long a server asks its clients to wait."""

from __future__ import annotations

import email.utils
import time

# Longest wait that a server gets, in seconds: its answer may be mistaken.
MAX_WAIT_S = 3600.0


def read_retry_after(text: str) -> float | None:
    """Return the seconds that a Retry-After header asks for; None where it has none.

    Args:
        text: The header's value: seconds or a date; "" where it is missing.

    The result is at most `MAX_WAIT_S`.
    """
    if text.strip().isdecimal():
        return min(float(text), MAX_WAIT_S)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return min(max(moment.timestamp() - time.time(), 0.0), MAX_WAIT_S)

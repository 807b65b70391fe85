"""The Retry-After header: how long a server asks its clients to wait."""

from __future__ import annotations

import email.utils
import time


def read_retry_after(text: str) -> float | None:
    """Return the seconds that a Retry-After header asks for; None where it has none.

    Args:
        text: The header's value: seconds or a date; "" where it is missing.
    """
    if text.strip().isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(moment.timestamp() - time.time(), 0.0)

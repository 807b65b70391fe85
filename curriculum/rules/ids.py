"""Ids as addresses and forms name them."""

from __future__ import annotations

# The largest number that the databases hold; fewer digits than its own are below it.
MAX_ID = 2**63 - 1
MAX_DIGITS = 18


def read_id(text: str | None) -> int | None:
    """Return the id that a text names, or None where it names none.

    `isdigit` alone is true of "²", which `int` refuses.

    >>> read_id("12"), read_id("²"), read_id("9" * 25), read_id("")
    (12, None, None, None)
    """
    if not text or len(text) > MAX_DIGITS:
        return None
    return int(text) if text.isascii() and text.isdigit() else None

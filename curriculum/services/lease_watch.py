"""Finds leases that are not renewed, without relying on other machines' clocks.

A lease's end is written by the machine that took it and read by another, whose clock
may be hours off: live work would be taken away, or a dead owner's kept. So the end
serves only as a mark that each renewal changes. If a mark stays unchanged for the
length of a lease, as timed by this process, its owner is silent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class LeaseWatch(Generic[Key]):
    """Remembers since when each lease's mark has not changed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds and is never set; it is replaced in tests."""
        self._clock = clock
        self._seen: dict[Key, tuple[object, float]] = {}

    def find_silent(self, marks: Mapping[Key, object], silent_s: float) -> set[Key]:
        """Return the leases whose mark has not changed for `silent_s` seconds.

        Args:
            marks: All present leases; missing ones are forgotten.
            silent_s: Seconds, at least the length of a lease.
        """
        now, before = self._clock(), self._seen
        self._seen = {
            key: before[key] if before.get(key, (None,))[0] == mark else (mark, now)
            for key, mark in marks.items()
        }
        return {
            key for key, (_, since) in self._seen.items() if now - since >= silent_s
        }

"""Pauses between tries to start a browser that does not start.

A machine without a working browser would otherwise take the whole queue from the other
machines of a lab, and fail it within seconds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

# The second failure in a row begins the pauses: the first is often a driver that
# was killed and that the next try replaces. Each is twice as long as the one before.
FIRST_S, MAX_S = 1.0, 30.0


class LaunchPauses:
    """Counts failures in a row; used from one asyncio loop only."""

    def __init__(
        self,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Both are replaced in tests."""
        self._pause = pause
        self._clock = clock
        self._failures = 0
        self._open_at = 0.0

    async def wait(self) -> None:
        """Wait until the next try may begin: at once unless starts have failed."""
        left = self._open_at - self._clock()
        if left > 0:
            await self._pause(left)

    def note_failure(self) -> None:
        """Count a start that failed."""
        self._failures += 1
        if self._failures > 1:
            # The exponent is bounded: a power of thousands of failures overflows.
            pause = FIRST_S * 2.0 ** min(self._failures - 2, 10)
            self._open_at = self._clock() + min(pause, MAX_S)

    def note_start(self) -> None:
        """Forget the failures: a browser has started."""
        self._failures, self._open_at = 0, 0.0

"""Limits for each answer of a model's host as a whole.

httpx limits the wait for each part alone. A host that sends a blank now and then, as
some proxies do while a model computes, or that never ends, would keep its caller for
as long as it likes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx

# Far more than the longest answer with the log-probabilities of its tokens.
MAX_ANSWER_BYTES = 64 * 2**20
Hook = Callable[[httpx.Response], None]


def bound_answers(
    seconds: float, *, clock: Callable[[], float] = time.monotonic
) -> dict[str, list[Hook]]:
    """Return the `event_hooks` of a client whose answers are limited.

    Reading an answer raises httpx.ReadTimeout where it has not ended `seconds` after
    its headers, and httpx.ReadError where it is too large.
    """

    def bound(response: httpx.Response) -> None:
        if isinstance(response.stream, httpx.SyncByteStream):
            ends = clock() + seconds
            response.stream = _Bounded(response.stream, ends, clock)

    return {"response": [bound]}


class _Bounded(httpx.SyncByteStream):
    def __init__(
        self, stream: httpx.SyncByteStream, ends: float, clock: Callable[[], float]
    ) -> None:
        self._stream = stream
        self._ends = ends
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_ANSWER_BYTES
        for part in self._stream:
            left -= len(part)
            if self._clock() > self._ends:
                raise httpx.ReadTimeout("the answer did not end in time")
            if left < 0:
                raise httpx.ReadError("the answer is too large")
            yield part

    def close(self) -> None:
        self._stream.close()

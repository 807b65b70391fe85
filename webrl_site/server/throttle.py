"""FailedAttempts with wrong secrets: so many in a minute, then a wait until it is over.

Counted in the cache. Each web process counts by itself.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time

from django.core.cache import cache


@dataclasses.dataclass(frozen=True, slots=True)
class FailedAttempts:
    """With one kind of secret; `most` wrong ones a minute from anybody."""

    kind: str
    most: int

    def wait_s(self, who: str) -> int:
        """Return after how many seconds they may try again; 0: at once."""
        minute, second = _now()
        is_over = cache.get(self._key(who, minute), 0) >= self.most
        return 60 - second if is_over else 0

    def count_wrong(self, who: str) -> None:
        key = self._key(who, _now()[0])
        cache.add(key, 0, timeout=120)
        cache.incr(key)

    def _key(self, who: str, minute: int) -> str:
        """Name a minute's count; what people type is no key for every cache."""
        digest = hashlib.sha256(who.encode()).hexdigest()
        return f"wrong-{self.kind}:{digest}:{minute}"


def _now() -> tuple[int, int]:
    """Return the present minute and the second in it."""
    return divmod(int(time.time()), 60)

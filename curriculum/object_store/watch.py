"""Whether the object store answers, for callers that cannot wait for its timeout.

A bucket that drops packets times out after half a minute; by then a load balancer would
take the web process for dead. So a thread checks, and the last result is returned.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from django.conf import settings

from curriculum.object_store.store import StoreDown, open_store

logger = logging.getLogger(__name__)

Word = Literal["ok", "down", "unknown"]
# Each check writes to the store, and any client may ask for one.
KEPT_S = 10.0
# Wait for the first answer; a healthy store answers by then.
WAIT_S = 0.5


class StoreWatch:
    """Remembers for a while whether the store answered; one check at a time."""

    def __init__(self, check: Callable[[], None]) -> None:
        """`check` raises StoreDown where the store fails."""
        self._check = check
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._word: Word = "unknown"
        self._asked_at = 0.0

    def read(self) -> Word:
        """Return the last result; let a thread check again where it is old."""
        with self._lock:
            is_old = time.monotonic() - self._asked_at > KEPT_S
            if self._thread is None and (is_old or self._word == "unknown"):
                self._thread = threading.Thread(target=self._ask, daemon=True)
                self._thread.start()
            thread = self._thread
        if thread and self._word == "unknown":
            thread.join(WAIT_S)
        return self._word

    def _ask(self) -> None:
        word: Word = "down"
        try:
            self._check()
            word = "ok"
        except StoreDown as error:
            logger.warning("%s", error.message)
        finally:
            with self._lock:
                self._word, self._asked_at = word, time.monotonic()
                self._thread = None


def check_store() -> None:
    """Write, read and remove a small object.

    Raises:
        StoreDown: One of these failed.
    """
    if store := open_store():
        store.check()


# Of this process.
WATCH = StoreWatch(check_store)


def is_store_down() -> bool:
    """Say whether this process has just found that the store does not answer.

    False where no store is set; returns within `WAIT_S`.
    """
    return bool(settings.OBJECT_STORE) and WATCH.read() == "down"

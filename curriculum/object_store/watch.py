"""Whether the object store answers, for whoever cannot wait until it does not.

A bucket that swallows packets is given up after half a minute; a load balancer would
take the web process for dead by then. So a thread asks, and the last word is told.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from curriculum.object_store.store import StoreDown, open_store

logger = logging.getLogger(__name__)

Word = Literal["ok", "down", "unknown"]
# Each look writes to the store, and anybody may ask.
KEPT_S = 10.0
# For the first answer, which a store that is well gives by then.
WAIT_S = 0.5


class StoreWatch:
    """Remembers for a while whether the store answered; asks one at a time."""

    def __init__(self, check: Callable[[], None]) -> None:
        """`check` raises StoreDown where the store does not do what it should."""
        self._check = check
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._word: Word = "unknown"
        self._asked_at = 0.0

    def read(self) -> Word:
        """Return the last word; let a thread ask again where it is old."""
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
        StoreDown: The store does not do so.
    """
    if store := open_store():
        store.check()


# Of this process.
WATCH = StoreWatch(check_store)

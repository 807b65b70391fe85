"""A thread that renews a lease while the job blocks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.db import DatabaseError, close_old_connections, connection

from curriculum.rules.stopping import STOPPING

logger = logging.getLogger(__name__)


class Pulse:
    """Calls `renew` three times per lease; `must_stop` is set when it is refused."""

    def __init__(self, what: str, renew: Callable[[], bool], lease_s: float) -> None:
        """`renew` extends the lease, and returns False once another owner has it."""
        self._what = what
        self._renew_lease = renew
        self._lease_s = lease_s
        self._lost = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    @property
    def must_stop(self) -> bool:
        """Whether the lease is lost or the worker shuts down."""
        return self._lost.is_set() or STOPPING.is_set()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        last = time.monotonic()
        try:
            while not self._ended.wait(self._lease_s / 3):
                if self._renew():
                    last = time.monotonic()
                elif self._lost.is_set() or time.monotonic() - last > self._lease_s:
                    self._lost.set()
                    return
        finally:
            connection.close()

    def _renew(self) -> bool:
        """Renew once; retry if the database does not answer."""
        try:
            close_old_connections()
            if self._renew_lease():
                return True
        except DatabaseError:
            logger.exception("The lease on %s was not renewed", self._what)
            return False
        self._lost.set()
        return False

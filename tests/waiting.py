"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

# Of a machine that is busy with other tests.
LIMIT_S = 120.0


def wait_for(condition: Callable[[], object]) -> None:
    """Return once the condition holds; fail when it takes too long."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)

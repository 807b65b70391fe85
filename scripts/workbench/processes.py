"""Child processes that are never left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
# Looked up before any fork: between fork and exec nothing may allocate or lock.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PARENT = os.getpid()


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies; runs after fork.

    The signal is TERM, so that a child can end its own children and give its work
    back. The one system without this call leaves it to the supervisor's sweep.
    """
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != _PARENT:
            os._exit(1)

"""A process that is forked from this one, with the methods of `subprocess.Popen`.

A training that starts as a fresh program imports torch first, which takes longer than
the training of a tiny model.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from tqdm import tqdm

POLL_S = 0.01


class Forked:
    """Runs a function that returns an exit code; its output goes to `output`."""

    def __init__(self, work: Callable[[], int], output: int) -> None:
        """Fork at once; `output` is the file descriptor of its log."""
        self.returncode: int | None = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _run(work, output)

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended.

        Raises:
            subprocess.TimeoutExpired: It runs longer.
        """
        began = time.monotonic()
        while (code := self.poll()) is None:
            if timeout is not None and time.monotonic() - began > timeout:
                raise subprocess.TimeoutExpired("forked", timeout)
            time.sleep(POLL_S)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def _run(work: Callable[[], int], output: int) -> None:
    """Run as a separate program would, and never return into the parent's code."""
    code = 1
    # The library's own lock is one semaphore of all forked processes: one that is
    # killed while it holds it would block the others for ever.
    tqdm.set_lock(threading.RLock())
    try:
        os.setsid()
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        code = work()
    except BaseException:  # noqa: BLE001 (any exception ends only this process)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

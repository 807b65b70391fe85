"""The turn to write: a lock that threads and processes share.

SQLite admits one writer at a time. Waiting writers try again after pauses that grow to
a tenth of a second, so that later ones overtake them. A lock of the operating system is
passed on within milliseconds, and is released when its process ends.
"""

from __future__ import annotations

import fcntl
import functools
import os
import threading
import time
import weakref

# After this wait a writer continues without its turn: SQLite's own lock decides.
WAIT_S = 10.0
# How often another process's turn is polled: more often by processes that people wait
# for than by those of a lower priority, so that these come last.
LOOK_EVERY_S = 0.001
BACKGROUND_LOOKS_EVERY_S = 0.01


class WriteTurn:
    """One lock of all threads of all processes, named by a file."""

    def __init__(self, path: str, wait_s: float = WAIT_S) -> None:
        self._path, self.wait_s = path, wait_s
        self._file: int | None = None
        self._among_threads = threading.Lock()
        _TURNS.add(self)

    def take(self) -> bool:
        """Wait for the turn; return whether it came."""
        deadline = time.monotonic() + self.wait_s
        if not self._among_threads.acquire(timeout=self.wait_s):
            return False
        if self._take_from_processes(deadline):
            return True
        self._among_threads.release()
        return False

    def _take_from_processes(self, deadline: float) -> bool:
        pause = BACKGROUND_LOOKS_EVERY_S if _is_background() else LOOK_EVERY_S
        try:
            while not self._try():
                if time.monotonic() > deadline:
                    return False
                time.sleep(pause)
        except OSError:
            # The folder is full or read-only: SQLite reports that itself.
            return False
        return True

    def _try(self) -> bool:
        if self._file is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            self._file = os.open(self._path, flags, 0o600)
        try:
            # Of the process, not of the open file: a fork does not hold it, too.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def give(self) -> None:
        """Let the next one write."""
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN)
        self._among_threads.release()

    def forget_threads(self) -> None:
        """Start afresh in a child process, which has none of its parent's threads."""
        self._among_threads = threading.Lock()


_TURNS: weakref.WeakSet[WriteTurn] = weakref.WeakSet()


@functools.cache
def turn_at(path: str) -> WriteTurn:
    """Return the process's only turn of this name.

    A second one would release the first one's lock when it closes its file.
    """
    return WriteTurn(path)


def _is_background() -> bool:
    return os.getpriority(os.PRIO_PROCESS, 0) > 0


def _forget_threads() -> None:
    for turn in _TURNS:
        turn.forget_threads()


os.register_at_fork(after_in_child=_forget_threads)

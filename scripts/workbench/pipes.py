"""What ends a command whose output nobody reads to its end, as in `| head`."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# As a shell reports a process that SIGPIPE has ended.
READER_LEFT = 128 + signal.SIGPIPE


@contextmanager
def until_reader_leaves() -> Iterator[None]:
    """End quietly, with READER_LEFT, once the reader of the output has left.

    Raises:
        BrokenPipeError: Another pipe broke, such as one to a started process.
    """
    try:
        yield
        # What is still buffered would fail while the interpreter ends.
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        if not _has_lost_reader():
            raise
        _discard_output()
        sys.exit(READER_LEFT)


def _has_lost_reader() -> bool:
    output = select.poll()
    output.register(sys.stdout, select.POLLOUT)
    return any(event & select.POLLERR for _, event in output.poll(0))


def _discard_output() -> None:
    """What is still buffered is flushed once more when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())

"""Ends child processes, so that none is left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG = 1
MAX_ROUNDS = 5
# With which a terminal, a person or a process manager tells a process to end.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Looked up before any fork: between fork and exec nothing may allocate or lock.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PARENT = os.getpid()
Handler = Callable[[int, FrameType | None], object]


def die_with_parent() -> None:
    """Make the kernel end this process when its parent dies; runs after fork.

    The signal is TERM, so that a child can end its own children and give its work
    back. If the system lacks the call, the next start ends what was left behind.
    """
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != _PARENT:
            os._exit(1)


@contextmanager
def signals_handled(handle: Handler) -> Iterator[None]:
    """Let `handle` handle signals to end; ignored signals stay ignored."""
    wanted = [one for one in ENDING if signal.getsignal(one) != signal.SIG_IGN]
    earlier = {one: signal.signal(one, handle) for one in wanted}
    try:
        yield
    finally:
        for one, before in earlier.items():
            signal.signal(one, before)


def has_terminal() -> bool:
    """Return whether Ctrl-C of our terminal reaches us and all our children."""
    for stream in (0, 1, 2):
        with suppress(OSError):
            return os.tcgetpgrp(stream) == os.getpgrp()
    return False


def signal_group(pid: int, signum: signal.Signals) -> None:
    """Signal a whole process group; nothing happens if it no longer exists."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signum)


def find_marked(marker: str) -> list[int]:
    """Return the processes whose environment holds `marker`, except this one.

    A marker survives every fork and exec, so it also finds grandchildren that have
    moved to their own process group, as browsers do. Linux only.
    """
    found = []
    wanted = marker.encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if wanted in variables and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


def end_all(pids: Iterable[int], limit_s: float) -> None:
    """Ask processes that are not our children to end; KILL the rest at the limit."""
    left = list(pids)
    for signum, patience_s in ((signal.SIGTERM, limit_s), (signal.SIGKILL, 2.0)):
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signum)
        deadline = time.monotonic() + patience_s
        while left and time.monotonic() < deadline:
            left = [pid for pid in left if _is_alive(pid)]
            time.sleep(0.02)


def end_marked(marker: str, limit_s: float) -> None:
    """End all processes whose environment holds `marker`; Linux only.

    Repeated, to find processes that were started meanwhile.
    """
    for _ in range(MAX_ROUNDS):
        if not (pids := find_marked(marker)):
            return
        end_all(pids, limit_s)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def free_port(wanted: int = 0, *, avoid: Iterable[int] = ()) -> int:
    """Return `wanted` when nothing listens there on loopback, else another port."""
    while True:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", wanted))
            except OSError:
                wanted = 0
                continue
            port = int(probe.getsockname()[1])
        if port not in avoid:
            return port
        wanted = 0


def accepts(port: int) -> bool:
    """Return whether something on loopback accepts connections at `port`."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0

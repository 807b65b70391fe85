"""One running workbench per data folder: its supervisor and its address."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import DATA_DIR
from scripts.workbench.processes.child import STOP_LIMIT_S
from scripts.workbench.processes.cleanup import end_all, find_marked
from scripts.workbench.processes.stack import TRAINING_STOP_LIMIT_S

LOCK = DATA_DIR / "run" / "up.lock"
STATE = DATA_DIR / "run" / "up.json"
# Each process may need this time to start, and its predecessor to end.
RESTART_LIMIT_S = 900.0 + TRAINING_STOP_LIMIT_S


@contextmanager
def claim() -> Iterator[None]:
    """Be the only supervisor of this data folder while the block runs.

    The kernel drops the lock on any kind of death; processes that a predecessor left
    behind are ended first.

    Raises:
        WorkbenchError: The workbench already runs; the message has its address.
    """
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("a", encoding="utf-8") as file:
        if not _lock(file):
            refuse()
        if marker := read_state().get("marker"):
            end_all(find_marked(str(marker)), limit_s=STOP_LIMIT_S)
        write_state(pid=os.getpid())
        try:
            yield
        finally:
            STATE.unlink(missing_ok=True)


def refuse() -> NoReturn:
    """Say that the workbench already runs, and where."""
    state = read_state()
    dashboard = dict(state.get("addresses") or {}).get("DASHBOARD_URL", "(starting)")
    raise WorkbenchError(
        f"The workbench already runs at {dashboard} "
        f"(process {state.get('pid', '?')}). ./webrl down ends it."
    )


def _lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def read_state() -> dict[str, Any]:
    """Return what the running supervisor wrote: pid, addresses, marker; or nothing."""
    with suppress(OSError, ValueError):
        return dict(json.loads(STATE.read_text(encoding="utf-8")))
    return {}


def write_state(**facts: object) -> None:
    """Add facts about the running workbench."""
    fresh = STATE.with_suffix(".new")
    fresh.write_text(json.dumps(read_state() | facts), encoding="utf-8")
    fresh.replace(STATE)


def find_addresses() -> dict[str, str]:
    """Return the running workbench's addresses by setting; {} while it starts.

    They differ from the settings where it had to take other ports.
    """
    found = read_state().get("addresses") if is_running() else None
    return dict(found or {})


def is_running() -> bool:
    """Return whether a supervisor holds the lock."""
    if not LOCK.exists():
        return False
    with LOCK.open("a", encoding="utf-8") as file:
        return not _lock(file)


def ask_to_restart() -> list[str]:
    """Let the running supervisor replace its processes; return the failures.

    Raises:
        WorkbenchError: It does not run, still starts, or does not finish.
    """
    before = read_state() if is_running() else {}
    pid, count = before.get("pid"), before.get("restarts")
    if not isinstance(pid, int) or not isinstance(count, int):
        raise WorkbenchError("The workbench does not run here, or is still starting.")
    os.kill(pid, signal.SIGUSR1)
    deadline = time.monotonic() + RESTART_LIMIT_S
    while read_state().get("restarts") == count:
        if not is_running() or time.monotonic() > deadline:
            raise WorkbenchError(f"Process {pid} has not replaced its processes.")
        time.sleep(0.1)
    return list(read_state().get("not_replaced") or [])


def stop() -> bool:
    """Ask the running supervisor to end, and wait; return whether one was running.

    Raises:
        WorkbenchError: It does not end.
    """
    if not is_running():
        return False
    pid = read_state().get("pid")
    if isinstance(pid, int):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_LIMIT_S + TRAINING_STOP_LIMIT_S
    while is_running():
        if time.monotonic() > deadline:
            raise WorkbenchError(f"Process {pid} does not end.")
        time.sleep(0.1)
    return True

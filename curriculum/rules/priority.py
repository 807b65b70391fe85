"""Who waits when the processor is short: episodes and trainings, not people.

A phase keeps every core busy for hours, and a page needs one for milliseconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

BACKGROUND_QUEUES = frozenset({"rollouts", "training"})
# Of 0 to 19: the share of a core is about a tenth of a page's where both want it.
NICENESS = 10
# Linux takes one change of a session's priority in a tenth of a second.
TRIES, RETRY_S = 5, 0.15


def lower_priority(queues: Collection[str]) -> None:
    """Lower this process's priority where it works for a queue of the background.

    What it starts inherits it, but for sessions of their own: see `share_priority`.
    """
    if BACKGROUND_QUEUES.intersection(queues):
        os.nice(NICENESS)
        share_priority(os.getpid())


def share_priority(pid: int) -> None:
    """Give this process's priority to the session that another process leads.

    Linux can share the processor among sessions first ("autogroup", sched(7)). Then
    the niceness of a process counts within its session alone, and each session that
    is started has the usual priority.

    Args:
        pid: The process; nothing happens where it leads no session.
    """
    niceness = os.nice(0)
    try:
        if niceness > 0 and os.getsid(pid) == pid:
            _write(Path(f"/proc/{pid}/autogroup"), niceness)
    except OSError:
        return  # No such thing on this system, or the process is gone.


def _write(path: Path, niceness: int) -> None:
    for _ in range(TRIES):
        try:
            path.write_text(str(niceness))
            return
        except BlockingIOError:
            time.sleep(RETRY_S)

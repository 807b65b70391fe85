"""Process priorities: episodes and trainings give way to pages.

A phase keeps every core busy for hours, and a page needs one for milliseconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

BACKGROUND_QUEUES = frozenset({"rollouts", "training"})
# From 0 to 19: at this value a job gets about a tenth of the core time of a page.
NICENESS = 10
# Linux accepts one change of a session's priority per tenth of a second.
TRIES, RETRY_S = 5, 0.15


def lower_priority(queues: Collection[str]) -> None:
    """Lower this process's priority if it works for a background queue.

    Child processes inherit it, except those with a session of their own: see
    `share_priority`.
    """
    if BACKGROUND_QUEUES.intersection(queues):
        os.nice(NICENESS)
        share_priority(os.getpid())


def share_priority(pid: int) -> None:
    """Give this process's priority to the session that another process leads.

    Linux can share the processor among sessions first ("autogroup", sched(7)). Then the
    niceness of a process counts only within its session, and each new session has the
    default priority.

    Args:
        pid: The process; nothing happens where it leads no session.
    """
    niceness = os.nice(0)
    try:
        if niceness > 0 and os.getsid(pid) == pid:
            _write(Path(f"/proc/{pid}/autogroup"), niceness)
    except OSError:
        return  # The system has no such feature, or the process has ended.


def _write(path: Path, niceness: int) -> None:
    for _ in range(TRIES):
        try:
            path.write_text(str(niceness))
            return
        except BlockingIOError:
            time.sleep(RETRY_S)

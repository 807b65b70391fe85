"""R4: a phase is killed before one of its writes and continues in another process."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

from django.conf import settings
from django.db import connection

from drills.faults.content import digest, name_differences
from drills.faults.one_process import Broker, run_phase
from drills.faults.phases import (
    Writes,
    begin_anew,
    run_here,
    run_in_child,
    write_first,
)
from drills.outcome import Outcome

# Trying all writes takes minutes; DRILL_POINTS=0 does.
POINTS = int(os.environ.get("DRILL_POINTS") or 20)


def measure() -> Outcome:
    """Compare the rows of each killed phase with those of a phase that ran through."""
    phase_id = write_first()
    expected = run_here(phase_id, Broker())
    total = _count_writes(phase_id)
    points = list(range(1, total + 1))
    if POINTS:
        points = sorted(random.Random(4).sample(points, POINTS))
    wrong = [text for point in points if (text := _try(phase_id, point, expected))]
    text = (
        f"{len(points)} of {total} writes tried: {len(points) - len(wrong)} phases the "
        f"same as the one that nobody killed ({digest(expected)[:12]})"
    )
    return Outcome(text, not wrong, "; ".join(wrong[:3]))


def _count_writes(phase_id: int) -> int:
    """Return how many writes the phase takes."""
    file = Path(settings.DATA_DIR) / "writes"

    def count() -> None:
        writes = Writes()
        with connection.execute_wrapper(writes):
            run_phase(phase_id, Broker())
        file.write_text(str(writes.count))

    begin_anew()
    run_in_child(count)
    return int(file.read_text())


def _try(phase_id: int, point: int, expected: dict[str, list[str]]) -> str:
    """Kill before a write, continue in another process; return what differs, or ""."""

    def work() -> None:
        writes = Writes(point, lambda: os.kill(os.getpid(), signal.SIGKILL))
        with connection.execute_wrapper(writes):
            run_phase(phase_id, Broker())

    begin_anew()
    ended = run_in_child(work)
    found = run_here(phase_id, Broker())
    if ended != -signal.SIGKILL:
        return f"write {point}: nobody was killed ({ended})"
    if found == expected:
        return ""
    return f"write {point}: other {name_differences(expected, found)}"

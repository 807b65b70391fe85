"""R9: a hundred annotators who think, beside six writers, for a minute.

DRILL_MINUTES=10 takes ten, and asks for a second instead of 300 ms.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from collections import Counter
from collections.abc import Sequence

from benchmarks.desk_clients import work
from benchmarks.desk_rows import count_doubled, count_lost, open_desk
from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, count_left, end, spawn_worker
from drills.outcome import Outcome
from drills.web import ensure_web

PEOPLE, THINK_S, WRITERS = 100, 2.0, 6
MINUTES = float(os.environ.get("DRILL_MINUTES") or 1)
# More than can be done in that time.
TASKS, EPISODES = round(4000 * MINUTES), round(5000 * MINUTES)
MAX_P95_MS = 300.0 if MINUTES <= 1 else 1000.0
LONGER_ASKED = f"{MINUTES:g} min: no error, p95 under a second" if MINUTES > 1 else ""


def measure() -> Outcome:
    """Let people decide while workers write steps; time decisions, look for each."""
    url = ensure_web()
    # Also the seeds of what the people decide about.
    phase = open_collecting(EPISODES)
    with open_desk(PEOPLE, TASKS) as desk:
        fleet = Fleet(workers=WRITERS)
        writers = [spawn_worker(phase.pk, fleet, n) for n in range(WRITERS)]
        try:
            seen = asyncio.run(work(url, desk, seconds=60 * MINUTES, think_s=THINK_S))
        finally:
            end(writers)
        lost = count_lost(desk.phase_id, seen.sent)
        doubled = count_doubled(desk.phase_id)
        written = EPISODES - count_left(phase.pk)
    p95 = _find_p95(seen.decisions)
    text = (
        f"{PEOPLE} people, {WRITERS} writers, {MINUTES:g} min: {len(seen.sent)} "
        f"decisions taken and {written} episodes written, p95 {p95:.0f} ms, "
        f"{lost} lost, {doubled} twice, {len(seen.errors)} errors"
    )
    notes = [f"{what} ({n})" for what, n in Counter(seen.errors).items()]
    notes.append(_compare_ends(seen.decisions))
    ok = not (lost or doubled or seen.errors) and p95 < MAX_P95_MS
    return Outcome(text, ok and bool(seen.sent), "; ".join(notes), LONGER_ASKED)


def _find_p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _compare_ends(times: Sequence[float]) -> str:
    """Tell whether decisions slow down: `times` are in the order of their answers."""
    tenth = max(2, len(times) // 10)
    first, last = _find_p95(times[:tenth]), _find_p95(times[-tenth:])
    return f"p95 of the first tenth {first:.0f} ms, of the last {last:.0f} ms"

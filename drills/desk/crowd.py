"""R9: a hundred annotators who think, beside six writers, for a minute."""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter

from benchmarks.desk_clients import work
from benchmarks.desk_rows import count_doubled, count_lost, open_desk
from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, end, spawn_worker
from drills.outcome import Outcome
from drills.web import ensure_web

PEOPLE, TASKS, SECONDS, THINK_S = 100, 4000, 60.0, 2.0
WRITERS, EPISODES = 6, 20_000
MAX_P95_MS = 300.0


def measure() -> Outcome:
    """Let people decide while workers write steps; time decisions, look for each."""
    url = ensure_web()
    # Also the seeds of what the people decide about.
    phase = open_collecting(EPISODES)
    with open_desk(PEOPLE, TASKS) as desk:
        fleet = Fleet(workers=WRITERS)
        writers = [spawn_worker(phase.pk, fleet, n) for n in range(WRITERS)]
        try:
            seen = asyncio.run(work(url, desk, seconds=SECONDS, think_s=THINK_S))
        finally:
            end(writers)
        lost = count_lost(desk.phase_id, seen.sent)
        doubled = count_doubled(desk.phase_id)
    p95 = statistics.quantiles(seen.decisions, n=20)[-1]
    text = (
        f"{PEOPLE} people, {WRITERS} writers, {SECONDS:g} s: {len(seen.sent)} "
        f"decisions taken, p95 {p95:.0f} ms, {lost} lost, {doubled} twice, "
        f"{len(seen.errors)} errors"
    )
    note = "; ".join(f"{what} ({n})" for what, n in Counter(seen.errors).items())
    ok = not (lost or doubled or seen.errors) and p95 < MAX_P95_MS
    return Outcome(text, ok and bool(seen.sent), note)

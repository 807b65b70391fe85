"""R9: a hundred annotators who think, while six writers save steps, for a minute.

The writers save steps as fast as they can, more than any phase does.
DRILL_PHASE=chromium uses a real phase instead: one worker with eight contexts of
real Chromium. DRILL_MINUTES=10 takes ten minutes, and its limit is a second instead
of 300 ms.
"""

from __future__ import annotations

import contextlib
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from django.conf import settings

from benchmarks.desk_clients import work
from benchmarks.desk_rows import count_doubled, count_lost, open_desk
from curriculum.models import Phase
from drills.browsers.chain_site import lead_tasks_there, serve_chain, spawn_collector
from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, count_left, end, spawn_worker
from drills.outcome import Outcome
from drills.web import ensure_web

PEOPLE, THINK_S, WRITERS = 100, 2.0, 6
CONTEXTS, MAX_RETRIES = 8, 3
MINUTES = float(os.environ.get("DRILL_MINUTES") or 1)
PHASE = os.environ.get("DRILL_PHASE", "")
IS_REAL = PHASE == "chromium"
# More than can be done in that time.
TASKS, EPISODES = round(4000 * MINUTES), round(5000 * MINUTES)
MAX_P95_MS = 300.0 if MINUTES <= 1 else 1000.0
SERVERS = settings.WEB_PROCESSES
BESIDE = "a phase in Chromium" if IS_REAL else f"{WRITERS} writers"
LIMIT = "300 ms" if MINUTES <= 1 else "a second"
# The condition, if it differs from the bar's own.
ASKED = (
    f"{BESIDE} and {PEOPLE} annotators, {MINUTES:g} min: 0 errors, p95 under {LIMIT}"
    if MINUTES != 1 or IS_REAL
    else ""
)


def measure() -> Outcome:
    """Let people decide while workers write steps; time and verify each decision."""
    if PHASE not in ("", "chromium"):
        raise ValueError(f"DRILL_PHASE is {PHASE}; it can be chromium, or left out.")
    url = ensure_web()
    # Its tasks are also the seeds of the tasks that the people decide about.
    phase = open_collecting(EPISODES)
    with open_desk(PEOPLE, TASKS) as desk:
        with _collect_in_chromium(phase) if IS_REAL else _write(phase):
            seen = work(url, desk, seconds=60 * MINUTES, think_s=THINK_S)
        lost = count_lost(desk.phase_id, seen.sent)
        doubled = count_doubled(desk.phase_id)
        written = EPISODES - count_left(phase.pk)
    p95 = _find_p95(seen.decisions)
    text = (
        f"{PEOPLE} people, {BESIDE}, web processes: {SERVERS}, {MINUTES:g} min: "
        f"{len(seen.sent)} "
        f"decisions taken and {written} episodes written, p95 {p95:.0f} ms, "
        f"{lost} lost, {doubled} twice, {len(seen.errors)} errors"
    )
    notes = [f"{what} ({n})" for what, n in Counter(seen.errors).items()]
    notes.append(_compare_ends(seen.decisions))
    ok = not (lost or doubled or seen.errors) and p95 < MAX_P95_MS
    return Outcome(text, ok and bool(seen.sent), "; ".join(notes), ASKED)


@contextlib.contextmanager
def _write(phase: Phase) -> Iterator[None]:
    """Let six workers save steps of the stand-in site, a step every 4 ms each."""
    fleet = Fleet(workers=WRITERS)
    writers = [spawn_worker(phase.pk, fleet, n) for n in range(WRITERS)]
    try:
        yield
    finally:
        end(writers)


@contextlib.contextmanager
def _collect_in_chromium(phase: Phase) -> Iterator[None]:
    """Let one worker collect as a phase does; a stand-in chooses the actions."""
    lead_tasks_there(phase, MAX_RETRIES)
    with serve_chain() as url:
        worker = spawn_collector(phase.pk, url, CONTEXTS)
        try:
            yield
        finally:
            end([worker])


def _find_p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _compare_ends(times: Sequence[float]) -> str:
    """Show whether decisions slow down; `times` are in the order of the answers."""
    tenth = max(2, len(times) // 10)
    first, last = _find_p95(times[:tenth]), _find_p95(times[-tenth:])
    return f"p95 of the first tenth {first:.0f} ms, of the last {last:.0f} ms"

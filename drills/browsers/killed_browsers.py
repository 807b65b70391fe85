"""R2: workers with real Chromium are killed, and so are their drivers and browsers."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from contextlib import suppress

from drills.browsers.chain_site import (
    lead_tasks_there,
    serve_chain,
    spawn_collector,
)
from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import LOOK_EVERY_S, count_left, end, reap, spawn, sweep_on
from drills.outcome import Outcome
from rollouts.browser.process.memory import measure_tree
from rollouts.models import Trajectory
from scripts.workbench.processes.cleanup import find_marked
from tests.rollouts.browser.processes import is_running

EPISODES, KILLS, WORKERS, CONTEXTS = 60, 30, 2, 3
# The next kill waits until about two more episodes have ended. Otherwise no episode
# would end on a machine that starts a browser more slowly than kills follow.
ENDED_BETWEEN = 0.9 * EPISODES / KILLS
# Then it comes at a random moment within so many seconds.
WITHIN_S = 3.0
GONE_S, LIMIT_S = 5.0, 1500.0
MAX_RETRIES = 10
MARKER = "DRILL_BROWSERS"


class Killings:
    """Kills one process at a time; checks that a killed worker's children end too."""

    def __init__(self) -> None:
        """Nothing has been killed yet."""
        self.killed: list[str] = []
        self.leftovers = 0
        self._watched: list[tuple[float, set[int]]] = []
        self._draw = random.Random(2)
        self._next = time.monotonic() + WITHIN_S

    def is_due(self, ended: int, now: float) -> bool:
        """Return whether a kill is due, given the number of ended episodes."""
        may = len(self.killed) < KILLS and ended >= ENDED_BETWEEN * len(self.killed)
        if may and now < self._next:
            return False
        self._next = now + self._draw.uniform(0, WITHIN_S)
        return may

    def kill_one(self, workers: list[int]) -> None:
        """Kill a worker, or the driver or browser below it."""
        worker = self._draw.choice(workers)
        below = [one.pid for one in measure_tree(worker) if one.pid != worker]
        victim = self._draw.choice([worker, *below[:2]])
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
            self.killed.append("worker" if victim == worker else "below")
        if victim == worker:
            self._watched.append((time.monotonic() + GONE_S, set(below)))

    def look(self, now: float) -> None:
        """Count processes that outlived their worker by `GONE_S`."""
        due = [pids for at, pids in self._watched if at <= now]
        self._watched = [one for one in self._watched if one[0] > now]
        self.leftovers += sum(is_running(pid) for pids in due for pid in pids)


def measure() -> Outcome:
    """Collect under kills; check each episode and look for remaining processes."""
    phase = open_collecting(EPISODES)
    lead_tasks_there(phase, MAX_RETRIES)
    marker = secrets.token_hex(8)
    os.environ[MARKER] = marker
    began = time.monotonic()
    with serve_chain() as url:
        killings = _collect_under_kills(phase.pk, url)
    seconds = time.monotonic() - began
    time.sleep(GONE_S)
    left = len(find_marked(f"{MARKER}={marker}"))
    damage = find_damage(phase.pk, EPISODES)
    unsolved = Trajectory.objects.filter(phase=phase).exclude(outcome=True).count()
    workers = killings.killed.count("worker")
    text = (
        f"{EPISODES} episodes in Chromium, {len(killings.killed)} kills ({workers} of "
        f"workers, the others of drivers and browsers) in {seconds:.0f} s: "
        f"{len(damage)} lost, doubled or with gaps, {unsolved} not solved; "
        f"{killings.leftovers} processes outlived their worker by {GONE_S:g} s, {left} "
        "were left at the end"
    )
    whole = not damage and not unsolved and not killings.leftovers and not left
    return Outcome(text, whole and len(killings.killed) >= KILLS, "; ".join(damage[:3]))


def _collect_under_kills(phase_id: int, url: str) -> Killings:
    """Collect all episodes, and kill until there were enough kills.

    Raises:
        TimeoutError: Episodes are left after `LIMIT_S`.
    """
    killings = Killings()
    began = time.monotonic()
    sweeper = spawn(sweep_on)
    children = [spawn_collector(phase_id, url, CONTEXTS) for _ in range(WORKERS)]
    try:
        while left := count_left(phase_id):
            now = time.monotonic()
            if now - began > LIMIT_S:
                raise TimeoutError(f"{left} episodes are left.")
            if killings.is_due(EPISODES - left, now):
                killings.kill_one(children)
            killings.look(now)
            for pid in reap(children):
                children.remove(pid)
                children.append(spawn_collector(phase_id, url, CONTEXTS))
            time.sleep(LOOK_EVERY_S)
    finally:
        end([sweeper, *children])
    time.sleep(GONE_S)
    killings.look(time.monotonic())
    return killings

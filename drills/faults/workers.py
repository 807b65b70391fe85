"""Workers that collect episodes, forked from this process and killed at random.

Each child runs the job's own code: it claims rows under leases, plays episodes of the
stand-in site, saves their steps, and renews and releases its claims. A Celery worker
around it takes seconds to start, too long for two hundred kills.
"""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable

from django.conf import settings
from django.db import connections

from curriculum.rules.priority import lower_priority
from rollouts import services
from rollouts.browser.types import EpisodeRecord
from rollouts.models import Trajectory
from rollouts.services import collect_episodes
from tests.fakes import CollectorOptions, FakeCollector, ScriptedPolicy

# Far more than it takes, since a busy machine is slow.
LIMIT_S = 1800.0
SWEEP_EVERY_S = 0.1
LOOK_EVERY_S = 0.05
CONTEXTS = 8
# Share of ended episodes at the last kill: some must be left.
KILLED_SHARE = 0.9
# Seconds that one step of the stand-in site takes.
STEP_S = 0.004


class SteadyCollector(FakeCollector):
    """Returns one step at a time, as a browser would."""

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        """Return the next step of one of the episodes."""
        time.sleep(STEP_S)
        if not self._playing:
            return []
        attempt, episode = self._playing.popitem(last=False)
        record = next(episode, None)
        if record is None:
            return []
        self._playing[attempt] = episode
        return [record]


@dataclasses.dataclass(frozen=True, slots=True)
class Fleet:
    """The workers, and the kills that they suffer.

    Attributes:
        workers: How many collect at a time.
        kills: How many of them are killed, spread evenly over the episodes. If they
            were spread by time, a fast machine would finish before the last kill.
        prepare: Called first in each worker, with its number.
    """

    workers: int = 6
    kills: int = 0
    prepare: Callable[[int], None] = lambda number: None


@dataclasses.dataclass(slots=True)
class Report:
    """What happened to a fleet."""

    seconds: float = 0.0
    killed: int = 0
    stopped_for_s: float = 0.0


def run_fleet(phase_id: int, fleet: Fleet, seed: int = 0) -> Report:
    """Collect all episodes of a phase; workers that die are replaced.

    Raises:
        TimeoutError: Episodes are left after `LIMIT_S`.
    """
    rng, report = random.Random(seed), Report()
    began, total = time.monotonic(), count_left(phase_id)
    sweeper = spawn(sweep_on)
    children = {spawn_worker(phase_id, fleet, n): n for n in range(fleet.workers)}
    try:
        while left := count_left(phase_id):
            if time.monotonic() - began > LIMIT_S:
                raise TimeoutError(f"{left} episodes are left.")
            due = count_due_kills(fleet.kills, total - left, total) - report.killed
            for pid in rng.sample(list(children), min(due, len(children))):
                os.kill(pid, signal.SIGKILL)
                report.killed += 1
            for pid in reap(children):
                number = children.pop(pid)
                children[spawn_worker(phase_id, fleet, number)] = number
            time.sleep(LOOK_EVERY_S)
    finally:
        end([sweeper, *children])
    report.seconds = time.monotonic() - began
    return report


def count_due_kills(kills: int, ended: int, total: int) -> int:
    """How many of the kills are due after a given number of ended episodes."""
    return min(kills, round(kills * ended / (KILLED_SHARE * total)))


def count_left(phase_id: int) -> int:
    """Return how many episodes are neither finished nor failed."""
    rows = Trajectory.objects.filter(
        phase_id=phase_id, status__in=("queued", "running")
    )
    return rows.count()


def spawn_worker(phase_id: int, fleet: Fleet, number: int) -> int:
    """Fork a worker; return its process id."""

    def work() -> None:
        # A session of its own, as a Celery worker has, which is left out here.
        os.setsid()
        lower_priority(["rollouts"])
        fleet.prepare(number)
        while True:
            collect_episodes(
                phase_id=phase_id,
                owner=f"drill-{number}-{os.getpid()}",
                lease_s=settings.LEASE_S,
                open_policy=lambda phase, stage: ScriptedPolicy(0.5),
                open_collector=lambda policy, config: SteadyCollector(
                    policy, CollectorOptions(CONTEXTS, "", None)
                ),
            )
            time.sleep(LOOK_EVERY_S)

    return spawn(work)


def sweep_on() -> None:
    """Sweep forever, as the loop's worker does at every tick of beat."""
    while True:
        services.requeue_expired()
        time.sleep(SWEEP_EVERY_S)


def spawn(work: Callable[[], None]) -> int:
    """Run a function in a child process; return its process id."""
    connections.close_all()
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:  # noqa: BLE001 (a child must never return into its parent)
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


def reap(children: Iterable[int]) -> list[int]:
    """Return the children that have ended."""
    return [pid for pid in children if os.waitpid(pid, os.WNOHANG)[0]]


def end(pids: list[int]) -> None:
    """Kill children and wait for them."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue

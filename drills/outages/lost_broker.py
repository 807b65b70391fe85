"""R6: the broker loses all messages, also the one that should begin a phase."""

from __future__ import annotations

import shutil
from pathlib import Path

import redis
from django.conf import settings

from curriculum.models import Phase
from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import count_left
from drills.outages.real_workers import run_workers, stopped, wait_for
from drills.outcome import Outcome
from rollouts.models import Trajectory
from scripts.workbench.processes.supervisor import Supervisor

TIMES, EPISODES = 10, 50
MAX_RECOVERY_S = 15.0
QUEUE = "rollouts"
IS_EMBEDDED = settings.BROKER_URL.startswith("files:")


def measure() -> Outcome:
    """Lose the broker ten times; time the recovery, and check every episode."""
    with run_workers(settings.SETTINGS_MODULE) as supervisor:
        processes = _list_processes(supervisor)
        trials = [_try_one(supervisor) for _ in range(TIMES)]
        exits = len(processes - _list_processes(supervisor))
    slowest = max(seconds for seconds, _ in trials)
    damage = [one for _, found in trials for one in found]
    text = (
        f"the broker emptied {TIMES} times with the waking message in it, "
        f"{TIMES * EPISODES} episodes: {len(damage)} lost or doubled; episodes ended "
        f"again after {slowest:.1f} s at most; {exits} workers exited"
    )
    ok = not damage and not exits and slowest <= MAX_RECOVERY_S
    return Outcome(text, ok, "; ".join(damage[:3]))


def _try_one(supervisor: Supervisor) -> tuple[float, list[str]]:
    """Return the seconds until work continued, and what is wrong with the episodes."""
    worker = next(
        child for child in supervisor.children if child.program.name.endswith(QUEUE)
    )
    with stopped(worker):
        phase = open_collecting(EPISODES)
        wait_for(_has_message, "a message for the worker")
        _lose_all()
    ended = Trajectory.objects.filter(phase=phase, status="finished")
    seconds = wait_for(ended.exists, "an episode ended")
    wait_for(lambda: not count_left(phase.pk), "all episodes ended")
    damage = find_damage(phase.pk, EPISODES)
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.STOPPED)
    return seconds, damage


def _has_message() -> bool:
    if IS_EMBEDDED:
        folder = Path(settings.BROKER_DIR) / f"queue-{QUEUE}"
        return any(folder.glob("*.json"))
    return bool(redis.from_url(settings.BROKER_URL).llen(QUEUE))


def _lose_all() -> None:
    if IS_EMBEDDED:
        shutil.rmtree(settings.BROKER_DIR, ignore_errors=True)
    else:
        redis.from_url(settings.BROKER_URL).flushdb()


def _list_processes(supervisor: Supervisor) -> set[int]:
    supervisor.look()
    return {child.process.pid for child in supervisor.children if child.process}

"""R21: seconds until a dead owner is noticed, at the default settings."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from django.conf import settings

from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, end, spawn_worker
from drills.outcome import Outcome
from rollouts import services
from rollouts.models import Trajectory
from webrl_site.celery import SWEEP_EVERY_S

DEATHS = 3
MAX_S, LIMIT_S = 10.0, 60.0
# Long enough for sweeps to see the owner, and for a renewal of its lease.
LIVES_S = 5.0


def measure() -> Outcome:
    """Kill owners, sweep as often as beat does, and wait for their work's release."""
    took = [_time_one() for _ in range(DEATHS)]
    text = (
        f"{DEATHS} owners killed: noticed after "
        f"{', '.join(f'{seconds:.1f}' for seconds in took)} s "
        f"(LEASE_S {settings.LEASE_S:g}, a sweep every {SWEEP_EVERY_S:g} s)"
    )
    return Outcome(text, max(took) <= MAX_S)


def _time_one() -> float:
    """Return the seconds from the death of an owner to the release of its work."""
    phase = open_collecting(2000)
    pid = spawn_worker(phase.pk, Fleet(workers=1), 0)
    rows = Trajectory.objects.filter(phase=phase, status="running")
    _wait(rows.exists)
    _sweep_for(LIVES_S)
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    os.waitpid(pid, 0)
    try:
        while rows.exists():
            if time.monotonic() - began > LIMIT_S:
                raise TimeoutError("A dead owner's work never returned.")
            services.requeue_expired()
            time.sleep(SWEEP_EVERY_S)
    finally:
        end([pid])
    return time.monotonic() - began


def _sweep_for(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        services.requeue_expired()
        time.sleep(SWEEP_EVERY_S)


def _wait(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not is_there():
        if time.monotonic() > deadline:
            raise TimeoutError("The worker never began.")
        time.sleep(0.02)

"""R20: clocks of some workers, and of the sweep, that are two hours off."""

from __future__ import annotations

import datetime as dt

import time_machine
from django.test import override_settings

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import Fleet, run_fleet
from drills.outcome import Outcome
from rollouts.models import Trajectory

EPISODES, KILLS, LEASE_S = 300, 30, 2.0
# Offset of each worker's clock, in hours.
HOURS = (0, 2, -2, 0, 2, -2)


def measure() -> Outcome:
    """Collect under kills, with clocks that disagree by up to four hours."""
    phase = open_collecting(EPISODES)
    with override_settings(LEASE_S=LEASE_S):
        report = run_fleet(phase.pk, Fleet(kills=KILLS, prepare=_shift))
    damage = find_damage(phase.pk, EPISODES)
    rows = Trajectory.objects.filter(phase=phase)
    most = max(rows.values_list("attempt", flat=True))
    text = (
        f"{EPISODES} episodes, clocks {min(HOURS)} to {max(HOURS)} h off, "
        f"{report.killed} killed in {report.seconds:.0f} s; at most {most} attempts; "
        f"{len(damage)} episodes lost, doubled or with gaps"
    )
    ok = not damage and report.killed == KILLS
    return Outcome(text, ok, "; ".join(damage[:3]))


def _shift(number: int) -> None:
    """Shift this process's clock; the monotonic one is unchanged."""
    now = dt.datetime.now(dt.UTC) + dt.timedelta(hours=HOURS[number % len(HOURS)])
    time_machine.travel(now, tick=True).start()

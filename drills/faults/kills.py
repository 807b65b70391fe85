"""R1: two hundred workers are killed while they collect a thousand episodes."""

from __future__ import annotations

from django.db.models import Sum
from django.test import override_settings

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import Fleet, run_fleet
from drills.outcome import Outcome
from rollouts.models import Trajectory

EPISODES, KILLS, LEASE_S = 1000, 200, 2.0


def measure() -> Outcome:
    """Kill and replace workers, then check every row."""
    phase = open_collecting(EPISODES)
    with override_settings(LEASE_S=LEASE_S):
        report = run_fleet(phase.pk, Fleet(kills=KILLS))
    damage = find_damage(phase.pk, EPISODES)
    rows = Trajectory.objects.filter(phase=phase)
    found = rows.aggregate(attempts=Sum("attempt"), lost=Sum("lost_leases"))
    text = (
        f"{EPISODES} episodes, {report.killed} workers killed in "
        f"{report.seconds:.0f} s; {found['attempts']} attempts, {found['lost']} leases "
        f"taken back; {len(damage)} episodes lost, doubled or with gaps"
    )
    ok = not damage and report.killed == KILLS
    note = "Workers are the job's own code in forked processes, without a browser."
    return Outcome(text, ok, "; ".join([*damage[:3], note]))

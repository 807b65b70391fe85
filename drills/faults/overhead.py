"""R3: the cost of kills, compared with the same episodes without kills."""

from __future__ import annotations

from django.test import override_settings

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import STEP_S, Fleet, Report, run_fleet
from drills.outcome import Outcome

EPISODES, KILLS, LEASE_S = 400, 8, 2.0
CALM = Fleet()
KILLED = Fleet(kills=KILLS)


def measure() -> Outcome:
    """Collect three times, the second under kills; compare it with the others."""
    before, killed, after = (_collect(one) for one in (CALM, KILLED, CALM))
    base = (before.seconds + after.seconds) / 2
    extra, allowed = killed.seconds - base, killed.killed * (LEASE_S + STEP_S)
    text = (
        f"{EPISODES} episodes: {before.seconds:.1f} and {after.seconds:.1f} s without "
        f"a kill, {killed.seconds:.1f} s with {killed.killed}: {extra:+.1f} s, allowed "
        f"{allowed:.1f} s"
    )
    return Outcome(text, extra <= allowed and killed.killed == KILLS)


def _collect(fleet: Fleet) -> Report:
    """Collect a phase of its own.

    Raises:
        RuntimeError: Episodes are lost.
    """
    phase = open_collecting(EPISODES)
    with override_settings(LEASE_S=LEASE_S):
        report = run_fleet(phase.pk, fleet)
    if damage := find_damage(phase.pk, EPISODES):
        raise RuntimeError("; ".join(damage[:3]))
    return report

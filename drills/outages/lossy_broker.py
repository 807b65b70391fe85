"""R8: three of ten messages never arrive.

A step of the stand-in site takes 40 ms here: if it took no time, only the wait for the
next wake-up would be measured.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from drills.outages.lossy_settings import DROPPED, KEPT, SHARE
from drills.outages.real_workers import collect_phases, run_workers
from drills.outcome import Outcome

PHASES, EPISODES = 5, 100
MAX_SHARE = 1.5


def measure() -> Outcome:
    """Collect with a normal broker, then with one that drops messages."""
    if not settings.BROKER_URL.startswith("files:"):
        return Outcome("nothing", None, "Only the embedded broker drops on request.")
    with run_workers("tests.services.settings"):
        whole = collect_phases(PHASES, EPISODES)
    with run_workers("drills.outages.lossy_settings"):
        lossy = collect_phases(PHASES, EPISODES)
    dropped, kept = (_count(name) for name in (DROPPED, KEPT))
    text = (
        f"{PHASES * EPISODES} episodes of {PHASES} phases: {whole:.1f} s with all "
        f"messages, {lossy:.1f} s with {dropped} of {dropped + kept} dropped "
        f"({SHARE:.0%} asked): {lossy / whole:.2f} times"
    )
    return Outcome(text, dropped > 0 and lossy <= MAX_SHARE * whole)


def _count(name: str) -> int:
    path = Path(settings.DATA_DIR) / name
    return path.stat().st_size if path.exists() else 0

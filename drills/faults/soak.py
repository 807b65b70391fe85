"""R19: two thousand episodes in one worker, while a web process serves pages.

DRILL_MINUTES=60 runs for an hour instead, with real Chromium.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from drills.browsers import long_soak
from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, count_left, end, spawn_worker
from drills.outcome import Outcome
from drills.web import connect, start_web

EPISODES = 2000
MINUTES = float(os.environ.get("DRILL_MINUTES") or 0)
# Share of the episodes during which caches fill and code is imported.
WARM_UP = 0.2
MAX_GROWTH = 0.2
LIMIT_S, LOOK_EVERY_S = 1200.0, 1.0
PAGES = ("/", "/trajectories/", "/health/")


@dataclasses.dataclass(frozen=True, slots=True)
class Footprint:
    """A process's resources: memory in MiB, open files, threads."""

    mib: float
    files: int
    threads: int


def measure() -> Outcome:
    """Compare both processes' resources after the warm-up and at the end."""
    if MINUTES:
        return long_soak.measure(MINUTES)
    phase = open_collecting(EPISODES)
    person = User.objects.create_superuser("drill-soak")
    web = start_web()
    worker = spawn_worker(phase.pk, Fleet(workers=1), 0)
    try:
        with connect(str(settings.DASHBOARD_URL), person) as reader:
            began = _watch(reader.get, phase.pk, 1 - WARM_UP)
            before = [measure_process(worker), measure_process(web.pid)]
            _watch(reader.get, phase.pk, 0.0, began)
            after = [measure_process(worker), measure_process(web.pid)]
    finally:
        end([worker])
        web.kill()
        web.wait()
    pairs = list(zip(("worker", "web"), before, after, strict=True))
    text = "; ".join(f"{name}: {_describe(one, two)}" for name, one, two in pairs)
    ok = all(_is_flat(one, two) for _, one, two in pairs)
    return Outcome(f"{EPISODES} episodes, after the warm-up and at the end: {text}", ok)


def _watch(
    read: Callable[[str], object], phase_id: int, until: float, began: float = 0.0
) -> float:
    """Read pages until no more than this share of the episodes is left.

    Raises:
        TimeoutError: It takes longer than `LIMIT_S`.
    """
    began = began or time.monotonic()
    while count_left(phase_id) > until * EPISODES:
        if time.monotonic() - began > LIMIT_S:
            raise TimeoutError("Episodes are left.")
        for page in PAGES:
            read(page)
        time.sleep(LOOK_EVERY_S)
    return began


def measure_process(pid: int) -> Footprint:
    """Read a process's resources from /proc."""
    folder = Path("/proc") / str(pid)
    pages = int((folder / "statm").read_text().split()[1])
    return Footprint(
        pages * os.sysconf("SC_PAGESIZE") / 2**20,
        len(list((folder / "fd").iterdir())),
        len(list((folder / "task").iterdir())),
    )


def _describe(one: Footprint, two: Footprint) -> str:
    return (
        f"{one.mib:.0f} and {two.mib:.0f} MiB, {one.files} and {two.files} files, "
        f"{one.threads} and {two.threads} threads"
    )


def _is_flat(one: Footprint, two: Footprint) -> bool:
    """Allow memory to grow by a fifth, files and threads by a few that come and go."""
    is_small = two.mib <= one.mib * (1 + MAX_GROWTH)
    return is_small and two.files <= one.files + 5 and two.threads <= one.threads + 2

"""The long form of R19: one worker with real Chromium for a given time."""

from __future__ import annotations

import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from drills.browsers.chain_site import lead_tasks_there, serve_chain, spawn_collector
from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import count_left, end
from drills.outcome import Outcome
from drills.web import connect, start_web
from rollouts.browser.process.memory import measure_tree
from scripts.workbench.processes.cleanup import find_marked

# More than one worker can play in the time, even on a fast machine.
EPISODES_A_MINUTE = 200
CONTEXTS, MAX_RETRIES = 3, 10
MAX_GROWTH = 0.05
LOOK_EVERY_S, GONE_S = 5.0, 5.0
# Shares of the time: caches fill during the warm-up; both compared parts are equal.
WARM_UP, COMPARED = 0.15, 0.15
PAGES = ("/", "/trajectories/", "/health/")
MARKER = "DRILL_SOAK"

# Resources held at a moment: MiB of worker, browser and web process, open files of
# the worker and of the web process, temporary files.
Sample = tuple[float, ...]
NAMES = ("worker", "browser", "web")
COUNTS = ("files of the worker", "files of the web process", "temporary files")


def measure(minutes: float) -> Outcome:
    """Compare the resources held after the warm-up with those at the end."""
    count = round(minutes * EPISODES_A_MINUTE)
    phase = open_collecting(count)
    lead_tasks_there(phase, MAX_RETRIES)
    person = User.objects.create_superuser("drill-soak")
    marker = os.environ[MARKER] = secrets.token_hex(8)
    with serve_chain() as url:
        web = start_web()
        worker = spawn_collector(phase.pk, url, CONTEXTS)
        try:
            with connect(str(settings.DASHBOARD_URL), person) as reader:
                samples = list(_watch(reader.get, worker, web.pid, minutes * 60))
        finally:
            end([worker])
            web.kill()
            web.wait()
    time.sleep(GONE_S)
    left = len(find_marked(f"{MARKER}={marker}"))
    played = count - count_left(phase.pk)
    damage = [
        one
        for one in find_damage(phase.pk, count)
        # The time is up for these episodes.
        if " is queued" not in one and " is running" not in one
    ]
    first, last = compare(samples)
    text = (
        f"{minutes:g} minutes, {played} episodes in Chromium; after the warm-up and at "
        f"the end: {_describe(first, last)}; {left} processes left, {len(damage)} "
        "episodes lost, doubled or with gaps"
    )
    whole = played > 0 and not left and not damage
    return Outcome(text, whole and is_flat(first, last), "; ".join(damage[:3]))


def _watch(
    read: Callable[[str], object], worker: int, web: int, seconds: float
) -> Iterator[Sample]:
    """Read pages and yield samples, every few seconds until the time is up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for page in PAGES:
            read(page)
        time.sleep(LOOK_EVERY_S)
        tree = {one.pid: one.mib for one in measure_tree(worker)}
        own = tree.pop(worker)
        page_server = sum(one.mib for one in measure_tree(web))
        files = (_count_files(worker), _count_files(web), _count_temporary())
        yield own, sum(tree.values()), page_server, *files


def _count_files(pid: int) -> int:
    return len(list(Path("/proc", str(pid), "fd").iterdir()))


def _count_temporary() -> int:
    """Count in the deployment's own folder; files may disappear meanwhile."""
    return sum(len(files) for _, _, files in os.walk(tempfile.gettempdir()))


def compare(samples: Sequence[Sample]) -> tuple[Sample, Sample]:
    """Return the medians after the warm-up and at the end."""
    start, length = int(len(samples) * WARM_UP), max(1, int(len(samples) * COMPARED))
    return _middle(samples[start : start + length]), _middle(samples[-length:])


def _middle(samples: Sequence[Sample]) -> Sample:
    return tuple(map(statistics.median, zip(*samples, strict=True)))


def _describe(first: Sample, last: Sample) -> str:
    pairs = list(zip(first, last, strict=True))
    memory = [
        f"{name} {one:.0f} and {two:.0f} MiB"
        for name, (one, two) in zip(NAMES, pairs[:3], strict=True)
    ]
    counts = [
        f"{one:.0f} and {two:.0f} {name}"
        for name, (one, two) in zip(COUNTS, pairs[3:], strict=True)
    ]
    return ", ".join([*memory, *counts])


def is_flat(first: Sample, last: Sample) -> bool:
    """Allow memory to grow by a twentieth, and files by a few that come and go."""
    pairs = list(zip(first, last, strict=True))
    is_small = all(two <= one * (1 + MAX_GROWTH) for one, two in pairs[:3])
    return is_small and all(two <= one + 5 for one, two in pairs[3:])

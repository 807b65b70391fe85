"""Celery workers, beat and web, supervised as by `./webrl up`, with stand-ins."""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

from django.conf import settings

from drills.faults.episodes import open_collecting
from drills.faults.workers import count_left
from scripts.workbench.console import Bar
from scripts.workbench.processes import stack
from scripts.workbench.processes.child import Child
from scripts.workbench.processes.supervisor import Supervisor
from tests import fakes

NAMES = ("worker-rollouts", "worker-loop", "beat")
LIMIT_S = 600.0
LOOK_EVERY_S = 0.05


@contextmanager
def run_workers(
    settings_module: str, names: Sequence[str] = NAMES
) -> Iterator[Supervisor]:
    """Start them with these settings; end them with the block."""
    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(settings.DATA_DIR / "models/starter" / kind, 0.5)
    # In addition to the deployment's own marker, by which leftovers are found.
    name, value = "DRILL_WORKERS", secrets.token_hex(8)
    env = os.environ | {name: value, "DJANGO_SETTINGS_MODULE": settings_module}
    programs = stack.programs(find_addresses())
    supervisor = Supervisor(
        [one for one in programs if one.name in names], env, f"{name}={value}"
    )
    try:
        supervisor.start()
        supervisor.wait_until_ready(Bar("Starting the workers", 20))
        yield supervisor
    finally:
        supervisor.stop()


def find_addresses() -> stack.Addresses:
    """Return the deployment's ports; it has no sandbox."""
    urls = (settings.DASHBOARD_URL, settings.REPLAY_ORIGIN, settings.TRACE_ORIGIN)
    dashboard, replay, trace = (urlsplit(url).port or 0 for url in urls)
    return stack.Addresses(dashboard, replay, sandbox=0, control=0, trace=trace)


def wait_for(condition: Callable[[], object], what: str) -> float:
    """Return the seconds until the condition holds.

    Raises:
        TimeoutError: It does not hold in time.
    """
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > LIMIT_S:
            raise TimeoutError(f"Never: {what}.")
        time.sleep(LOOK_EVERY_S)
    return time.monotonic() - began


def collect_phases(phases: int, episodes: int) -> float:
    """Open several phases at once; return the seconds until all episodes ended."""
    ids = [open_collecting(episodes).pk for _ in range(phases)]
    return wait_for(lambda: not any(map(count_left, ids)), "all episodes ended")


@contextmanager
def stopped(child: Child) -> Iterator[None]:
    """Suspend a process for the block, as on a machine that swaps."""
    if child.process is None:
        raise RuntimeError(f"{child.program.name} does not run.")
    os.kill(child.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(child.process.pid, signal.SIGCONT)

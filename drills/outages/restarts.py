"""R17: all processes restarted ten times, while episodes and readers go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
from django.conf import settings
from django.contrib.auth.models import User

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import count_left
from drills.outages.real_workers import run_workers, wait_for
from drills.outcome import Outcome
from drills.web import TIMEOUT_S, connect, start_web
from rollouts.models import Trajectory
from scripts.workbench.processes.supervisor import Supervisor

RESTARTS, EPISODES_EACH = 10, 60
MAX_PAUSE_S = 10.0
READ_EVERY_S = 0.1
# A web process that is asked to end finishes what it answers.
RETRIED = (502, 503, 504)


class Reader(threading.Thread):
    """Reads a page again and again, as a browser that retries does."""

    def __init__(self, person: User) -> None:
        """Nothing is read before `start`."""
        super().__init__(daemon=True)
        self._person, self._is_over = person, threading.Event()
        self.errors: list[str] = []
        self.answers, self.longest_s = 0, 0.0

    def run(self) -> None:
        """Read until `stop`; note the longest time without an answer."""
        last = time.monotonic()
        with connect(str(settings.DASHBOARD_URL), self._person) as asking:
            while not self._is_over.wait(READ_EVERY_S):
                if self._read(asking):
                    now = time.monotonic()
                    self.longest_s = max(self.longest_s, now - last)
                    last = now

    def stop(self) -> None:
        """Read no more."""
        self._is_over.set()
        self.join(TIMEOUT_S)

    def _read(self, asking: httpx.Client) -> bool:
        try:
            status = asking.get("/trajectories/").status_code
        except httpx.TransportError:
            return False
        if status in RETRIED:
            return False
        self.answers += 1
        if status != 200:
            self.errors.append(f"answer {status}")
        return True


class Web:
    """The web process, which can be started anew."""

    def __init__(self) -> None:
        """Start it."""
        self._process = start_web()

    def restart(self) -> None:
        """Ask it to end, wait for that, and start the next one."""
        self.stop()
        self._process = start_web()

    def stop(self) -> None:
        """Ask it to end and wait for that."""
        self._process.terminate()
        self._process.wait(TIMEOUT_S)


def measure() -> Outcome:
    """Restart everything again and again; look for lost episodes, errors and pauses."""
    phases = []
    with run_workers(settings.SETTINGS_MODULE) as supervisor, _web() as web:
        reader = Reader(User.objects.create_superuser("drill-restarts"))
        reader.start()
        longest = 0.0
        for _ in range(RESTARTS):
            phases.append(open_collecting(EPISODES_EACH))
            longest = max(longest, _restart_all(supervisor, web, phases[-1].pk))
        wait_for(lambda: not any(count_left(phase.pk) for phase in phases), "all ended")
        reader.stop()
    damage = [one for phase in phases for one in find_damage(phase.pk, EPISODES_EACH)]
    text = (
        f"{RESTARTS} restarts of each process, {RESTARTS * EPISODES_EACH} episodes: "
        f"{len(damage)} lost, doubled or with gaps; {reader.answers} pages read, "
        f"{len(reader.errors)} errors; no page for {reader.longest_s:.1f} s at most, "
        f"no episode for {longest:.1f} s"
    )
    is_quick = max(longest, reader.longest_s) <= MAX_PAUSE_S
    note = "; ".join((damage + reader.errors)[:3])
    return Outcome(text, not damage and not reader.errors and is_quick, note)


def _restart_all(supervisor: Supervisor, web: Web, phase_id: int) -> float:
    """Restart everything while a phase begins; return the time without an episode."""
    ended = Trajectory.objects.filter(phase_id=phase_id, status="finished")
    began = time.monotonic()
    processes = [child.process for child in supervisor.children if child.process]
    for process in processes:
        process.terminate()
    restarting = threading.Thread(target=web.restart)
    restarting.start()
    wait_for(lambda: _look(supervisor) and ended.exists(), "an episode ended")
    seconds = time.monotonic() - began
    restarting.join()
    wait_for(lambda: _are_replaced(supervisor, processes), "all processes are back")
    return seconds


def _are_replaced(supervisor: Supervisor, old: Sequence[object]) -> bool:
    supervisor.look()
    found = [child.process for child in supervisor.children if child.is_ready]
    return len(found) == len(supervisor.children) and not any(
        process is None or process in old for process in found
    )


def _look(supervisor: Supervisor) -> bool:
    """Let the supervisor start again what has ended."""
    supervisor.look()
    return True


@contextmanager
def _web() -> Iterator[Web]:
    web = Web()
    try:
        yield web
    finally:
        web.stop()

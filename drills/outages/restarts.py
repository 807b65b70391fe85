"""R17: all processes are replaced ten times, while episodes and readers continue."""

from __future__ import annotations

import threading
import time

import httpx
from django.conf import settings
from django.contrib.auth.models import User

from drills.faults.episodes import find_damage, open_collecting
from drills.faults.workers import count_left
from drills.outages.real_workers import NAMES, run_workers, wait_for
from drills.outcome import Outcome
from drills.web import TIMEOUT_S, connect
from rollouts.models import Trajectory

RESTARTS, EPISODES_EACH = 10, 60
# If fewer episodes are left, another phase begins.
MIN_LEFT = 30
LOOK_EVERY_S = 0.1
MAX_PAUSE_S = 10.0
READ_EVERY_S = 0.1
# A web process that is asked to end first finishes its answers.
RETRIED = (502, 503, 504)


class Reader(threading.Thread):
    """Reads a page repeatedly, as a browser that retries does."""

    def __init__(self, person: User) -> None:
        """Nothing is read before `start`."""
        super().__init__(daemon=True)
        self._person, self._is_over = person, threading.Event()
        self.errors: list[str] = []
        self.answers, self.longest_s = 0, 0.0

    def run(self) -> None:
        """Read until `stop`; record the longest time without an answer."""
        last = time.monotonic()
        with connect(str(settings.DASHBOARD_URL), self._person) as asking:
            while not self._is_over.wait(READ_EVERY_S):
                if self._read(asking):
                    now = time.monotonic()
                    self.longest_s = max(self.longest_s, now - last)
                    last = now

    def stop(self) -> None:
        """Stop reading."""
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


class Feeder(threading.Thread):
    """Opens phases so that episodes are always queued; times their ends."""

    def __init__(self) -> None:
        """Nothing is opened before `start`."""
        super().__init__(daemon=True)
        self._is_over = threading.Event()
        self.phases: list[int] = []
        self.longest_s = 0.0

    def run(self) -> None:
        """Feed until `stop`; record the longest time in which no episode ended."""
        ended = Trajectory.objects.filter(status="finished")
        known, last = 0, time.monotonic()
        while not self._is_over.wait(LOOK_EVERY_S):
            if sum(map(count_left, self.phases[-2:])) < MIN_LEFT:
                self.phases.append(open_collecting(EPISODES_EACH).pk)
            now, count = time.monotonic(), ended.count()
            if count > known:
                self.longest_s = max(self.longest_s, now - last)
                known, last = count, now

    def stop(self) -> None:
        """Open no more phases, and wait until the last one is done."""
        self._is_over.set()
        self.join(TIMEOUT_S)
        wait_for(lambda: not any(map(count_left, self.phases)), "all ended")


def measure() -> Outcome:
    """Replace everything repeatedly; look for lost episodes, errors and pauses."""
    reader = Reader(User.objects.create_superuser("drill-restarts"))
    feeder = Feeder()
    with run_workers(settings.SETTINGS_MODULE, (*NAMES, "web")) as supervisor:
        reader.start()
        feeder.start()
        wait_for(lambda: Trajectory.objects.filter(status="finished"), "one ended")
        failed = [news for _ in range(RESTARTS) for news in supervisor.replace()]
        reader.stop()
        feeder.stop()
    damage = [
        one for phase in feeder.phases for one in find_damage(phase, EPISODES_EACH)
    ]
    text = (
        f"{RESTARTS} restarts of each process, {len(feeder.phases) * EPISODES_EACH} "
        f"episodes: {len(damage)} lost, doubled or with gaps; {reader.answers} pages "
        f"read, {len(reader.errors)} errors; no page for {reader.longest_s:.1f} s at "
        f"most, no episode for {feeder.longest_s:.1f} s"
    )
    troubles = damage + reader.errors + failed
    is_quick = max(feeder.longest_s, reader.longest_s) <= MAX_PAUSE_S
    return Outcome(text, not troubles and is_quick, "; ".join(troubles[:3]))

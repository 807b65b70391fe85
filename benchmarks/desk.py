"""Fifty annotators at the review desk: response times, and whether all is stored.

`./webrl seed --scale large` fills the database first. The dashboard runs in a process
of its own; each annotator has a session and talks to it over HTTP as a browser does,
half of them without scripts. First they think between decisions, as people do. Then
they decide without pauses, and one in ten decisions is sent a second time. The
reference of the times is the sign-in page, the cheapest page, requested by one client.
"""

from __future__ import annotations

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import httpx

from benchmarks.desk_clients import Seen, work
from benchmarks.desk_rows import Desk, count_doubled, count_lost, open_desk
from benchmarks.records import Record
from rollouts.models import Trajectory

PEOPLE = 50
# Twice what fifty people can use up without pauses.
TASKS = 3000
SECONDS = 60.0
# Mean seconds between two decisions; made-up reviews have a median of ten.
THINK_S = 12.0
MIN_EPISODES = 500
START_S = 60.0


def run() -> list[Record]:
    """Measure and return the records."""
    if Trajectory.objects.count() < MIN_EPISODES:
        raise SystemExit("Fill the database first: ./webrl seed --scale large")
    with open_desk(PEOPLE, TASKS) as desk, _dashboard() as url:
        floor = _measure_floor(url)
        calm = work(url, desk, seconds=SECONDS, think_s=THINK_S)
        fierce = work(url, desk, seconds=SECONDS, think_s=0)
        return [
            _time("decision", calm.decisions, floor),
            _time("claim of the next task", calm.claims, floor),
            *_count(desk, calm, fierce),
        ]


def _time(name: str, times: list[float], floor: float) -> Record:
    p95 = statistics.quantiles(times, n=20)[-1]
    title = f"{name}, p95 (bar 100 ms, {PEOPLE} people who think)"
    return Record(title, p95, floor, "ms", len(times))


def _count(desk: Desk, calm: Seen, fierce: Seen) -> Iterator[Record]:
    n = len(fierce.decisions)
    sent = [*calm.sent, *fierce.sent]
    rate = n / SECONDS
    yield Record("decisions a second, hammered", rate, None, "/s", n)
    yield Record(
        "tasks decided twice", count_doubled(desk.phase_id), None, "", len(sent)
    )
    lost = count_lost(desk.phase_id, sent)
    yield Record("decisions taken and lost", lost, None, "", len(sent))
    yield Record(
        "conflicts that lost the text",
        fierce.without_text,
        None,
        "",
        fierce.conflicts,
    )
    failed = Counter([*calm.errors, *fierce.errors])
    named = ", ".join(f"{what} ({n})" for what, n in failed.items())
    title = f"answers that were none{': ' if named else ''}{named}"
    yield Record(title, failed.total(), None, "", len(sent))


def _measure_floor(url: str) -> float:
    with httpx.Client(base_url=url) as client:
        times = []
        for _ in range(25):
            began = time.perf_counter()
            client.get("/sign-in/").raise_for_status()
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


@contextlib.contextmanager
def _dashboard() -> Iterator[str]:
    """Start a dashboard on free ports and yield its address; it ends with the block."""
    port, replay_port = _free_ports()
    url = f"http://localhost:{port}"
    env = os.environ | {
        "DASHBOARD_URL": url,
        "REPLAY_ORIGIN": f"http://127.0.0.1:{replay_port}",
        # Wakes no worker.
        "BROKER_URL": "memory://localhost/",
        "LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, "-m", "webrl_site.server.serve"]
    command += ["--port", str(port), "--replay-port", str(replay_port)]
    with subprocess.Popen(command, env=env) as process:
        try:
            _wait_for(url)
            yield url
        finally:
            process.terminate()


def _free_ports() -> tuple[int, int]:
    address = ("127.0.0.1", 0)
    with socket.create_server(address) as one, socket.create_server(address) as two:
        return one.getsockname()[1], two.getsockname()[1]


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + START_S
    while True:
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(f"{url}/sign-in/").raise_for_status()
            return
        if time.monotonic() > deadline:
            raise RuntimeError("The dashboard did not start.")
        time.sleep(0.1)

"""R18: ten thousand queued episodes, compared with a short queue."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from django.contrib.auth.models import User
from django.urls import reverse

from drills.faults.episodes import open_collecting
from drills.faults.workers import Fleet, end, spawn_worker
from drills.outcome import Outcome
from drills.web import client
from rollouts.models import Trajectory
from rollouts.services import claim_episodes, release_episodes

LONG, SHORT = 10_000, 400
# Episodes before counting begins, since workers need time to start; episodes counted.
BEFORE, COUNTED = 40, 300
TRIALS, WORKERS = 3, 2
# 200 claims take only 1.5 s: one pause of the machine would decide the result.
CLAIMS, PAGES = 1000, 5
MAX_CLAIM_MS, MAX_PAGE_MS, MIN_SHARE = 20.0, 200.0, 0.9
LIMIT_S = 300.0


def measure() -> Outcome:
    """Claim one by one, time the page, and drain both queues alternately."""
    long_queue = open_collecting(LONG).pk
    (claim_ms, busy_ms), page_ms = _time_claims(long_queue), _time_page()
    rates: list[tuple[float, float]] = []
    for _ in range(TRIALS):
        short_rate = _drain(open_collecting(SHORT).pk)
        rates.append((short_rate, _drain(long_queue)))
    short, long = (statistics.median(one) for one in zip(*rates, strict=True))
    text = (
        f"{LONG} queued: p99 of {CLAIMS} claims {claim_ms:.1f} ms ({busy_ms:.1f} ms of "
        f"the processor), the queue's page {page_ms:.0f} ms; {long:.1f} episodes a "
        f"second, {short:.1f} with {SHORT} queued: {long / short:.2f} of it"
    )
    ok = claim_ms < MAX_CLAIM_MS and page_ms < MAX_PAGE_MS
    return Outcome(text, ok and long / short >= MIN_SHARE)


def _time_claims(phase_id: int) -> tuple[float, float]:
    """Return the 99th percentile of a claim in ms, and of its processor time.

    All claimed episodes are released again.
    """
    owner, times, busy, taken = "drill-claims", [], [], []
    for _ in range(CLAIMS):
        began, busy_before = time.perf_counter(), time.process_time()
        [request] = claim_episodes(
            phase_id=phase_id, purpose="collect", owner=owner, limit=1, lease_s=60
        )
        times.append((time.perf_counter() - began) * 1000)
        busy.append((time.process_time() - busy_before) * 1000)
        taken.append(request.trajectory_id)
    release_episodes(owner=owner, trajectory_ids=taken)
    return _find_p99(times), _find_p99(busy)


def _find_p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[-1]


def _time_page() -> float:
    """Return the median of the queue's page in ms."""
    person = User.objects.create_superuser("drill-queue")
    with client(person) as asking:
        asking.get(reverse("queue")).raise_for_status()
        times = [_time(lambda: asking.get(reverse("queue"))) for _ in range(PAGES)]
    return statistics.median(times)


def _time(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def _drain(phase_id: int) -> float:
    """Return the episodes that end per second; end the workers afterwards."""
    rows = Trajectory.objects.filter(phase_id=phase_id, status="finished")
    already = rows.count()
    workers = [spawn_worker(phase_id, Fleet(), n) for n in range(WORKERS)]
    try:
        first = _wait(lambda: rows.count() - already, BEFORE)
        last = _wait(lambda: rows.count() - already, BEFORE + COUNTED)
    finally:
        end(workers)
    return (last[1] - first[1]) / (last[0] - first[0])


def _wait(count: Callable[[], int], wanted: int) -> tuple[float, int]:
    """Return when the given number was reached, and how many there were."""
    deadline = time.monotonic() + LIMIT_S
    while (found := count()) < wanted:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{found} of {wanted} episodes have ended.")
        time.sleep(0.05)
    return time.monotonic(), found

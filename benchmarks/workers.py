"""Rollouts by number of worker processes, where the processor is not the bottleneck.

The stand-in site answers after half a second and its model immediately, so a worker
spends its time waiting, as it does for a served model and for pages. Everything else is
the product's: claims under leases, records, pages of usual size, renewals. One worker
is the reference. The processor time of one step is also measured; it shows where more
workers stop helping.

Rows are written to the deployment's database and deleted afterwards. Set DATABASE_URL
to a PostgreSQL server: SQLite is for one machine.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from django.conf import settings
from django.db import connection

from benchmarks.records import Record
from drills.faults.episodes import open_collecting
from drills.faults.workers import end, spawn
from rollouts.browser.types import (
    Attempt,
    EpisodeRecord,
    EpisodeRequest,
    StepRecord,
    attempt_of,
)
from rollouts.models import Step, Trajectory
from rollouts.services import collect_episodes
from tests.fakes import CollectorOptions, FakeCollector, ScriptedPolicy

WORKERS = (1, 2, 3)
CONTEXTS = 8
STEP_S = 0.5
WINDOW_S = 20.0
# Episodes per worker that have ended before the window begins.
WARM = 10
# A worker ends about five of the stand-in's episodes a second.
EPISODES = 250
# Characters of a usual observation, and of a recorded page.
TEXT, PAGE = 4_000, 40_000
LIMIT_S = 120.0
TICKS_S = os.sysconf("SC_CLK_TCK")


class WaitingCollector(FakeCollector):
    """Hands out each context's next record half a second after its last one."""

    def __init__(self, policy: ScriptedPolicy, options: CollectorOptions) -> None:
        """Begin with free contexts."""
        super().__init__(policy, options)
        self._due: list[tuple[float, Attempt, Iterator[EpisodeRecord]]] = []

    @property
    def free_slots(self) -> int:
        """How many more episodes it takes."""
        return self.options.contexts - len(self._due)

    def submit(self, requests: Sequence[EpisodeRequest]) -> None:
        """Begin episodes."""
        due = time.monotonic() + STEP_S
        self._due += [(due, attempt_of(one), self._play(one)) for one in requests]

    def drop(self, attempt: Attempt) -> None:
        """End an attempt without a record."""
        self._due = [entry for entry in self._due if entry[1] != attempt]

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        """Return the records that are due now or soon."""
        first = min((due for due, *_ in self._due), default=float("inf"))
        time.sleep(max(0.0, min(timeout_s, first - time.monotonic())))
        now, records = time.monotonic(), []
        for entry in list(self._due):
            due, attempt, episode = entry
            if due > now:
                continue
            self._due.remove(entry)
            record = next(episode, None)
            if record is not None:
                records.append(_fill(record))
            if isinstance(record, StepRecord):
                self._due.append((now + STEP_S, attempt, episode))
        self.progress_at = now
        return records


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """What a number of workers did in a second; processor time in ms a step."""

    episodes: int
    seconds: float
    worker_ms: float
    database_ms: float


def run() -> list[Record]:
    """Measure and return the records."""
    found = {count: _measure(count) for count in WORKERS}
    alone = _rate(found[WORKERS[0]])
    return [
        *(
            Record(
                f"episodes, {count} worker{'s' if count > 1 else ''}",
                _rate(one),
                alone,
                "/min",
                one.episodes,
            )
            for count, one in found.items()
        ),
        *_costs(found[WORKERS[-1]]),
    ]


def _rate(one: Measured) -> float:
    return one.episodes / one.seconds * 60


def _costs(one: Measured) -> Iterator[Record]:
    n = one.episodes
    yield Record("processor of a worker, a step", one.worker_ms, None, "ms", n)
    if connection.vendor != "postgresql":
        return
    yield Record("processor of the database, a step", one.database_ms, None, "ms", n)
    most = 1000 / one.database_ms
    yield Record("steps that one core of the database takes", most, None, "/s", n)


def _measure(count: int) -> Measured:
    """Let a number of workers collect, and measure a window of it."""
    phase = open_collecting(EPISODES * count)
    ended = Trajectory.objects.filter(phase=phase, status="finished")
    steps = Step.objects.filter(trajectory__phase=phase)
    pids = [spawn(lambda: _work(phase.pk)) for _ in range(count)]
    try:
        _wait(lambda: ended.count() >= WARM * count)
        began, before = time.monotonic(), (ended.count(), steps.count())
        servers = _list_backends()
        spent = [_processor_s(some) for some in (pids, servers)]
        time.sleep(WINDOW_S)
        after, seconds = (ended.count(), steps.count()), time.monotonic() - began
        used = [_processor_s(some) for some in (pids, servers)]
    finally:
        end(pids)
        phase.run.delete()
    done = after[1] - before[1]
    costs = [1000 * (b - a) / done for a, b in zip(spent, used, strict=True)]
    return Measured(after[0] - before[0], seconds, *costs)


def _work(phase_id: int) -> None:
    collect_episodes(
        phase_id=phase_id,
        owner=f"bench-{os.getpid()}",
        lease_s=settings.LEASE_S,
        open_policy=lambda phase, stage: ScriptedPolicy(0.5),
        open_collector=lambda policy, config: WaitingCollector(
            policy, CollectorOptions(CONTEXTS, "", None)
        ),
    )


def _fill(record: EpisodeRecord) -> EpisodeRecord:
    """Give a step the usual size; no two pages are equal."""
    if not isinstance(record, StepRecord):
        return record
    mark = f"{record.trajectory_id}/{record.attempt}/{record.index} "
    page = dataclasses.replace(
        record.observation,
        text=(mark * TEXT)[:TEXT],
        snapshot=f"<p>{(mark * PAGE)[:PAGE]}</p>",
    )
    return dataclasses.replace(record, observation=page)


def _list_backends() -> list[int]:
    """Return the database's processes that serve the workers, if on this machine."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return [pid for (pid,) in cursor.fetchall()]


def _processor_s(pids: Sequence[int]) -> float:
    """Return the processor time of processes so far, in seconds."""
    return sum(map(_read_ticks, pids)) / TICKS_S


def _read_ticks(pid: int) -> int:
    # The program's name may contain blanks: fields are counted after its bracket.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _wait(is_there: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT_S
    while not is_there():
        if time.monotonic() > until:
            raise TimeoutError("The workers did not begin.")
        time.sleep(0.1)

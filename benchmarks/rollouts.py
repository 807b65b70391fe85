"""Episodes and steps per minute by number of browser contexts.

The policy is the sandbox's oracle, which answers immediately, so the collector, the
browser and the site are measured. Each figure has its own browser, warmed up by one
round of episodes; pages are recorded, screenshots are not.
"""

from __future__ import annotations

import itertools
import time

from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.types import EpisodeEnd, EpisodeRequest, StepRecord, TaskSpec
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy

CONTEXTS = (1, 2, 4, 8)
EPISODES = 60


def run() -> list[Record]:
    """Measure and return the records."""
    records: list[Record] = []
    with sandbox_process() as control_url:
        alone: tuple[float, float] | None = None
        for contexts in CONTEXTS:
            episodes, steps = _measure(control_url, contexts)
            first, second = alone or (None, None)
            name = f"{contexts} context{'s' if contexts > 1 else ''}"
            records.append(
                Record(f"episodes, {name}", episodes, first, "/min", EPISODES)
            )
            records.append(Record(f"steps, {name}", steps, second, "/s", EPISODES))
            alone = alone or (episodes, steps)
    return records


def _measure(control_url: str, contexts: int) -> tuple[float, float]:
    """Return episodes per minute and steps per second."""
    tasks = load_tasks()[:: max(len(load_tasks()) // EPISODES, 1)]
    requests = (
        _request(number, task) for number, task in enumerate(itertools.cycle(tasks))
    )
    options = CollectorOptions(contexts=contexts, sandbox_control_url=control_url)
    with Collector(OraclePolicy(tasks), options) as collector:
        _play(collector, itertools.islice(requests, contexts))
        start = time.perf_counter()
        steps = _play(collector, itertools.islice(requests, EPISODES))
        seconds = time.perf_counter() - start
    return EPISODES / seconds * 60, steps / seconds


def _play(collector: Collector, requests: itertools.islice[EpisodeRequest]) -> int:
    """Run the episodes, never more than there are contexts; return their steps."""
    running = steps = 0
    waiting = list(requests)
    while waiting or running:
        free = collector.free_slots
        collector.submit(waiting[:free])
        running += len(waiting[:free])
        waiting = waiting[free:]
        for record in collector.poll(1.0):
            if isinstance(record, StepRecord):
                steps += 1
                continue
            running -= 1
            if not (isinstance(record, EpisodeEnd) and record.outcome):
                raise RuntimeError(f"the oracle did not solve a task: {record}")
    return steps


def _request(number: int, task: dict[str, object]) -> EpisodeRequest:
    sites = task["sites"]
    if not isinstance(sites, list):
        raise TypeError("a task's sites are a list")
    spec = TaskSpec(
        number, str(task["intent"]), str(task["start_url"]), tuple(sites), task
    )
    return EpisodeRequest(number, 1, spec, number, 30, 120.0)

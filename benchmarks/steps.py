"""Recorded steps a second by number of browser contexts, compared with a bare loop.

A scripted policy opens and closes a menu of the shop, fifty steps an episode, so the
step is measured and not the site. Ours: the collector, with and without each page's
HTML in the record, no screenshots. Bare: as many pages of one browser, each with one
observing evaluate, one click at coordinates and one evaluate that waits; nothing is
recorded.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from benchmarks.bare_step import BareStepper
from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeRequest,
    StepRecord,
    TaskSpec,
)
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.sandbox.oracle import find_elements

CONTEXTS = (1, 2, 4, 8)
STEPS = 50
EPISODES = 16
LABEL = "Categories"
TASK = TaskSpec(1, "Open the menu", "__SHOP__/", ("shop",), {})


class MenuPolicy:
    """Opens and closes one menu forever."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Click the menu's button on every page."""
        found = [find_elements(one.observation, LABEL)[0] for one in requests]
        return [PolicyAnswer(f'do(action="Click", element="{n}")') for n in found]

    def close(self) -> None:
        """Nothing to free."""


def run() -> list[Record]:
    """Measure and return the records."""
    records = []
    with sandbox_process() as control_url:
        for contexts in CONTEXTS:
            bare = asyncio.run(_loop(control_url, contexts))
            for what, pages in (("recorded", True), ("without pages", False)):
                ours = _collect(control_url, contexts, pages)
                name = f"steps {what}, {contexts} context{'s' if contexts > 1 else ''}"
                records.append(Record(name, ours, bare, "/s", EPISODES * STEPS))
    return records


def _collect(control_url: str, contexts: int, pages: bool) -> float:
    options = CollectorOptions(
        contexts=contexts, sandbox_control_url=control_url, repeated=10**9
    )
    with Collector(MenuPolicy(), options) as collector:
        _play(collector, contexts, 5, pages)
        start = time.perf_counter()
        steps = _play(collector, EPISODES, STEPS, pages)
        return steps / (time.perf_counter() - start)


def _play(collector: Collector, episodes: int, limit: int, pages: bool) -> int:
    collector.submit(
        [EpisodeRequest(n, 1, TASK, n, limit, 600.0, pages) for n in range(episodes)]
    )
    steps = ended = 0
    while ended < episodes:
        for record in collector.poll(1.0):
            if isinstance(record, StepRecord):
                steps += 1
            elif isinstance(record, EpisodeEnd):
                ended += 1
            else:
                raise RuntimeError(record.reason)
    return steps


async def _loop(control_url: str, contexts: int) -> float:
    pool, host = BrowserPool(PoolOptions(prepared=0)), SandboxHost(control_url)
    opened = await host.open(["shop"])
    pool.allow(host.allowed(opened))
    leases = [await pool.open_page() for _ in range(contexts)]
    for lease in leases:
        await lease.page.goto(opened.origins["shop"], wait_until="load")
    each = EPISODES * STEPS // contexts
    start = time.perf_counter()
    await asyncio.gather(*(_step(BareStepper(one.page), each) for one in leases))
    seconds = time.perf_counter() - start
    await pool.close()
    await host.close(opened)
    await host.aclose()
    return each * contexts / seconds


async def _step(stepper: BareStepper, steps: int) -> None:
    for _ in range(steps):
        await stepper.step(LABEL)

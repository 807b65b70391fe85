"""A reset to the first observation, compared with the shortest one in Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import Any

from benchmarks.records import Record
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.types import TaskSpec

READ = "() => document.body.innerText"


@dataclasses.dataclass(frozen=True, slots=True)
class Bench:
    """An environment on the sandbox, and what it is built on."""

    environment: BrowserEnvironment
    pool: BrowserPool
    host: SandboxHost


@contextlib.asynccontextmanager
async def open_bench(control_url: str) -> AsyncIterator[Bench]:
    """Open an environment with contexts prepared ahead; close it afterwards."""
    pool, host = BrowserPool(PoolOptions(prepared=2)), SandboxHost(control_url)
    environment = BrowserEnvironment(pool, host)
    try:
        yield Bench(environment, pool, host)
    finally:
        await environment.close()
        await pool.close()
        await host.aclose()


async def measure_resets(bench: Bench, task: TaskSpec, times: int) -> Record:
    """Reset, alternating with a new context, its page, first answer and text."""
    await bench.environment.reset(task)
    [site] = task.sites
    opened = await bench.host.open([site])
    lease = await bench.pool.open_page()
    browser = lease.context.browser
    if browser is None:
        raise RuntimeError("the browser is gone")

    async def bare() -> None:
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(opened.origins[site])
        await page.evaluate(READ)
        await context.close()

    ours: list[float] = []
    floor: list[float] = []
    for _ in range(times):
        await bench.environment.close()
        # A policy thinks between episodes; meanwhile a context is prepared.
        await asyncio.sleep(0.2)
        await timed(bench.environment.reset(task), ours)
        await timed(bare(), floor)
    await bench.pool.give_back(lease)
    await bench.host.close(opened)
    return record_medians("reset to first observation", ours, floor)


async def timed(call: Awaitable[Any], times: list[float]) -> Any:
    """Return the call's answer; its milliseconds go to `times`."""
    start = time.perf_counter()
    answer = await call
    times.append((time.perf_counter() - start) * 1000)
    return answer


def record_medians(name: str, ours: Sequence[float], floor: Sequence[float]) -> Record:
    """Return the medians of two series of milliseconds from alternating runs."""
    medians = statistics.median(ours), statistics.median(floor)
    return Record(f"{name}, median", *medians, "ms", len(ours))

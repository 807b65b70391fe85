"""What reaching a page and reading a large one costs, beside the bare floor.

- From `reset` to the first observation on the sandbox, contexts prepared ahead; bare:
  a new context, its page, the first answer and one evaluate that reads its text.
- Reading a page of 2,500 elements: the screen, and all of it; bare: its inner text.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosts import SandboxHost
from rollouts.browser.observations import (
    ObservationOptions,
    SettleLimits,
    look,
    look_options,
)
from rollouts.browser.pool import BrowserPool, PageLease, PoolOptions
from rollouts.browser.types import TaskSpec

RESETS = 40
READS = 30
ROWS = 500
TASK = TaskSpec(1, "Measure", "__SHOP__/", ("shop",), {})
READ = "() => document.body.innerText"
Timed = Callable[[], Awaitable[object]]


def run() -> list[Record]:
    """Measure and return the records."""
    with sandbox_process() as control_url:
        return asyncio.run(_measure(control_url))


async def _measure(control_url: str) -> list[Record]:
    pool, host = BrowserPool(PoolOptions(prepared=2)), SandboxHost(control_url)
    environment = BrowserEnvironment(pool, host)
    try:
        return [
            await _resets(environment, pool, host),
            *await _reads(pool),
        ]
    finally:
        await environment.close()
        await pool.close()
        await host.aclose()


async def _resets(
    environment: BrowserEnvironment, pool: BrowserPool, host: SandboxHost
) -> Record:
    await environment.reset(TASK)
    opened = await host.open(["shop"])
    lease = await pool.open_page()
    browser = lease.context.browser
    if browser is None:
        raise RuntimeError("the browser is gone")

    async def bare() -> None:
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(opened.origins["shop"])
        await page.evaluate(READ)
        await context.close()

    ours, floor = [], []
    for _ in range(RESETS):
        await environment.close()
        # A policy thinks between episodes; meanwhile a context is prepared.
        await asyncio.sleep(0.2)
        ours.append(await _time(lambda: environment.reset(TASK)))
        floor.append(await _time(bare))
    await pool.give_back(lease)
    await host.close(opened)
    return Record(
        "reset to first observation, median",
        statistics.median(ours),
        statistics.median(floor),
        "ms",
        RESETS,
    )


async def _reads(pool: BrowserPool) -> list[Record]:
    lease = await pool.open_page()
    await lease.page.set_content(large_page())
    count = await lease.page.evaluate("document.querySelectorAll('*').length")
    records = []
    for name, whole in (("the screen", False), ("all", True)):
        ours, floor = await _read_in_turns(lease, whole)
        title = f"reading {name} of a page of {count:,} elements, median"
        records.append(Record(title, ours, floor, "ms", READS))
    await pool.give_back(lease)
    return records


async def _read_in_turns(lease: PageLease, whole: bool) -> tuple[float, float]:
    chosen = ObservationOptions(whole_page=whole, text_limit=1_000_000)
    options = look_options(chosen, SettleLimits(), with_snapshot=False)
    ours, floor = [], []
    for _ in range(READS):
        ours.append(await _time(lambda: look(lease.page, options)))
        floor.append(await _time(lambda: lease.page.evaluate(READ)))
    return statistics.median(ours), statistics.median(floor)


async def _time(call: Timed) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    await call()
    return (time.perf_counter() - start) * 1000


def large_page() -> str:
    """A static listing: five elements a row, links, prices and buttons."""
    rows = "".join(
        f"<tr><td><a href='/p/{n}'>Product {n}</a></td><td>${n}.50</td>"
        "<td><button>Add</button></td></tr>"
        for n in range(ROWS)
    )
    return f"<!doctype html><title>Listing</title><table>{rows}</table>"

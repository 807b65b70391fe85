"""What reaching a page and reading a large one costs, compared with bare Playwright.

- From `reset` to the first observation on the sandbox, contexts prepared ahead; bare:
  a new context, its page, the first answer and one evaluate that reads its text.
- Reading a page of 2,500 elements: the screen, and all of it; bare: its inner text.
"""

from __future__ import annotations

import asyncio

from benchmarks.records import Record
from benchmarks.resets import (
    READ,
    measure_resets,
    open_bench,
    record_medians,
    timed,
)
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.observation.observations import (
    ObservationOptions,
    SettleLimits,
    look,
    look_options,
)
from rollouts.browser.process.pool import BrowserPool, PageLease
from rollouts.browser.types import TaskSpec

RESETS = 40
READS = 30
ROWS = 500
TASK = TaskSpec(1, "Measure", "__SHOP__/", ("shop",), {})


def run() -> list[Record]:
    """Measure and return the records."""
    with sandbox_process() as control_url:
        return asyncio.run(_measure(control_url))


async def _measure(control_url: str) -> list[Record]:
    async with open_bench(control_url) as bench:
        return [
            await measure_resets(bench, TASK, RESETS),
            *await _reads(bench.pool),
        ]


async def _reads(pool: BrowserPool) -> list[Record]:
    lease = await pool.open_page()
    await lease.page.set_content(large_page())
    count = await lease.page.evaluate("document.querySelectorAll('*').length")
    records = []
    for name, whole in (("the screen", False), ("all", True)):
        series = await _read_in_turns(lease, whole)
        title = f"reading {name} of a page of {count:,} elements"
        records.append(record_medians(title, *series))
    await pool.give_back(lease)
    return records


async def _read_in_turns(
    lease: PageLease, whole: bool
) -> tuple[list[float], list[float]]:
    chosen = ObservationOptions(whole_page=whole, text_limit=1_000_000)
    options = look_options(chosen, SettleLimits(), with_snapshot=False)
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(READS):
        await timed(look(lease.page, options), ours)
        await timed(lease.page.evaluate(READ), floor)
    return ours, floor


def large_page() -> str:
    """A static listing: five elements a row, links, prices and buttons."""
    rows = "".join(
        f"<tr><td><a href='/p/{n}'>Product {n}</a></td><td>${n}.50</td>"
        "<td><button>Add</button></td></tr>"
        for n in range(ROWS)
    )
    return f"<!doctype html><title>Listing</title><table>{rows}</table>"

"""Reads every page's goal with each seed, in a browser."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

from rollouts.browser.errors import EpisodeBroken
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.suites.miniwob import read_goals
from rollouts.sites.kit.sites import MINIWOB
from rollouts.sites.miniwob.tasks import page_path
from rollouts.sites.sandbox.background import running_sandbox

PAGES_AT_ONCE = 2


@dataclasses.dataclass(slots=True)
class GoalReport:
    """`goals` of all seeds by page, and why the pages in `failed` gave none."""

    goals: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    failed: dict[str, str] = dataclasses.field(default_factory=dict)


def collect_goals(
    suites: Path,
    pages: Sequence[str],
    seeds: Sequence[int],
    *,
    executable: str | None = None,
) -> GoalReport:
    """Open each page once, in a sandbox and a browser of our own.

    Raises:
        EpisodeBroken: The browser or the sandbox does not start.
    """
    with running_sandbox(suites) as sandbox:
        found = asyncio.run(_collect(sandbox.control_url, pages, seeds, executable))
    in_order = {page: found.goals[page] for page in pages if page in found.goals}
    return GoalReport(in_order, found.failed)


async def _collect(
    control_url: str,
    pages: Sequence[str],
    seeds: Sequence[int],
    executable: str | None,
) -> GoalReport:
    report = GoalReport()
    host = SandboxHost(control_url)
    pool = BrowserPool(PoolOptions(executable=executable, prepared=0))
    try:
        opened = await host.open([MINIWOB.key])
        pool.allow(host.allowed(opened))
        origin, waiting = opened.origins[MINIWOB.key], iter(pages)
        readers = [
            _read_pages(pool, origin, waiting, seeds, report)
            for _ in range(PAGES_AT_ONCE)
        ]
        await asyncio.gather(*readers)
    finally:
        await pool.close()
        await host.aclose()
    return report


async def _read_pages(
    pool: BrowserPool,
    origin: str,
    waiting: Iterable[str],
    seeds: Sequence[int],
    report: GoalReport,
) -> None:
    lease = await pool.open_page()
    for name in waiting:
        url = origin + page_path(name)
        try:
            report.goals[name] = await read_goals(lease.page, url, seeds)
        except EpisodeBroken as error:
            report.failed[name] = str(error)
    await pool.give_back(lease)

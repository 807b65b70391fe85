"""What a full environment step costs compared with a minimal step in Playwright.

Ours: parse, hit test, click, settle, observe, snapshot, record. Bare: one observing
evaluate, one mouse click at coordinates, one evaluate that waits for quiet. Both act
on the sandbox's shop in the same browser, alternating; the figures are medians. One
click stays on the page (a menu opens or closes), the other leads to another page.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from benchmarks.bare_step import BareStepper
from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.observation.observations import ObservationOptions
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.types import EpisodeRequest, Observation, TaskSpec
from rollouts.collection.episode_records import make_step
from rollouts.policies.protocol import PolicyAnswer

if TYPE_CHECKING:
    from playwright.async_api import Page

STEPS = 150
WARM_UP = 10
UNLIMITED = EpisodeLimits(steps=10**9, seconds=10**9, repeated=10**9, invalid=10**9)
TASK = TaskSpec(1, "Measure", "__SHOP__/", ("shop",), {})
REQUEST = EpisodeRequest(1, 1, TASK, 0, 30, 600.0)


def run() -> list[Record]:
    """Measure and return the records."""
    with sandbox_process() as control_url:
        return asyncio.run(_measure(control_url))


async def _measure(control_url: str) -> list[Record]:
    records = []
    async with _environment(control_url) as (pool, environment):
        lease = await pool.open_page()
        for name, labels in (
            ("step that stays on the page", ("Categories",)),
            ("step that leads to another page", ("Cart", "Orders")),
        ):
            observation, _ = await environment.reset(
                TASK, limits=UNLIMITED, recording=Recording(snapshots=True)
            )
            await lease.page.goto(observation.url)
            ours, bare = await _in_turns(environment, observation, lease.page, labels)
            records.append(
                Record(
                    f"environment {name}, median",
                    statistics.median(ours),
                    statistics.median(bare),
                    "ms",
                    len(ours),
                )
            )
        await pool.give_back(lease)
    return records


async def _in_turns(
    environment: BrowserEnvironment,
    observation: Observation,
    page: Page,
    labels: Sequence[str],
) -> tuple[list[float], list[float]]:
    bare_step = BareStepper(page)
    ours: list[float] = []
    bare: list[float] = []
    for index in range(WARM_UP + STEPS):
        label = labels[index % len(labels)]
        start = time.perf_counter()
        observation = await _our_step(environment, observation, label)
        between = time.perf_counter()
        await bare_step.step(label)
        end = time.perf_counter()
        ours.append((between - start) * 1000)
        bare.append((end - between) * 1000)
    return ours[WARM_UP:], bare[WARM_UP:]


async def _our_step(
    environment: BrowserEnvironment, observation: Observation, label: str
) -> Observation:
    wanted = next(e.id for e in observation.elements if e.text == label)
    output = f'# Element: {label}\ndo(action="Click", element="{wanted}")'
    following, _, _, _, info = await environment.step(output)
    make_step(REQUEST, 0, observation, PolicyAnswer(output), info, 0.0)
    if info["error"]:
        raise RuntimeError(info["error"])
    return following


@contextlib.asynccontextmanager
async def _environment(
    control_url: str,
) -> AsyncIterator[tuple[BrowserPool, BrowserEnvironment]]:
    pool, host = BrowserPool(PoolOptions(prepared=1)), SandboxHost(control_url)
    environment = BrowserEnvironment(pool, host, options=ObservationOptions())
    opened = await host.open(["shop"])
    pool.allow(host.allowed(opened))
    try:
        yield pool, environment
    finally:
        await environment.close()
        await pool.close()
        await host.close(opened)
        await host.aclose()

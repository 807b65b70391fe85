"""What a third-party application costs as a site: django-oscar.

It is installed in a new folder of its own. Measured are: opening, reading, forking and
closing an episode through the sandbox's control; a reset to the first observation;
steps that lead to another page, alternating with the same step in bare Playwright;
every test task by its plan, eight at once, and what exiting immediately would solve.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bare_step import BareStepper
from benchmarks.records import Record
from benchmarks.resets import measure_resets, open_bench, record_medians, timed
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import TaskSpec
from rollouts.sites.oscar.tasks import TEMPLATES, load_tasks, plan_of
from rollouts.sites.sandbox.baselines import ExitPolicy
from rollouts.sites.sandbox.oracle import OraclePolicy, find_elements
from rollouts.sites.sandbox.playing import play
from scripts.workbench.install import oscar

EPISODES = 200
RESETS = 20
STEPS = 60
WARM_UP = 6
AT_ONCE = 8
LABELS = ("Wish Lists", "Address Book", "Order History")
UNLIMITED = EpisodeLimits(steps=10**9, seconds=10**9, repeated=10**9, invalid=10**9)
HOME = TaskSpec(1, "Measure", "__OSCAR__/", ("oscar",), {})
ACCOUNT = TaskSpec(2, "Measure", "__OSCAR__/accounts/addresses/", ("oscar",), {})


def run() -> list[Record]:
    """Measure and return the records."""
    with tempfile.TemporaryDirectory(prefix="webrl-oscar-") as scratch:
        suites = Path(scratch)
        start = time.perf_counter()
        oscar.ensure(suites / oscar.NAME, pip_python=sys.executable)
        seconds = time.perf_counter() - start
        with (
            oscar.running_shop(suites / oscar.NAME),
            sandbox_process(suites=suites) as control_url,
        ):
            measured = asyncio.run(_measure(control_url))
            played = _play(control_url)
    return [Record("adding the site", seconds, None, "s", 1), *measured, *played]


def _play(control_url: str) -> list[Record]:
    tasks = load_tasks("test")
    possible = [one for one in tasks if TEMPLATES[one["template_key"]].is_possible]
    plans = play(
        OraclePolicy(tasks, plan_of), tasks, contexts=AT_ONCE, control_url=control_url
    )
    solved = sum(attempt.has_succeeded for attempt in plans)
    leaving = play(ExitPolicy(), possible, contexts=AT_ONCE, control_url=control_url)
    left = sum(attempt.outcome is True for attempt in leaving)
    return [
        Record(f"solved by plans, {AT_ONCE} at once", solved, len(tasks), "tasks", 1),
        Record("possible ones solved by leaving", left, None, "tasks", len(possible)),
    ]


async def _measure(control_url: str) -> list[Record]:
    async with open_bench(control_url) as bench:
        return [
            *await _episodes(bench.host),
            await measure_resets(bench, HOME, RESETS),
            await _steps(bench.environment, bench.pool),
        ]


async def _episodes(host: SandboxHost) -> list[Record]:
    """Each operation separately, as the environment requests it."""
    times: dict[str, list[float]] = {"open": [], "state": [], "fork": [], "close": []}
    for _ in range(EPISODES):
        opened = await timed(host.open(["oscar"]), times["open"])
        await timed(host.state(opened), times["state"])
        fork = await timed(host.fork(opened), times["fork"])
        await timed(host.close(fork), times["close"])
        await host.close(opened)
    return [
        Record(
            f"episode: {name}, median", statistics.median(found), None, "ms", EPISODES
        )
        for name, found in times.items()
    ]


async def _steps(environment: BrowserEnvironment, pool: BrowserPool) -> Record:
    lease = await pool.open_page()
    seen, _ = await environment.reset(ACCOUNT, limits=UNLIMITED)
    await lease.page.goto(seen.url)
    stepper = BareStepper(lease.page)
    ours: list[float] = []
    bare: list[float] = []
    for index in range(WARM_UP + STEPS):
        label = LABELS[index % len(LABELS)]
        element = find_elements(seen.text, label)[0]
        output = f'do(action="Click", element="{element}")'
        seen, *_, info = await timed(environment.step(output), ours)
        if info["error"]:
            raise RuntimeError(info["error"])
        await timed(stepper.step(label), bare)
    await pool.give_back(lease)
    return record_medians("step to another page", ours[WARM_UP:], bare[WARM_UP:])

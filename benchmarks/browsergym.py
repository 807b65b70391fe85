"""Our step compared with BrowserGym's, on five pages of MiniWoB++ in one Chromium.

BrowserGym 0.14.3 runs in a virtual environment of its own, made on first use below
`bench/` in the data folder. On both sides a step is one call of `env.step`, nothing is
prepared ahead meanwhile, and all episodes must be solved. BrowserGym is measured as
shipped, with its delays switched off, and also without its screenshot; ours with a
screenshot every step and without.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.records import Record
from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import Recording
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.chromium_path import find_chromium
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.types import TaskSpec
from rollouts.policies.protocol import PolicyRequest
from rollouts.sites.miniwob.solutions.policy import SolutionPolicy
from rollouts.sites.miniwob.tasks import build_task
from rollouts.sites.sandbox.miniwob_goals import collect_goals
from scripts.workbench.install.site import MINIWOB, SUITES
from scripts.workbench.install.wheel import fetch
from scripts.workbench.paths import DATA_DIR

PEER = "browsergym-miniwob==0.14.3"
PEER_SCRIPT = Path(__file__).parent / "peers" / "browsergym_steps.py"
PAGES = ("click-test", "click-button", "click-link", "click-checkboxes", "enter-text")
EPISODES = 5
MAX_STEPS = 12


def run() -> list[Record]:
    """Measure and return the records; ours before and after the peer's."""
    pages, python = _prepare()
    first = _ours(screenshots=False)
    shipped, fast, bare = (
        _peer(python, pages, mode) for mode in ("defaults", "fast", "bare")
    )
    pictured = _ours(screenshots=True)
    plain = first + _ours(screenshots=False)
    return [
        _record("step without screenshots, its delays off", plain, bare),
        _record("step with a screenshot each, its delays off", pictured, fast),
        _record("step with a screenshot each, as it is shipped", pictured, shipped),
    ]


def _record(metric: str, ours: list[float], peer: list[float]) -> Record:
    middle = statistics.median
    return Record(f"{metric}, median", middle(ours), middle(peer), "ms", len(ours))


def _prepare() -> tuple[Path, Path]:
    """Return the folder of the pages and BrowserGym's Python; make what is missing."""
    suite = SUITES / MINIWOB.key
    if not suite.is_dir():
        fetch(MINIWOB, suite, sys.executable)
    home = DATA_DIR / "bench" / "browsergym"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", PEER], check=True
        )
        (home / "ready").touch()
    return suite / "miniwob", python


def _peer(python: Path, pages: Path, mode: str) -> list[float]:
    done = subprocess.run(
        [str(python), str(PEER_SCRIPT), str(find_chromium()), str(EPISODES), mode],
        env={**os.environ, "MINIWOB_URL": f"{pages.as_uri()}/"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    times: list[float] = json.loads(done.stdout.splitlines()[-1])
    return times


def _ours(*, screenshots: bool) -> list[float]:
    goals = collect_goals(SUITES, PAGES, range(EPISODES)).goals
    with sandbox_process() as control_url:
        return asyncio.run(_play(control_url, goals, screenshots))


async def _play(
    control_url: str, goals: dict[str, list[str]], screenshots: bool
) -> list[float]:
    pool, host = BrowserPool(PoolOptions(prepared=0)), SandboxHost(control_url)
    environment = BrowserEnvironment(pool, host)
    times: list[float] = []
    try:
        for page, texts in goals.items():
            for seed, goal in enumerate(texts):
                task = build_task(page, seed, goal)
                spec = TaskSpec(
                    seed, goal, task["start_url"], tuple(task["sites"]), task
                )
                times += await _episode(environment, spec, screenshots)
    finally:
        await environment.close()
        await pool.close()
        await host.aclose()
    return times


async def _episode(
    environment: BrowserEnvironment, task: TaskSpec, screenshots: bool
) -> list[float]:
    """One episode; the milliseconds of its steps."""
    policy, times = SolutionPolicy(), []
    history: tuple[str, ...] = ()
    recording = Recording(screenshots=screenshots)
    seen, _ = await environment.reset(task, recording=recording)
    for _ in range(MAX_STEPS):
        request = PolicyRequest(
            task.instruction, history, ("",) * len(history), seen.text, 0
        )
        output = policy.act([request])[0].output
        start = time.perf_counter()
        seen, reward, terminated, _, _ = await environment.step(output)
        times.append((time.perf_counter() - start) * 1000)
        history = (*history, output)
        if terminated:
            if not reward:
                raise RuntimeError(f"{task.instruction!r} was not solved: {output}")
            return times
    raise RuntimeError(f"{task.instruction!r} was not solved")

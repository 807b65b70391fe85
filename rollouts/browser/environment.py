"""The environment: `reset`, `step`, `close` around one browser page.

Gymnasium's contract, asynchronous: `terminated` when the agent exits or the page
ends the episode, `truncated` when we stop it. The reward is 0 until the last step,
where it is the evaluators' outcome (0 or 1). What the site or the browser breaks is
raised as EpisodeBroken; what the agent does wrong is text in `info["error"]`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from rollouts.browser.actions import parse_action
from rollouts.browser.breaking import check_pages, explain_break, visit
from rollouts.browser.episode import Episode, EpisodeLimits, Recording, StepInfo
from rollouts.browser.errors import (
    BLOCKED,
    EpisodeBroken,
    explain,
)
from rollouts.browser.evaluators import (
    Ending,
    Judge,
    Verdict,
    eval_types,
    evaluate,
)
from rollouts.browser.evaluators.magento import ShopInterface, find_shop
from rollouts.browser.executor import ActOutcome, Executor
from rollouts.browser.forking import EpisodeSnapshot, restore_tabs, take_snapshot
from rollouts.browser.hosts import (
    OpenSites,
    SiteHost,
    hide_origins,
    home_of,
    locate_task,
    start_urls,
)
from rollouts.browser.observations import (
    Look,
    ObservationOptions,
    SettleLimits,
    look_options,
)
from rollouts.browser.page_reader import TabReader
from rollouts.browser.pool import BrowserPool
from rollouts.browser.signing_in import SignIns
from rollouts.browser.suites import find_suite
from rollouts.browser.tabs import look_at_tabs
from rollouts.browser.types import (
    Action,
    Observation,
    TaskSpec,
)

if TYPE_CHECKING:
    pass


class BrowserEnvironment:
    """One task on one page at a time. Not for use by two coroutines at once."""

    def __init__(
        self,
        pool: BrowserPool,
        host: SiteHost,
        *,
        options: ObservationOptions | None = None,
        settle: SettleLimits | None = None,
        judge: Judge | None = None,
        sign_ins: SignIns | None = None,
        shops: Mapping[str, ShopInterface] | None = None,
    ) -> None:
        """Nothing is opened before `reset`.

        `judge` is for tasks that want one, `shops` are interfaces by site key.
        """
        self._pool = pool
        self._host = host
        self._options = options or ObservationOptions()
        self._settle = settle or SettleLimits()
        self._judging = judge
        self._sign_ins = sign_ins or SignIns(pool, {})
        self._shops = shops or {}
        self._episode: Episode | None = None

    async def reset(
        self,
        task: TaskSpec,
        *,
        limits: EpisodeLimits | None = None,
        recording: Recording | None = None,
        start: EpisodeSnapshot | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Open the task's sites as at their start and return the first page.

        With `start` the episode goes on from there instead, in a copy of its own.

        Raises:
            EpisodeBroken: The site or the browser failed.
        """
        await self.close()
        opened = await self._open(task, start)
        try:
            self._pool.allow(self._host.allowed(opened))
            episode = await self._start(task, opened, limits, recording)
        except BaseException:
            await self._host.close(opened)
            raise
        self._episode = episode
        began = time.perf_counter()
        async with self._watch(episode, episode.limits.deadline_s):
            if start is None:
                await self._reset_page(episode)
            else:
                episode.state_at_start = start.state_at_start
                await restore_tabs(episode, start)
            await self._look(episode, 0)
        observe = (time.perf_counter() - began) * 1000
        self._pool.prepare_ahead()
        return episode.observation, {"timing": {"observe": observe}}

    async def _open(self, task: TaskSpec, start: EpisodeSnapshot | None) -> OpenSites:
        if start is None:
            return await self._host.open(task.sites)
        return await self._host.fork(start.opened)

    async def _start(
        self,
        task: TaskSpec,
        opened: OpenSites,
        limits: EpisodeLimits | None,
        recording: Recording | None,
    ) -> Episode:
        suite = find_suite(task.spec)
        state = await self._state(task.spec, opened)
        lease = await self._pool.open_page()
        located = locate_task(task, opened)
        home = home_of(start_urls(located)[0])
        executor = Executor(lease.context, lease.page, home)
        return Episode(
            task=located,
            opened=opened,
            lease=lease,
            executor=executor,
            limits=limits or EpisodeLimits(),
            recording=recording or Recording(),
            state_at_start=state,
            suite=suite,
            deadline=time.monotonic() + (limits or EpisodeLimits()).seconds,
        )

    async def _state(self, spec: dict[str, Any], opened: OpenSites) -> dict[str, Any]:
        """Read the sites' state, where an evaluator will want it."""
        if "state_match" not in eval_types(spec):
            return {}
        return await self._host.state(opened)

    async def _reset_page(self, episode: Episode) -> None:
        """Open each start address in a tab of its own; the first is the active one."""
        first, *others = start_urls(episode.task)
        page = episode.executor.page
        await self._sign_ins.prepare(episode.lease.context, episode.opened)
        await visit(page, first)
        await self._sign_ins.check(page, episode.opened)
        for url in others:
            tab = await episode.lease.context.new_page()
            await visit(tab, url)
            await tab.wait_for_load_state("domcontentloaded")
        if others:
            await page.bring_to_front()
        if episode.suite is not None:
            await episode.suite.begin(page, episode.task)

    async def snapshot(self) -> EpisodeSnapshot:
        """Keep where the episode stands, for `reset(task, start=...)`.

        Raises:
            CannotFork: A site runs elsewhere, or the page holds its own episode.
        """
        if self._episode is None:
            raise RuntimeError("reset() comes before snapshot()")
        return await take_snapshot(self._host, self._episode)

    def hide_origins(self, url: str) -> str:
        """Write an address with the sites' placeholders, as task files do."""
        opened = self._episode.opened if self._episode else OpenSites("", {})
        return hide_origins(url, opened)

    async def forget(self, snapshot: EpisodeSnapshot) -> None:
        """Let go of what a snapshot keeps open."""
        await self._host.close(snapshot.opened)

    async def step(
        self, output: str
    ) -> tuple[Observation, float, bool, bool, StepInfo]:
        """Carry out one answer of the policy.

        Raises:
            EpisodeBroken: The site or the browser failed; the episode is over.
        """
        episode = self._episode
        if episode is None:
            raise RuntimeError("reset() comes before step()")
        action = parse_action(output)
        episode.count(action)
        async with self._watch(episode, episode.limits.deadline_s):
            outcome, timing = await self._act(episode, action)
            await episode.read_page_ending()
        ended_by = episode.ended_by(action)
        verdict = Verdict(None, ())
        if ended_by is not None:
            start = time.perf_counter()
            async with self._watch(episode, episode.limits.judge_deadline_s):
                verdict = await self._judge(episode, action)
            timing["judge"] = (time.perf_counter() - start) * 1000
        info: StepInfo = {
            "action": action,
            "error": outcome.error,
            "target_box": outcome.target_box,
            "timing": timing,
            "ended_by": ended_by,
            "answer": action.argument if ended_by == "exit" else "",
            "outcome": verdict.outcome,
            "checks": verdict.checks,
        }
        terminated = ended_by in ("exit", "page")
        truncated = ended_by is not None and not terminated
        return (
            episode.observation,
            float(verdict.outcome or 0),
            terminated,
            truncated,
            info,
        )

    async def close(self) -> None:
        """Close the page and forget the episode's sites."""
        episode, self._episode = self._episode, None
        if episode is not None:
            await self._pool.give_back(episode.lease)
            await self._host.close(episode.opened)

    async def _act(
        self, episode: Episode, action: Action
    ) -> tuple[ActOutcome, dict[str, float]]:
        if action.error:
            return ActOutcome(action.error), {}
        if action.name == "Exit":
            return ActOutcome(), {}
        start = time.perf_counter()
        try:
            outcome = await episode.executor.carry_out(action)
        except Error as error:
            if "crashed" in error.message or not episode.executor.pages:
                raise
            outcome = ActOutcome(explain(error.message))
        acted = time.perf_counter()
        seen = await self._look(episode, outcome.least_ms)
        observe_ms = seen.observe_ms if seen is not None else 0.0
        timing = {
            "act": (acted - start) * 1000,
            "settle": (time.perf_counter() - acted) * 1000 - observe_ms,
            "observe": observe_ms,
        }
        if seen is None:
            outcome = dataclasses.replace(outcome, error=BLOCKED)
        return outcome, timing

    async def _look(self, episode: Episode, least_ms: int) -> Look | None:
        """Observe the active tab; None when it could not be reached and was left."""
        options = look_options(
            self._options,
            self._settle,
            with_snapshot=episode.recording.snapshots,
            least_ms=least_ms,
            asks_ending=episode.suite is not None,
        )
        return await look_at_tabs(episode, options)

    async def _judge(self, episode: Episode, action: Action) -> Verdict:
        spec = episode.task.spec
        if not eval_types(spec):
            return Verdict(None, ())
        state = await self._state(spec, episode.opened)
        ending = Ending(
            answer=action.argument if action.name == "Exit" else "",
            url=episode.observation.url,
            state=state,
            state_at_start=episode.state_at_start,
            page=episode.page_ending,
        )
        reader = TabReader(episode.executor.page)
        shop = find_shop(self._shops, episode.opened.origins)
        return await evaluate(spec, ending, reader, judge=self._judging, shop=shop)

    @contextlib.asynccontextmanager
    async def _watch(self, episode: Episode, seconds: float) -> AsyncIterator[None]:
        """Turn hangs and crashes into EpisodeBroken, and close the episode."""
        try:
            async with asyncio.timeout(seconds):
                check_pages(episode)
                yield
                check_pages(episode)
        except (TimeoutError, EpisodeBroken, Error) as error:
            broken = explain_break(error, episode, seconds)
            await self.close()
            raise broken from (None if broken is error else error)

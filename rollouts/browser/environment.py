"""The environment: `reset`, `step`, `close` around one browser page.

It follows Gymnasium's contract, asynchronously. `terminated`: the agent exits, the page
ends the episode or, under BrowserGym's rules, the task is solved. `truncated`: the
environment stops the episode. The reward is 0 until the last step, where it is the
evaluators' outcome (0 or 1). A failure of the site or the browser raises EpisodeBroken;
a mistake of the agent is text in `info["error"]`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from playwright.async_api import Error

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.dialects import DIALECTS, DialectName
from rollouts.browser.actions.outcomes import ActOutcome
from rollouts.browser.episode import Episode, EpisodeLimits, Recording, StepInfo
from rollouts.browser.errors import (
    BLOCKED,
    LATE,
    EpisodeBroken,
    explain,
    explain_notes,
)
from rollouts.browser.evaluators import Judge, Verdict
from rollouts.browser.evaluators.magento import ShopInterface, find_shop
from rollouts.browser.failure_cause import check_pages, explain_break
from rollouts.browser.forking import EpisodeSnapshot, restore_tabs, take_snapshot
from rollouts.browser.hosting.hosts import OpenSites, SiteHost, hide_origins
from rollouts.browser.hosting.signing_in import SignIns
from rollouts.browser.observation.observations import (
    Look,
    ObservationOptions,
    SettleLimits,
    look_options,
)
from rollouts.browser.opening import open_episode, show_start
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.process.tracing import BROKEN_DEADLINE_S, end_trace, traced_step
from rollouts.browser.scoring.episode_scoring import (
    judge_episode,
    looks_after_each_step,
)
from rollouts.browser.tabs import look_at_tabs
from rollouts.browser.types import Action, EndedBy, Observation, TaskSpec
from rollouts.browser.verified.types import VerifiedScorer


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
        dialect: DialectName = "webrl",
        acting: ActingOptions | None = None,
        verified: VerifiedScorer | None = None,
    ) -> None:
        """Nothing is opened before `reset`.

        `settle` says how long pages are waited for, `judge` is for tasks that need
        one, `shops` are interfaces by site key, `dialect` is how actions are written,
        `acting` how they are carried out, `verified` scores WebArena-Verified's tasks.
        """
        self._dialect = DIALECTS[dialect]
        self._acting = acting or ActingOptions()
        self._pool = pool
        self._host = host
        self._options = options or ObservationOptions(form=pool.form)
        if self._options.form != pool.form:
            raise ValueError(
                f"The browser's pages are made for {pool.form}, "
                f"not {self._options.form}: BrowserPool(options, form)."
            )
        self._settle = settle or SettleLimits()
        self._judging = judge
        self._sign_ins = sign_ins or SignIns(pool, {})
        self._shops = shops or {}
        self._verified = verified
        self._episode: Episode | None = None

    async def reset(
        self,
        task: TaskSpec,
        *,
        limits: EpisodeLimits | None = None,
        recording: Recording | None = None,
        start: EpisodeSnapshot | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Open the task's sites in their initial state and return the first page.

        With `start` the episode goes on from there instead, in a copy of its own.

        Raises:
            EpisodeBroken: The site or the browser failed.
        """
        await self.close()
        episode = await open_episode(
            self._pool,
            self._host,
            task,
            limits=limits or EpisodeLimits(),
            recording=recording or Recording(),
            start=start,
            acting=self._acting,
            navigation_ms=self._settle.navigation,
        )
        self._episode = episode
        began = time.perf_counter()
        async with self._watch(episode, episode.limits.deadline_s):
            if start is None:
                await show_start(episode, self._sign_ins)
            else:
                episode.state_at_start = start.state_at_start
                await restore_tabs(episode, start)
            episode.executor.note_tabs()
            await self._look(episode, 0)
        observe = (time.perf_counter() - began) * 1000
        self._pool.prepare_ahead()
        return episode.observation, {"timing": {"observe": observe}}

    async def snapshot(self) -> EpisodeSnapshot:
        """Take a snapshot of the episode for `reset(task, start=...)`.

        Raises:
            CannotFork: A site is external, or the page runs an episode of its own.
        """
        if self._episode is None:
            raise RuntimeError("reset() comes before snapshot()")
        return await take_snapshot(self._host, self._episode)

    def hide_origins(self, url: str) -> str:
        """Write an address with the sites' placeholders, as task files do."""
        opened = self._episode.opened if self._episode else OpenSites("", {})
        return hide_origins(url, opened)

    async def forget(self, snapshot: EpisodeSnapshot) -> None:
        """Release what a snapshot keeps open."""
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
        action = self._dialect.parse(output)
        episode.count(action)
        async with self._watch(episode, episode.limits.deadline_s):
            async with traced_step(episode, output):
                outcome, timing = await self._act(episode, action)
            await episode.read_page_ending()
        ended_by = episode.ended_by(action)
        verdict, trace = Verdict(None, ()), ""
        if ended_by is not None or looks_after_each_step(episode):
            verdict = await self._judge(episode, action, timing, ended_by)
        if ended_by is None and verdict.outcome:
            ended_by = "solved"
        if ended_by is None:
            verdict = Verdict(None, ())
        else:
            trace = await end_trace(episode, solved=bool(verdict.outcome))
        info: StepInfo = {
            "action": action,
            "error": self._dialect.word(outcome.error),
            "target_box": outcome.target_box,
            "timing": timing,
            "ended_by": ended_by,
            "answer": action.argument if ended_by == "exit" else "",
            "outcome": verdict.outcome,
            "checks": verdict.checks,
            "trace": trace,
            "refused": episode.lease.list_refused() if ended_by else (),
        }
        terminated = ended_by in ("exit", "page", "solved")
        truncated = ended_by is not None and not terminated
        return (
            episode.observation,
            float(verdict.outcome or 0),
            terminated,
            truncated,
            info,
        )

    def extend(self, seconds: float) -> None:
        """Extend the time limit: the model's server did not answer for so long."""
        if self._episode is None:
            raise RuntimeError("reset() comes before extend()")
        self._episode.deadline += seconds

    async def close(self) -> None:
        """Close the page and forget the sites, even if cancelled meanwhile."""
        episode, self._episode = self._episode, None
        if episode is None:
            return
        closing = asyncio.ensure_future(self._end(episode))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait({closing})
            raise

    async def _end(self, episode: Episode) -> None:
        if episode.request_log is not None:
            episode.request_log.remove()
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
            if outcome.error == LATE:
                await episode.executor.stop_loading()
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
        elif not outcome.error:
            is_expected = "download" in seen.notes
            files = await episode.executor.downloads.take(is_expected=is_expected)
            told = explain_notes(seen.notes, episode.lease.dialogs, files)
            outcome = dataclasses.replace(outcome, error=told)
        episode.lease.dialogs.clear()
        return outcome, timing

    async def _look(self, episode: Episode, least_ms: int) -> Look | None:
        """Observe the active tab; None when its page was not reached and was left."""
        options = look_options(
            self._options,
            self._settle,
            with_snapshot=episode.recording.snapshots,
            least_ms=least_ms,
            asks_ending=episode.suite is not None,
        )
        return await look_at_tabs(episode, options)

    async def _judge(
        self,
        episode: Episode,
        action: Action,
        timing: dict[str, float],
        ended_by: EndedBy | None,
    ) -> Verdict:
        start = time.perf_counter()
        async with self._watch(episode, episode.limits.judge_deadline_s):
            shop = find_shop(self._shops, episode.opened.origins)
            verdict = await judge_episode(
                self._host,
                episode,
                action,
                judge=self._judging,
                shop=shop,
                verified=self._verified,
                settle=self._settle,
                ended_by=ended_by,
            )
        timing["judge"] = (time.perf_counter() - start) * 1000
        return verdict

    @contextlib.asynccontextmanager
    async def _watch(self, episode: Episode, seconds: float) -> AsyncIterator[None]:
        """Turn hangs and crashes into EpisodeBroken, and close the episode."""
        try:
            async with asyncio.timeout(seconds) as episode.exchange:
                check_pages(episode)
                yield
                check_pages(episode)
        except (TimeoutError, EpisodeBroken, Error) as error:
            broken = explain_break(error, episode, seconds)
            broken.refused = episode.lease.list_refused()
            broken.trace = await end_trace(
                episode, solved=False, deadline_s=BROKEN_DEADLINE_S
            )
            await self.close()
            raise broken from (None if broken is error else error)

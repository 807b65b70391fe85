"""Episodes of the sandbox for callers that are not asynchronous, such as BrowserGym.

BrowserGym's Playwright runs an event loop in the caller's thread, so ours has a thread
of its own. The sandbox is the one that WEBRL_SITES_CONTROL_URL names, or else one that
this process starts at its first episode and ends with itself.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import dataclasses
import os
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from rollouts.browser.evaluators import Ending, Verdict, evaluate
from rollouts.browser.hosting.hosts import OpenSites, locate_task, start_urls
from rollouts.browser.hosting.sandbox_client import SandboxClient
from rollouts.browser.scoring.manual_trial import NoPages
from rollouts.browser.types import TaskSpec
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks

NOT_AVAILABLE = "N/A"
CONTROL_URL = "WEBRL_SITES_CONTROL_URL"
Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True, slots=True)
class GymEpisode:
    """One open episode.

    Attributes:
        token: The sandbox's name for it.
        task: The task with the episode's own addresses.
        starts: Where its tabs begin.
        state_at_start: The sites' state before the first action.
    """

    token: str
    task: TaskSpec
    starts: list[str]
    state_at_start: dict[str, Any]


class Episodes:
    """Opens, evaluates and closes episodes of one sandbox; calls block."""

    def __init__(self, control_url: str) -> None:
        """`control_url` is the sandbox's control listener."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = SandboxClient(control_url)

    def open(self, task: TaskSpec) -> GymEpisode:
        """Start the task's sites in their first state.

        Raises:
            SandboxError: The sandbox does not answer, or has no such site.
        """
        return self._wait(self._open(task))

    async def _open(self, task: TaskSpec) -> GymEpisode:
        opened = await self._client.open(task.sites)
        state = await self._client.state(opened.token)
        located = locate_task(task, OpenSites(opened.token, opened.origins))
        return GymEpisode(opened.token, located, start_urls(located), state)

    def judge(self, episode: GymEpisode, url: str, answer: str | None) -> Verdict:
        """Return the evaluators' present result; `answer` may still be None."""
        return self._wait(self._judge(episode, url, answer))

    async def _judge(
        self, episode: GymEpisode, url: str, answer: str | None
    ) -> Verdict:
        ending = Ending(
            answer=answer or "",
            has_exited=answer is not None,
            url=url,
            state=await self._client.state(episode.token),
            state_at_start=episode.state_at_start,
        )
        return await evaluate(episode.task.spec, ending, NoPages())

    def close(self, episode: GymEpisode) -> None:
        """Forget the episode."""
        self._wait(self._client.close(episode.token))

    def shut(self) -> None:
        """Drop the connections and end the thread; once is enough."""
        if not self._loop.is_closed():
            self._wait(self._client.aclose())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@cache
def find_episodes() -> Episodes:
    """Return this process's episodes; they end with it."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    url = os.environ.get(CONTROL_URL, "")
    if not url:
        url = stack.enter_context(running_sandbox()).control_url
    episodes = Episodes(url)
    stack.callback(episodes.shut)
    return episodes


@cache
def find_task(key: str) -> TaskSpec:
    """Return a task of the catalog.

    Raises:
        KeyError: There is none of that key.
    """
    for number, task in enumerate(load_tasks()):
        if task["key"] == key:
            return TaskSpec(
                number, task["intent"], task["start_url"], tuple(task["sites"]), task
            )
    raise KeyError(key)


def read_answer(chat_messages: list[dict[str, Any]]) -> str | None:
    """Return the agent's answer; None where the episode goes on."""
    last = chat_messages[-1] if chat_messages else {}
    if last.get("role") == "assistant":
        return str(last.get("message", ""))
    return NOT_AVAILABLE if last.get("role") == "infeasible" else None


def list_checks(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the evaluators' checks as plain values."""
    return [
        {"name": check.name, "passed": check.passed, "why": str(check.why)}
        for check in verdict.checks
    ]

"""One episode that its caller drives step by step, in a thread of its own.

The browser's loop runs on between the calls, so that dialogs are answered and pages
stay alive. The caller blocks, and may use Django's ORM. Nothing here knows Django.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.types import EpisodeRequest, Exchange, Observation
from rollouts.collection.collector_options import CollectorOptions, World, open_sandbox
from rollouts.collection.episode_records import make_end, make_step, tidy_answer
from rollouts.policies.protocol import PolicyAnswer

Result = TypeVar("Result")
# Only its deadline ends an episode that a person drives.
ENDLESS = 1_000_000


class Hand:
    """Blocking `begin` and `step` around one environment; use as `with`."""

    def __init__(
        self,
        options: CollectorOptions,
        *,
        open_world: Callable[[CollectorOptions], World] = open_sandbox,
    ) -> None:
        """Nothing is opened before `begin`."""
        self._options = options
        self._open_world = open_world
        self._world: World | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="hand", daemon=True
        )

    def __enter__(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the browser and the thread."""
        try:
            self._wait(self._end(), self._options.close_deadline_s)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(self._options.close_deadline_s)
            if not self._thread.is_alive():
                self._loop.close()

    def begin(self, request: EpisodeRequest) -> Observation:
        """Open the request's task in its initial state and return the first page.

        Raises:
            EpisodeBroken: The site or the browser failed.
        """
        self._request, self._done = request, 0
        self._seen = self._wait(self._begin(request))
        return self._seen

    def step(self, output: str, thought_ms: float = 0.0) -> Exchange:
        """Carry out one answer, the agent's or a person's.

        `thought_ms` is how long it took to decide.

        Raises:
            EpisodeBroken: The site or the browser failed; the episode is over.
        """
        following, _, _, _, info = self._wait(self._environment.step(output))
        answer = tidy_answer(PolicyAnswer(output))
        parts = (self._request, self._done, self._seen, answer, info, thought_ms)
        self._seen, self._done = following, self._done + 1
        is_over = info["ended_by"] is not None
        end = make_end(self._request, following, info) if is_over else None
        return Exchange(make_step(*parts), following, end)

    async def _begin(self, request: EpisodeRequest) -> Observation:
        self._world = self._open_world(self._options)
        self._environment = self._world.environment()
        limits = EpisodeLimits(
            steps=ENDLESS,
            seconds=ENDLESS,
            repeated=ENDLESS,
            invalid=ENDLESS,
            deadline_s=self._options.deadline_s,
        )
        recording = Recording(True, True, request.traces, self._options.trace_folder)
        seen, _ = await self._environment.reset(
            request.task, limits=limits, recording=recording
        )
        return seen

    async def _end(self) -> None:
        if self._world is not None:
            await self._environment.close()
            await self._world.close()

    def _wait(
        self, work: Coroutine[Any, Any, Result], timeout_s: float | None = None
    ) -> Result:
        future: concurrent.futures.Future[Result]
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(timeout_s)

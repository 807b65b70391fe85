"""One policy call for all the episodes that wait for an action."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import time
from collections.abc import Hashable

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import EndpointDown, EpisodeBroken, HarnessBroken
from rollouts.policies.protocol import (
    Policy,
    PolicyAnswer,
    PolicyFailed,
    PolicyRequest,
    PolicyUnavailable,
)

# Share of the policy's own time that a round may wait for more episodes, and its cap.
WINDOW_SHARE = 0.25
MAX_WINDOW_S = 0.05


class Batcher:
    """Gathers requests and answers them in rounds.

    A round starts as soon as every known episode waits, or once a window has passed.
    The window adapts to how long the policy takes: larger batches pay when a call is
    slow, and the wait is never more than a quarter of the call.
    """

    def __init__(self, policy: Policy, executor: concurrent.futures.Executor) -> None:
        """`executor` has one thread: a policy is called from one at a time."""
        self._policy = policy
        self._executor = executor
        self._waiting: list[tuple[PolicyRequest, asyncio.Future[PolicyAnswer]]] = []
        self._members: set[Hashable] = set()
        self._arrived = asyncio.Event()
        self._act_s = 0.0
        self._task = asyncio.create_task(self._run())

    @property
    def is_at_server(self) -> bool:
        """Always False: a policy that answers in rounds computes here, and may hang."""
        return False

    async def ask(self, member: Hashable, request: PolicyRequest) -> PolicyAnswer:
        """Return the policy's answer for the episode `member`."""
        future = asyncio.get_running_loop().create_future()
        self._members.add(member)
        self._waiting.append((request, future))
        self._arrived.set()
        answer: PolicyAnswer = await future
        return answer

    def leave(self, member: Hashable) -> None:
        """Say that an episode will not ask again."""
        self._members.discard(member)
        self._arrived.set()

    async def close(self) -> None:
        """Stop; requests that still wait are cancelled."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        for _, future in self._waiting:
            future.cancel()

    async def _run(self) -> None:
        while True:
            await self._gather()
            batch = [item for item in self._waiting if not item[1].done()]
            self._waiting.clear()
            if batch:
                await self._answer(batch)

    async def _gather(self) -> None:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        until = time.monotonic() + min(self._act_s * WINDOW_SHARE, MAX_WINDOW_S)
        while len(self._waiting) < len(self._members):
            left = until - time.monotonic()
            if left <= 0:
                return
            self._arrived.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), left)

    async def _answer(
        self, batch: list[tuple[PolicyRequest, asyncio.Future[PolicyAnswer]]]
    ) -> None:
        loop = asyncio.get_running_loop()
        requests = [request for request, _ in batch]
        start = time.monotonic()
        try:
            answers = await loop.run_in_executor(
                self._executor, self._policy.act, requests
            )
            if len(answers) != len(batch):
                raise ValueError(f"{len(answers)} answers to {len(batch)} requests")
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - handed to each waiting episode
            for _, future in batch:
                if not future.done():
                    future.set_exception(name_failure(error))
            return
        taken = time.monotonic() - start
        self._act_s = taken if not self._act_s else 0.8 * self._act_s + 0.2 * taken
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)


def name_failure(error: Exception) -> EpisodeBroken:
    """Return what broke the episodes that waited for this answer."""
    if isinstance(error, PolicyUnavailable):
        return EndpointDown(str(error), wait_s=error.wait_s)
    if isinstance(error, PolicyFailed):
        return HarnessBroken(str(error))
    reason = f"{type(error).__name__}: {error}"
    return HarnessBroken(Sentence("policy_failed", reason=reason))

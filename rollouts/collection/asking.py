"""How waiting episodes are answered: in rounds, or one at a time."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Hashable
from typing import Protocol

from rollouts.collection.batching import Batcher, name_failure
from rollouts.policies.protocol import (
    ConcurrentPolicy,
    Policy,
    PolicyAnswer,
    PolicyRequest,
)


class Asker(Protocol):
    """Passes requests of episodes on to the policy. Used from one asyncio loop."""

    @property
    def is_at_server(self) -> bool:
        """Whether a server is being asked; its client has a deadline of its own."""
        ...

    async def ask(self, member: Hashable, request: PolicyRequest) -> PolicyAnswer:
        """Return the policy's answer for the episode `member`."""
        ...

    def leave(self, member: Hashable) -> None:
        """Say that an episode will not ask again."""
        ...

    async def close(self) -> None:
        """Stop; requests that still wait are cancelled."""
        ...


class Streamer:
    """Sends each request at once: a server forms its own batches.

    A refused request fails its own episode and no other.
    """

    def __init__(self, policy: ConcurrentPolicy) -> None:
        """The policy is called from `concurrency` threads."""
        self._policy = policy
        self._under_way: set[int] = set()
        self._threads = concurrent.futures.ThreadPoolExecutor(
            policy.concurrency, "served-policy"
        )

    async def ask(self, member: Hashable, request: PolicyRequest) -> PolicyAnswer:
        """Return the policy's answer for the episode `member`."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._answer, request)
        except Exception as error:
            raise name_failure(error) from error

    def _answer(self, request: PolicyRequest) -> PolicyAnswer:
        # Counted in the thread, so that a loop that hangs does not seem to be waiting.
        thread = threading.get_ident()
        self._under_way.add(thread)
        try:
            return self._policy.answer(request)
        finally:
            self._under_way.discard(thread)

    @property
    def is_at_server(self) -> bool:
        """Whether a request is under way."""
        return bool(self._under_way)

    def leave(self, member: Hashable) -> None:
        """Do nothing: requests are not gathered here."""

    async def close(self) -> None:
        """Send nothing more; running requests end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def open_asker(policy: Policy, executor: concurrent.futures.Executor) -> Asker:
    """Return the class that fits the policy; `executor` has one thread, for rounds."""
    if isinstance(policy, ConcurrentPolicy):
        return Streamer(policy)
    return Batcher(policy, executor)

"""Runs many episodes at once, in a thread of its own, and hands out their records.

One asyncio loop drives one browser with several contexts. Episodes that wait
for an action are answered together: one `policy.act` for all of them. Records
leave through a queue, in order within each episode, ended by exactly one
EpisodeEnd or EpisodeFailure. Nothing here knows Django.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.errors import EpisodeBroken
from rollouts.browser.types import (
    Attempt,
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRecord,
    EpisodeRequest,
    attempt_of,
)
from rollouts.collection.asking import Asker, open_asker
from rollouts.collection.collector_options import (
    CollectorOptions,
    Environment,
    World,
    open_sandbox,
)
from rollouts.collection.episode_records import (
    derive_seed,
    make_end,
    make_failure,
    make_step,
    tidy_answer,
)
from rollouts.policies.protocol import Policy, PolicyRequest

logger = logging.getLogger(__name__)
Episode = asyncio.Task[EpisodeEnd | EpisodeFailure]


class Collector:
    """Collects episodes with one policy. The public methods are thread-safe."""

    def __init__(
        self,
        policy: Policy,
        options: CollectorOptions,
        *,
        open_world: Callable[[CollectorOptions], World] = open_sandbox,
    ) -> None:
        """`open_world` makes the world with the episodes' sites and their browser."""
        self._policy = policy
        self._options = options
        self._open_world = open_world
        self._records: queue.SimpleQueue[EpisodeRecord] = queue.SimpleQueue()
        self._waiting: asyncio.Queue[EpisodeRequest] = asyncio.Queue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="collector", daemon=True)
        self._lock = threading.Lock()
        self._open = 0
        self._is_closing = False
        self._progress_at = time.monotonic()
        self._asker: Asker | None = None
        self._crash: BaseException | None = None
        self._main_task: asyncio.Task[None] | None = None
        self._episodes: dict[Attempt, Episode] = {}

    def __enter__(self) -> Self:
        """Start; use as `with`."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        self.close()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def free_slots(self) -> int:
        """How many more episodes can be submitted without waiting."""
        with self._lock:
            return max(self._options.contexts - self._open, 0)

    @property
    def progress_at(self) -> float:
        """When the loop last got something done, in time.monotonic() seconds.

        It is the present time while a request to a server runs: an outage of the model
        must not look like a browser that hangs.
        """
        if self._asker is not None and self._asker.is_at_server:
            return time.monotonic()
        return self._progress_at

    def submit(self, requests: Sequence[EpisodeRequest]) -> None:
        """Queue episodes; each ends in one EpisodeEnd or EpisodeFailure."""
        self._check()
        with self._lock:
            self._open += len(requests)
        for request in requests:
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, request)

    def poll(self, timeout_s: float) -> list[EpisodeRecord]:
        """Return the new records; waits at most `timeout_s` for the first."""
        records: list[EpisodeRecord] = []
        try:
            records.append(self._records.get(timeout=max(timeout_s, 0.0)))
            while True:
                records.append(self._records.get_nowait())
        except queue.Empty:
            if not records:
                self._check()
            return records

    def drop(self, attempt: Attempt) -> None:
        """End an attempt that another worker has taken, without a record."""
        self._check()
        self._loop.call_soon_threadsafe(self._drop, attempt)

    def close(self) -> None:
        """Stop at once: running episodes are dropped without a record."""
        if self._is_closing:
            return
        self._is_closing = True
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop)
            self._thread.join(self._options.close_deadline_s)
            if self._thread.is_alive():
                logger.warning("the collector's thread does not end")
        elif not self._loop.is_closed():
            self._loop.close()

    def _drop(self, attempt: Attempt) -> None:
        if attempt in self._episodes:
            self._episodes[attempt].cancel()

    def _stop(self) -> None:
        if self._main_task is not None:
            self._main_task.cancel()

    def _check(self) -> None:
        if self._crash is not None:
            raise RuntimeError("the collector's thread has died") from self._crash
        if self._is_closing:
            raise RuntimeError("the collector is closed")

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._main_task = self._loop.create_task(self._main())
        try:
            self._loop.run_until_complete(self._main_task)
        except asyncio.CancelledError:
            pass  # close() was called.
        except BaseException as error:
            logger.exception("the collector's thread died")
            self._crash = error
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _main(self) -> None:
        world = self._open_world(self._options)
        with concurrent.futures.ThreadPoolExecutor(1, "policy") as executor:
            asker = self._asker = open_asker(self._policy, executor)
            slots = asyncio.Semaphore(self._options.contexts)
            try:
                while True:
                    request = await self._waiting.get()
                    await slots.acquire()
                    episode = asyncio.create_task(
                        self._collect(request, world.environment(), asker)
                    )
                    self._note(attempt_of(request), episode, slots)
            finally:
                episodes = list(self._episodes.values())
                for episode in episodes:
                    episode.cancel()
                await asyncio.gather(*episodes, return_exceptions=True)
                await asker.close()
                await world.close()

    def _note(
        self, attempt: Attempt, episode: Episode, slots: asyncio.Semaphore
    ) -> None:
        """Register a running attempt until it has ended, or was dropped."""

        def forget(ended: Episode) -> None:
            del self._episodes[attempt]
            with self._lock:
                self._open -= 1
            slots.release()
            if not ended.cancelled():
                self._emit(ended.result())

        self._episodes[attempt] = episode
        episode.add_done_callback(forget)

    async def _collect(
        self, request: EpisodeRequest, environment: Environment, asker: Asker
    ) -> EpisodeEnd | EpisodeFailure:
        try:
            return await self._play(request, environment, asker)
        finally:
            asker.leave(attempt_of(request))
            try:
                await environment.close()
            except Exception:
                logger.exception("episode %s did not close", request.trajectory_id)

    async def _play(
        self, request: EpisodeRequest, environment: Environment, asker: Asker
    ) -> EpisodeEnd | EpisodeFailure:
        try:
            return await self._episode(request, environment, asker)
        except EpisodeBroken as broken:
            told = str(broken)
            where = (broken.site, broken.trace, broken.refused, broken.wait_s)
            return make_failure(request, broken.failure_class, told, *where)
        except Exception as error:
            logger.exception("episode %s broke", request.trajectory_id)
            return make_failure(request, "harness", f"{type(error).__name__}: {error}")

    async def _episode(
        self, request: EpisodeRequest, environment: Environment, asker: Asker
    ) -> EpisodeEnd:
        observation, _ = await environment.reset(
            request.task,
            limits=EpisodeLimits(
                steps=request.step_limit,
                seconds=request.time_limit_s,
                repeated=self._options.repeated,
                typed=self._options.typed,
                invalid=self._options.invalid,
                deadline_s=self._options.deadline_s,
            ),
            recording=Recording(
                request.record_snapshots,
                request.record_screenshots,
                request.traces,
                self._options.trace_folder,
            ),
        )
        self._note_progress()
        outputs: list[str] = []
        errors: list[str] = []
        while True:
            index = len(outputs)
            asked = PolicyRequest(
                request.task.instruction,
                tuple(outputs),
                tuple(errors),
                observation.text,
                derive_seed(request.seed, index),
            )
            start = time.perf_counter()
            answer = tidy_answer(await asker.ask(attempt_of(request), asked))
            policy_ms = (time.perf_counter() - start) * 1000
            self._note_progress()
            environment.extend(answer.waited_s)
            following, _, _, _, info = await environment.step(answer.output)
            self._emit(make_step(request, index, observation, answer, info, policy_ms))
            if info["ended_by"] is not None:
                return make_end(request, following, info)
            outputs.append(answer.output)
            errors.append(info["error"])
            observation = following

    def _emit(self, record: EpisodeRecord) -> None:
        self._note_progress()
        self._records.put(record)

    def _note_progress(self) -> None:
        self._progress_at = time.monotonic()

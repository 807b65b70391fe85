"""A site of linked pages in a process of its own, and a policy that follows them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings

from curriculum.models import Phase, Task
from curriculum.rules.priority import lower_priority
from drills.faults.workers import LOOK_EVERY_S, end, spawn
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import PoolOptions
from rollouts.browser.world import BrowserWorld
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions, World
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.services import collect_episodes
from tests.rollouts.browser.tiny_site import TinySite, do

LINKS = 3
# Seconds that the policy takes for a batch of answers.
THINK_S = 0.5
PAGES = {
    "/": "<a href=/1>Next</a>",
    **{f"/{n}": f"<a href=/{n + 1}>Next</a>" for n in range(1, LINKS)},
    f"/{LINKS}": "<h1>There</h1>",
}
RULES = {"eval_types": ["url_match"], "reference_url": f"__SHOP__/{LINKS}"}


def _choose(step: int) -> str:
    """Alternate click and wait: three equal actions in a row would end the episode."""
    if step >= 2 * LINKS:
        return "exit()"
    return do("Wait", argument="0.1") if step % 2 else do("Click", 0)


class FollowLinks:
    """Clicks until the last page, then exits."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer each request."""
        time.sleep(THINK_S)
        return [PolicyAnswer(_choose(len(one.history))) for one in requests]

    def close(self) -> None:
        """Nothing to close."""


@contextmanager
def serve_chain() -> Iterator[str]:
    """Serve the pages; yield their address."""
    reading, writing = os.pipe()

    def serve() -> None:
        asyncio.run(_serve(writing))

    pid = spawn(serve)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield told.readline().strip()
    finally:
        end([pid])


async def _serve(writing: int) -> None:
    async with TinySite(PAGES) as site:
        os.write(writing, f"{site.url}\n".encode())
        await asyncio.Event().wait()


def lead_tasks_there(phase: Phase, max_retries: int) -> None:
    """Make the phase's tasks solved on the last page, and set their retries."""
    spec = {"sites": ["shop"], "eval": RULES}
    Task.objects.filter(phases=phase).update(spec=spec, start_url="__SHOP__/")
    run = phase.run
    run.config["rollout"]["max_retries"] = max_retries
    run.save(update_fields=["config"])


def _open_world(url: str, options: CollectorOptions) -> World:
    """Return the world that shows the site through a browser."""
    host = ExternalHost({"shop": url})
    return BrowserWorld(host, PoolOptions(), options.observation)


def spawn_collector(phase_id: int, url: str, contexts: int) -> int:
    """Fork a worker that collects a phase's episodes with Chromium; return its process.

    `url` is where `serve_chain` serves.
    """

    def work() -> None:
        # A session of its own, as a Celery worker has, which is left out here.
        os.setsid()
        lower_priority(["rollouts"])
        while True:
            collect_episodes(
                phase_id=phase_id,
                owner=f"drill-{os.getpid()}",
                lease_s=settings.LEASE_S,
                open_policy=lambda phase, stage: FollowLinks(),
                open_collector=lambda policy, config: Collector(
                    policy,
                    CollectorOptions(contexts=contexts),
                    open_world=lambda options: _open_world(url, options),
                ),
            )
            time.sleep(LOOK_EVERY_S)

    return spawn(work)

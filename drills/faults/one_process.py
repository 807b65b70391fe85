"""A whole phase in one process: jobs are kept in a list and run one after the other.

The jobs, services and rows are the product's; model, browser and trainer are the tests'
stand-ins. The broker's faults (messages lost, doubled, reordered) are simulated here.
"""

from __future__ import annotations

import dataclasses
import random
import time
from typing import Any

from celery import current_app
from celery.app.task import Task
from django.test import override_settings

from curriculum.models import Phase
from webrl_site.loop import tasks, wakeups

LEASE_S = 0.5
LIMIT_S = 300.0
PAUSE_S = 0.05
OVER = ("closed", "failed", "stopped")


@dataclasses.dataclass(slots=True)
class Broker:
    """Waiting messages; each is delivered `copies` times, in any order.

    Attributes:
        copies: How often each message is delivered.
        lost: The share of messages that never arrive.
        draw: Source of randomness; None keeps the order.
    """

    copies: int = 1
    lost: float = 0.0
    draw: random.Random | None = None
    waiting: list[tuple[str, tuple[Any, ...], list[Any]]] = dataclasses.field(
        default_factory=list
    )
    delivered: int = 0

    def send(
        self, job: Task, args: Any = (), kwargs: Any = None, **options: Any
    ) -> None:
        """Accept a message, as `apply_async` does."""
        links = options.get("link") or []
        links = links if isinstance(links, list) else [links]
        for _ in range(self.copies):
            if self.draw is None or self.draw.random() >= self.lost:
                self.waiting.append((str(job.name), tuple(args or ()), links))

    def deliver(self) -> None:
        """Run one waiting job, and send what it links to."""
        place = self.draw.randrange(len(self.waiting)) if self.draw else 0
        name, args, links = self.waiting.pop(place)
        self.delivered += 1
        current_app.tasks[name](*args)
        for link in links:
            link.apply_async()


def run_phase(phase_id: int, broker: Broker) -> str:
    """Run the loop until the phase is over; return its status.

    Raises:
        TimeoutError: It is not over after `LIMIT_S`.
    """
    usual, again = Task.apply_async, wakeups.BUSY_AGAIN_S
    # Nobody has signed on as a worker: by default wake-ups are repeated after a minute,
    # which only costs time here.
    Task.apply_async = lambda job, *args, **options: broker.send(job, *args, **options)
    wakeups.BUSY_AGAIN_S = PAUSE_S
    try:
        with override_settings(LEASE_S=LEASE_S):
            return _run(phase_id, broker)
    finally:
        Task.apply_async, wakeups.BUSY_AGAIN_S = usual, again


def _run(phase_id: int, broker: Broker) -> str:
    """Deliver messages and sweep; a review that a sweep does not end waits for people.

    A sweep ends a review if the phase was killed between the last task's write and
    the end of the review.
    """
    until = time.monotonic() + LIMIT_S
    was_swept = False
    while (status := Phase.objects.get(pk=phase_id).status) not in OVER:
        if time.monotonic() > until:
            raise TimeoutError(f"The phase is still {status}.")
        if broker.waiting:
            broker.deliver()
        elif was_swept:
            break
        else:
            tasks.sweep()
            was_swept = status == "review"
            time.sleep(PAUSE_S)
    return str(status)

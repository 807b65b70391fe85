"""Which workers are alive and what each does, written by the workers themselves."""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
import os
import socket
import uuid
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from celery import Task
from celery.signals import task_postrun, task_prerun, worker_ready, worker_shutdown
from django.conf import settings
from django.db import DatabaseError
from django.db.models import Max
from django.utils import timezone

from curriculum.models import Phase
from curriculum.rules.priority import lower_priority
from curriculum.services.pulse import Pulse
from webrl_site.models import BEAT_S, SILENT_S, SWEEP_LATE_S, Worker
from webrl_site.server.logs import log_about

if TYPE_CHECKING:
    from celery.worker.consumer import Consumer

logger = logging.getLogger(__name__)

# Rows of workers that ended long ago have no use.
FORGET_AFTER = dt.timedelta(days=1)
# Phases make no progress without the first three, takeovers without `takeover`.
PHASE_QUEUES = ("loop", "rollouts", "training")
QUEUES = (*PHASE_QUEUES, "takeover")
# Jobs whose first argument is no phase, and what it is the id of.
OTHER_JOBS = {
    "rollouts.tasks.check_site": "site_id",
    "rollouts.tasks.reset_site": "site_id",
    "rollouts.tasks.run_takeover": "trajectory_id",
}


def sign_on(*, name: str, queues: Collection[str]) -> Worker:
    """Record that this process works, and delete rows of workers long dead."""
    now = timezone.now()
    Worker.objects.filter(seen_at__lt=now - FORGET_AFTER).delete()
    return Worker.objects.create(
        name=name,
        host=_own_host(),
        pid=os.getpid(),
        queues=f" {' '.join(sorted(queues))} ",
        seen_at=now,
    )


def beat(*, name: str, queues: Collection[str]) -> bool:
    """Write a heartbeat, and register if the list does not have this process.

    Always True: a database that refuses, or has no tables yet, stops no later one.
    """
    row = Worker.objects.filter(name=name)
    _quietly(
        lambda: row.update(seen_at=timezone.now()) or sign_on(name=name, queues=queues)
    )
    return True


def sign_off(*, name: str) -> None:
    Worker.objects.filter(name=name).delete()


def note_job(*, name: str, job: str, args: Sequence[Any]) -> None:
    """Record the job that the worker begins; its first argument is the phase."""
    is_about_phase = job not in OTHER_JOBS and args
    known = Phase.objects.filter(pk=args[0]) if is_about_phase else Phase.objects.none()
    Worker.objects.filter(name=name).update(
        job=job, phase=known.first(), job_since=timezone.now()
    )


def end_job(*, name: str) -> None:
    Worker.objects.filter(name=name).update(job="", phase=None, job_since=None)


@dataclasses.dataclass(frozen=True, slots=True)
class Sweep:
    """When the sweep last ended; `seconds` is None if that is unknown."""

    seconds: float | None
    is_late: bool


def note_sweep(*, name: str) -> None:
    """Record that a sweep has ended in this worker; "" is no worker."""
    if name:
        Worker.objects.filter(name=name).update(swept_at=timezone.now())


def read_sweep() -> Sweep:
    """Return when the sweep last ran; workers that have just started are given time."""
    loop = Worker.objects.filter(queues__contains=" loop ")
    found = loop.aggregate(swept=Max("swept_at"), began=Max("started_at"))
    now, swept = timezone.now(), found["swept"]
    since = swept or found["began"]
    return Sweep(
        (now - swept).total_seconds() if swept else None,
        since is None or (now - since).total_seconds() > SWEEP_LATE_S,
    )


def list_workers() -> list[Worker]:
    """Return the workers with a heartbeat in the last day, the newest last."""
    return list(Worker.objects.select_related("phase__run").order_by("queues", "pk"))


def count_alive(workers: Sequence[Worker] | None = None) -> dict[str, int]:
    """Return how many workers are alive by queue; those of every run are named."""
    if workers is None:
        since = timezone.now() - dt.timedelta(seconds=SILENT_S)
        workers = list(Worker.objects.filter(seen_at__gt=since))
    alive = [worker for worker in workers if worker.is_alive]
    return {
        queue: sum(queue in worker.queue_names for worker in alive)
        for queue in list_queues()
    }


def list_queues() -> tuple[str, ...]:
    """Return the queues that need a worker here; resets do only if configured."""
    return (*QUEUES, "sites") if settings.SITE_RESETS else QUEUES


def is_served(queue: str) -> bool:
    """Say whether a worker of the queue had a heartbeat lately."""
    since = timezone.now() - dt.timedelta(seconds=SILENT_S)
    return Worker.objects.filter(
        queues__contains=f" {queue} ", seen_at__gt=since
    ).exists()


def has_idle_worker(queue: str) -> bool:
    """Say whether a live worker of the queue waits for a job."""
    since = timezone.now() - dt.timedelta(seconds=SILENT_S)
    return Worker.objects.filter(
        queues__contains=f" {queue} ", seen_at__gt=since, job=""
    ).exists()


def has_worker_at(phase_id: int) -> bool:
    """Say whether a live worker has a job of the phase."""
    since = timezone.now() - dt.timedelta(seconds=SILENT_S)
    at_it = Worker.objects.filter(phase_id=phase_id, seen_at__gt=since)
    return at_it.exclude(job="").exists()


def works_elsewhere(queue: str) -> bool:
    """Say whether all live workers of the queue are on other machines."""
    since = timezone.now() - dt.timedelta(seconds=SILENT_S)
    workers = Worker.objects.filter(queues__contains=f" {queue} ", seen_at__gt=since)
    hosts = set(workers.values_list("host", flat=True))
    return bool(hosts) and _own_host() not in hosts


def _own_host() -> str:
    return socket.gethostname()[:60]


class Presence:
    """This process's row, while it is a worker."""

    def __init__(self) -> None:
        self.name = ""
        self._pulse: Pulse | None = None

    def begin(self, queues: Collection[str]) -> None:
        """Sign on, at the next beat where the database does not answer."""
        name = f"{_own_host()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.name, renew = name, partial(beat, name=name, queues=tuple(queues))
        renew()
        # A pulse beats three times in its lease; this one's never runs out.
        self._pulse = Pulse(name, renew, 3 * BEAT_S)
        self._pulse.start()

    def end(self) -> None:
        if self._pulse is not None:
            self._pulse.end()
            sign_off(name=self.name)
        self.name, self._pulse = "", None


PRESENCE = Presence()


@worker_ready.connect
def _begin(sender: Consumer, **_: object) -> None:
    PRESENCE.begin(sender.app.amqp.queues.consume_from.keys())


@worker_ready.connect
def _lower_priority(sender: Consumer, **_: object) -> None:
    """Before the first job: what a worker starts inherits its priority."""
    lower_priority(sender.app.amqp.queues.consume_from.keys())


@worker_shutdown.connect
def _end(**_: object) -> None:
    try:
        PRESENCE.end()
    except DatabaseError:
        logger.exception("The worker is still in the list of workers")


@task_prerun.connect
def _note(task: Task, args: Sequence[Any] = (), **_: object) -> None:
    log_about(job=task.name, **_name_ids(task.name, args))
    # The loop's own jobs take milliseconds and come every two seconds.
    if PRESENCE.name and not task.name.startswith("webrl_site."):
        _quietly(lambda: note_job(name=PRESENCE.name, job=task.name, args=args))


@task_postrun.connect
def _forget(task: Task, **_: object) -> None:
    log_about()
    if PRESENCE.name and not task.name.startswith("webrl_site."):
        _quietly(lambda: end_job(name=PRESENCE.name))


def _name_ids(job: str, args: Sequence[Any]) -> dict[str, Any]:
    """Return what the job's first argument is the id of."""
    return {OTHER_JOBS.get(job, "phase_id"): args[0]} if args else {}


def _quietly(write: Callable[[], object]) -> None:
    try:
        write()
    except DatabaseError:
        logger.exception("The list of workers was not updated")

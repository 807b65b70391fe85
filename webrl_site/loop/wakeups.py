"""Enqueues a stage's jobs. The sweep repeats a wake-up that was lost."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

from celery import current_app
from celery.canvas import Signature
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from curriculum.models import Phase
from curriculum.selectors.pools import list_unjudged
from rollouts.selectors.instances.checks import list_late_checks
from rollouts.selectors.instances.conditions import list_due_resets
from rollouts.services import forget_reset
from rollouts.site_settings.resets import can_reset
from training.selectors.loop import list_failed_task_ids
from webrl_site.loop.staleness import good_for
from webrl_site.server.workers import has_idle_worker

logger = logging.getLogger(__name__)

Status = Phase.Status
# Seconds between two wake-ups of a stage, if a worker could take it and if none could,
# and until a message is stale; a stage's one waits until there is another.
WAKE_AGAIN_S, BUSY_AGAIN_S = 4.0, 60.0
STALE_S = 15.0
STAGE_STALE_S = BUSY_AGAIN_S + STALE_S
# A check opens a browser: the sweep repeats it only after this long.
CHECK_AGAIN_S = 60.0
JOBS = {
    Status.BASELINE: "rollouts.tasks.collect",
    Status.COLLECTING: "rollouts.tasks.collect",
    Status.HANDING_OVER: "rollouts.tasks.hand_over",
    Status.EVALUATING: "rollouts.tasks.collect",
    Status.SCORING: "training.tasks.score_phase",
    Status.TRAINING: "training.tasks.train_phase",
}


def enqueue_advance(phase_id: int) -> None:
    """Enqueue `advance` for the phase."""
    _send(_advance(phase_id))


def advance_after_commit(phase_id: int) -> None:
    """Enqueue `advance` when the transaction is committed.

    Without a broker what a person did is saved all the same, and the sweep goes on.
    """
    transaction.on_commit(partial(enqueue_advance, phase_id), robust=True)


def enqueue_after_commit(name: str, *args: object) -> None:
    """Enqueue a person's job of that name when the transaction is committed."""
    # The sweep is slow to repeat it: it waits for a worker as long as it takes.
    send = partial(_send, _sign(name, *args), good_for_s=None)
    transaction.on_commit(send, robust=True)


def enqueue_resets() -> None:
    """Enqueue the resets that are due; a request without a configured reset ends."""
    for site_id, key, number in list_due_resets():
        if can_reset((key, number)):
            _send(_sign("rollouts.tasks.reset_site", site_id, number))
        elif forget_reset(site_id=site_id, number=number):
            logger.warning("%s stays as it is: SITE_RESETS no longer names it.", key)


def enqueue_late_checks() -> None:
    """Enqueue again the checks that no worker has carried out for a while."""
    for site_id in list_late_checks(CHECK_AGAIN_S):
        _send(_sign("rollouts.tasks.check_site", site_id))


def enqueue_takeovers(trajectory_ids: Iterable[int]) -> None:
    """Enqueue browsers for people who wait for one."""
    for trajectory_id in trajectory_ids:
        _send(_sign("rollouts.tasks.run_takeover", trajectory_id))


def enqueue_stage(phase: Phase) -> None:
    """Enqueue the stage's job, which calls `advance` when it is done."""
    job = find_job(phase)
    job.link(_advance(phase.pk))
    is_rollout = job.task == "rollouts.tasks.collect"
    for _ in range(settings.ROLLOUT_WORKERS if is_rollout else 1):
        _send(job, STAGE_STALE_S)


def find_interval(phase: Phase) -> float:
    """Return after how many seconds the stage's jobs are enqueued again.

    While no worker is free the messages pile up, at Redis without limit.
    """
    is_rollout = JOBS.get(Status(phase.status), "").startswith("rollouts.")
    queue = "rollouts" if is_rollout else "training"
    return WAKE_AGAIN_S if has_idle_worker(queue) else BUSY_AGAIN_S


def find_job(phase: Phase) -> Signature:
    """Return the signature of the stage's job."""
    if phase.status != Status.EVOLVING:
        return _sign(JOBS[Status(phase.status)], phase.pk)
    if phase.evolved_at is not None and not list_unjudged(phase.pk).exists():
        return _sign("training.tasks.estimate_values", phase.pk)
    return _sign("curriculum.tasks.evolve", phase.pk, list_failed_task_ids(phase))


def _advance(phase_id: int) -> Signature:
    return _sign("webrl_site.loop.tasks.advance_phase", phase_id)


def _sign(name: str, *args: object) -> Signature:
    return current_app.signature(name, args=args, immutable=True)


def _send(job: Signature, good_for_s: float | None = STALE_S) -> None:
    try:
        job.apply_async(headers=good_for(good_for_s) if good_for_s else None)
    except OperationalError:
        logger.warning("The broker does not answer; the sweep will try again.")

"""Takeovers: opened, claimed by a worker, given actions, ended.

A person's page and the worker that holds the browser communicate through the rows
alone; either may die. A person has one open takeover at a time.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Max, QuerySet

from curriculum.errors import TakeoverError
from curriculum.models import Site, Task
from curriculum.selectors.database_clock import database_now
from curriculum.services.lease_watch import LeaseWatch
from curriculum.texts.sentences import Sentence
from rollouts.models import Step, Takeover, Trajectory

Purpose = Trajectory.Purpose
Status = Trajectory.Status
# Of this process; keys are trajectories.
WATCH: LeaseWatch[int] = LeaseWatch()
MAX_ACTION_LENGTH = 4000
LOST = Sentence("takeover_worker_lost")
NOBODY_CAME = Sentence("takeover_not_claimed")
_OPEN = "You are in the middle of another takeover: finish or leave it first."


def open_takeover(*, source_id: int, number: int, author_id: int) -> Takeover:
    """Queue a takeover that begins on the page before step `number` (from 1).

    Raises:
        TakeoverError: The episode is on an external site, is not over, has no such
            step, or the person has another takeover open.
    """
    source = Trajectory.objects.select_related("task__site").get(pk=source_id)
    _check_source(source, number)
    try:
        with transaction.atomic():
            # Attempts of a task are numbered: one person after the other.
            Task.objects.select_for_update().get(pk=source.task_id)
            return Takeover.objects.create(
                trajectory=_queue(source),
                author_id=author_id,
                forked_from=source,
                forked_at=number - 1,
                deadline=_next_deadline(),
            )
    except IntegrityError:
        raise TakeoverError(_OPEN) from None


def _check_source(source: Trajectory, number: int) -> None:
    if source.status not in (Status.FINISHED, Status.FAILED):
        raise TakeoverError("The episode still runs; take over once it is over.")
    keys = set(source.task.spec.get("sites") or [source.task.site.key])
    own = Site.objects.filter(key__in=keys, kind=Site.Kind.SANDBOX)
    if own.count() < len(keys):
        raise TakeoverError(
            "The task uses a site outside the sandbox, whose state cannot be rebuilt."
        )
    steps = Step.objects.filter(trajectory=source, attempt=source.attempt)
    if not steps.filter(index=number - 1).exists():
        raise TakeoverError(f"The episode has no step {number}.")


def _queue(source: Trajectory) -> Trajectory:
    same = Trajectory.objects.filter(
        phase_id=source.phase_id, task_id=source.task_id, purpose=Purpose.BY_HAND
    )
    last = same.aggregate(last=Max("repeat"))["last"]
    return Trajectory.objects.create(
        phase_id=source.phase_id,
        task_id=source.task_id,
        purpose=Purpose.BY_HAND,
        repeat=0 if last is None else last + 1,
        seed=source.seed,
    )


def claim_takeover(*, trajectory_id: int, owner: str, lease_s: float) -> bool:
    """Take a waiting takeover; True for one worker only."""
    now = database_now()
    waiting = Trajectory.objects.filter(
        pk=trajectory_id,
        purpose=Purpose.BY_HAND,
        status=Status.QUEUED,
        takeover__closed_at=None,
    )
    changed = waiting.update(
        status=Status.RUNNING,
        attempt=F("attempt") + 1,
        lease_owner=owner,
        leased_until=now + dt.timedelta(seconds=lease_s),
        started_at=now,
    )
    return changed == 1


def ask_action(*, takeover_id: int, author_id: int, number: int, output: str) -> None:
    """Request `output` as the answer of step `number` (from 0), if that is next.

    Raises:
        TakeoverError: Another action is under way, the page is older than the
            browser's, or the takeover is over or another person's.
    """
    if not 0 < len(output) <= MAX_ACTION_LENGTH:
        raise TakeoverError(f"An action has 1 to {MAX_ACTION_LENGTH} letters.")
    free = _open(takeover_id, author_id).filter(
        wanted="",
        is_leaving=False,
        steps_done=number,
        trajectory__status=Status.RUNNING,
    )
    if not free.update(wanted=output, deadline=_next_deadline()):
        raise TakeoverError(
            "The browser is not where your page was; look at it as it is now."
        )


def leave_takeover(*, takeover_id: int, author_id: int) -> None:
    """End without an outcome; the recorded steps stay as an abandoned attempt."""
    mine = _open(takeover_id, author_id)
    mine.update(is_leaving=True)
    # No worker has opened a browser yet, so none has to be told.
    waiting = Trajectory.objects.filter(
        takeover__in=mine.values("pk"), status=Status.QUEUED
    )
    ids = list(waiting.values_list("pk", flat=True))
    if ids and _end_rows(ids, Status.QUEUED, status=Status.FINISHED, ended_by="left"):
        close_takeover(trajectory_id=ids[0])


def read_wish(*, trajectory_id: int) -> tuple[str, bool]:
    """Return the requested action or "", and whether the person has left.

    A person who has not acted by the deadline has left.
    """
    row = Takeover.objects.values_list("wanted", "is_leaving", "deadline")
    wanted, is_leaving, deadline = row.get(trajectory_id=trajectory_id)
    return wanted, is_leaving or (not wanted and deadline < database_now())


def show_page(*, trajectory_id: int, steps_done: int, page: dict[str, Any]) -> None:
    """Write the browser's present page, and accept the next action."""
    Takeover.objects.filter(trajectory_id=trajectory_id, closed_at=None).update(
        page=page, steps_done=steps_done, wanted=""
    )


def close_takeover(*, trajectory_id: int) -> None:
    """Let the person begin another one."""
    Takeover.objects.filter(trajectory_id=trajectory_id, closed_at=None).update(
        closed_at=database_now(), wanted=""
    )


def end_lost_takeovers(watch: LeaseWatch[int] = WATCH) -> list[int]:
    """End takeovers whose worker fell silent; return trajectories that wait for one.

    A takeover that no worker has claimed by its deadline ends, too: the person may try
    again.
    """
    now = database_now()
    by_hand = Trajectory.objects.filter(purpose=Purpose.BY_HAND)
    held = by_hand.filter(status=Status.RUNNING, leased_until__isnull=False)
    marks = dict(held.values_list("pk", "leased_until"))
    lost = held.filter(pk__in=watch.find_silent(marks, settings.LEASE_S))
    late = by_hand.filter(status=Status.QUEUED, takeover__deadline__lt=now)
    for rows, was, reason in (
        (lost, Status.RUNNING, LOST),
        (late, Status.QUEUED, NOBODY_CAME),
    ):
        for pk in list(rows.values_list("pk", flat=True)):
            why = {"failure_class": "harness", "failure_reason": reason}
            if _end_rows([pk], was, status=Status.FAILED, **why):
                close_takeover(trajectory_id=pk)
    waiting = by_hand.filter(status=Status.QUEUED).order_by("pk")
    return list(waiting.values_list("pk", flat=True))


def _open(takeover_id: int, author_id: int) -> QuerySet[Takeover]:
    return Takeover.objects.filter(
        pk=takeover_id, author_id=author_id, closed_at__isnull=True
    )


def _end_rows(ids: list[int], was: str, **fields: object) -> int:
    rows = Trajectory.objects.filter(pk__in=ids, status=was)
    return rows.update(ended_at=database_now(), leased_until=None, **fields)


def _next_deadline() -> dt.datetime:
    return database_now() + dt.timedelta(seconds=settings.TAKEOVER_IDLE_S)

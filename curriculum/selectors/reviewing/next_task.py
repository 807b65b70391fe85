"""Which task a person gets next, and what the desk shows of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import QuerySet

from curriculum.models import Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.prepared import Prepared, PreparedObjects, moment, number
from curriculum.selectors.reviewing.desk import (
    is_any_passed_on,
    is_free,
    passed_on,
    standing_skips,
    tasks_on_desk,
    tasks_waiting_for,
)

# How long the desk's data of a task are kept between prefetching and the task's turn.
# Another instruction has another digest.
KEPT_S = 60


class Next(NamedTuple):
    """A free task, and the digest of its instruction."""

    task_id: int
    digest: str


def peek_next(reviewer_id: int, phase_id: int | None = None) -> Next | None:
    """Return the task that is probably next; nothing is reserved."""
    return next(find_next(reviewer_id, phase_id, database_now(), lock=False), None)


def find_next(
    reviewer_id: int, phase_id: int | None, now: datetime, *, lock: bool
) -> Iterator[Next]:
    """Yield the first free task of each queue: passed on, new, skipped.

    The last are the person's own skips. With `lock`, inside a transaction, a person who
    asks at the same time gets the next task instead of waiting.
    """
    passed, fresh, skipped = _compose(phase_id is not None, lock)
    given = {"reviewer": reviewer_id, "now": now}
    if phase_id is not None:
        given["phase"] = phase_id
    # There is seldom any: this short query often saves the long one.
    for query in (passed, fresh, skipped) if is_any_passed_on() else (fresh, skipped):
        yield from (Next(*row) for row in query.ask(**given))


@functools.cache
def _compose(has_phase: bool, lock: bool) -> tuple[Prepared, Prepared, Prepared]:
    """Return the queries for tasks that were passed on, are new, were skipped."""

    def waiting() -> QuerySet[Task]:
        phase = number("phase") if has_phase else None
        tasks = tasks_waiting_for(number("reviewer"), phase)
        tasks = tasks.filter(is_free(moment("now")))
        return (
            tasks.select_for_update(skip_locked=True, of=("self",)) if lock else tasks
        )

    def first(tasks: QuerySet[Task]) -> QuerySet[Task, tuple[int, str]]:
        return tasks.order_by("pk").values_list("pk", "digest")[:1]

    own = standing_skips().filter(reviewer_id=number("reviewer")).values("task_id")
    others = passed_on().values("task_id")
    return (
        Prepared(lambda: first(waiting().exclude(pk__in=own).filter(pk__in=others))),
        Prepared(lambda: first(waiting().exclude(pk__in=own))),
        Prepared(lambda: first(waiting().filter(pk__in=own))),
    )


def read_on_desk(found: Next) -> Task:
    """Return the task with what the desk shows of it.

    Raises:
        Task.DoesNotExist: It no longer exists.
    """
    key = f"desk:task:{found.task_id}:{found.digest}"
    task: Task | None = cache.get(key)
    if task is None:
        task = ON_DESK.first(task=found.task_id)
        if task is None:
            raise Task.DoesNotExist
        cache.set(key, task, KEPT_S)
    return task


ON_DESK = PreparedObjects(lambda: tasks_on_desk().filter(pk=number("task")))


def read_if_waiting(
    task_id: int, reviewer_id: int, phase_id: int | None
) -> Task | None:
    """Return a task for the desk, None if it does not wait for this person."""
    given = {"task": task_id, "reviewer": reviewer_id}
    if phase_id is not None:
        given["phase"] = phase_id
    return _waiting_on_desk(phase_id is not None).first(**given)


@functools.cache
def _waiting_on_desk(has_phase: bool) -> PreparedObjects[Task]:
    def build() -> QuerySet[Task]:
        phase = number("phase") if has_phase else None
        waiting = tasks_waiting_for(number("reviewer"), phase, tasks_on_desk())
        return waiting.filter(pk=number("task"))

    return PreparedObjects(build)

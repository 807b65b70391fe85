"""Removes training tasks that resemble a test task, whichever came first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import QuerySet

from curriculum.evolution.filters import say_leak
from curriculum.evolution.leaks import LeakGate
from curriculum.models import Task
from curriculum.selectors.held_out import list_held_out, open_leak_gate
from curriculum.services.reviewing.review_lease import NO_LEASE

# The statuses of tasks that are trained on, or may be later.
OPEN = (Task.Status.ACCEPTED, Task.Status.PROPOSED, *Task.UNDECIDED)


def mark_leaks(tasks: Sequence[Task]) -> int:
    """Filter the unsaved training tasks that resemble a test task; return how many.

    The test tasks are those of the database and those among `tasks`.
    """
    gate = open_leak_gate({task.site.key for task in tasks}, tasks)
    return sum(_mark(task, gate) for task in _trained(tasks))


def filter_leaks(tests: Sequence[Task]) -> int:
    """Filter the stored training tasks that resemble one of these new test tasks."""
    held_out = list(list_held_out(tests))
    if not held_out:
        return 0
    stored = Task.objects.filter(site__key__in={task.site for task in held_out})
    return _filter(stored, LeakGate(held_out))


def filter_born(phase_id: int) -> int:
    """Filter the tasks of a phase that resemble any test task; return how many.

    A test task may have been imported since they were proposed.
    """
    born = Task.objects.filter(born_in_id=phase_id)
    sites = born.order_by().values_list("site__key", flat=True).distinct()
    return _filter(born, open_leak_gate(set(sites)))


def _filter(stored: QuerySet[Task], gate: LeakGate) -> int:
    tasks = stored.filter(status__in=OPEN, split=Task.Split.TRAIN)
    found = [t for t in _trained(tasks.select_related("site")) if _mark(t, gate)]
    return sum(
        # It leaves training even if it was decided meanwhile.
        Task.objects.filter(pk=task.pk, status__in=OPEN).update(
            status=task.status, filter_reason=task.filter_reason, **NO_LEASE
        )
        for task in found
    )


def _trained(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks that a run could train on; pages of a suite set their own goals."""
    for task in tasks:
        is_open = task.status in OPEN and "suite" not in task.spec
        if is_open and task.split == Task.Split.TRAIN:
            yield task


def _mark(task: Task, gate: LeakGate) -> bool:
    leak = gate.find(task.site.key, task.instruction)
    if leak is not None:
        task.status = Task.Status.FILTERED
        task.filter_reason = say_leak(leak)
    return leak is not None

"""Training tasks that resemble a test task leave training, whichever came first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from curriculum.evolution.filters import say_leak
from curriculum.evolution.leaks import LeakGate
from curriculum.models import Task
from curriculum.selectors.held_out import list_held_out, open_leak_gate


def mark_leaks(tasks: Sequence[Task]) -> int:
    """Filter those unsaved training tasks that resemble a test task; say how many.

    The test tasks are those of the database and those among `tasks`.
    """
    gate = open_leak_gate({task.site.key for task in tasks}, tasks)
    return sum(_mark(task, gate) for task in _trained(tasks))


def filter_leaks(tests: Sequence[Task]) -> int:
    """Filter the stored training tasks that resemble one of these new test tasks."""
    held_out = list(list_held_out(tests))
    if not held_out:
        return 0
    gate, sites = LeakGate(held_out), {task.site for task in held_out}
    stored = Task.objects.filter(
        split=Task.Split.TRAIN, status=Task.Status.ACCEPTED, site__key__in=sites
    ).select_related("site")
    found = [task for task in _trained(stored) if _mark(task, gate)]
    Task.objects.bulk_update(found, ["status", "filter_reason"], batch_size=500)
    return len(found)


def _trained(tasks: Iterable[Task]) -> Iterator[Task]:
    """Those that a run could train on; a suite's page says itself what it asks for."""
    for task in tasks:
        is_open = task.status == Task.Status.ACCEPTED and "suite" not in task.spec
        if is_open and task.split == Task.Split.TRAIN:
            yield task


def _mark(task: Task, gate: LeakGate) -> bool:
    leak = gate.find(task.site.key, task.instruction)
    if leak is not None:
        task.status = Task.Status.FILTERED
        task.filter_reason = say_leak(leak)
    return leak is not None

"""The test tasks as the leak gate compares them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.models import Task


def open_leak_gate(
    sites: Collection[str] | None = None, beside: Iterable[Task] = ()
) -> LeakGate:
    """Return a gate that knows the test tasks, all or those of the sites.

    `beside` are tasks that are not stored yet; the test tasks among them count.
    """
    rows = Task.objects.filter(split=Task.Split.TEST).select_related("site")
    if sites is not None:
        rows = rows.filter(site__key__in=sites)
    stored = rows.order_by("pk").iterator(chunk_size=2000)
    return LeakGate([*list_held_out(stored), *list_held_out(beside)])


def list_held_out(tasks: Iterable[Task]) -> Iterator[HeldOut]:
    """Yield the test tasks whose instruction is their own.

    A page of a suite says itself what it asks for, the same again and again.
    """
    for task in tasks:
        if task.split == Task.Split.TEST and "suite" not in task.spec:
            yield HeldOut(task.key, task.site.key, task.instruction)

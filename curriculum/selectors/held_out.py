"""The test tasks as the leak gate compares them."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter

from django.db.models import QuerySet

from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.models import Task
from curriculum.selectors.prepared import Prepared, text

# How many gates a process keeps: of other sites, or of earlier test tasks.
KEPT_GATES = 8


def open_leak_gate(
    sites: Collection[str] | None = None, beside: Iterable[Task] = ()
) -> LeakGate:
    """Return a gate that knows the test tasks, all or those of the sites.

    `beside` are tasks that are not stored yet; test tasks among them are included.
    """
    if sites is not None and len(sites) == 1:
        stored = [HeldOut(*row) for row in OF_SITE.ask(site=next(iter(sites)))]
    else:
        rows = _list_texts()
        rows = rows if sites is None else rows.filter(site__key__in=sites)
        stored = [HeldOut(*row) for row in rows.iterator(chunk_size=2000)]
    # Sorted here: with ORDER BY, SQLite reads all tasks of a site in the order of their
    # ids instead of using the index, which takes 20 ms for 40,000 tasks.
    return _index((*sorted(stored, key=attrgetter("key")), *list_held_out(beside)))


def _list_texts() -> QuerySet[Task, tuple[str, str, str]]:
    tests = Task.objects.filter(split=Task.Split.TEST).exclude(spec__has_key="suite")
    return tests.order_by().values_list("key", "site__key", "instruction")


# Each decision asks.
OF_SITE = Prepared(lambda: _list_texts().filter(site__key=text("site")))


@functools.lru_cache(maxsize=KEPT_GATES)
def _index(held_out: tuple[HeldOut, ...]) -> LeakGate:
    """Build a gate, or return the one that was built from the same texts.

    Each decision needs it, and test tasks change only with an import.
    """
    return LeakGate(held_out)


def list_held_out(tasks: Iterable[Task]) -> Iterator[HeldOut]:
    """Yield the test tasks that have an instruction of their own.

    A page of a suite sets its own goal, which repeats from task to task.
    """
    for task in tasks:
        if task.split == Task.Split.TEST and "suite" not in task.spec:
            yield HeldOut(task.key, task.site.key, task.instruction)

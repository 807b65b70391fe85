"""A small phase, written once and restored from a copy for each trial."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable

from celery.app.task import Task
from django.conf import settings
from django.db.backends.utils import CursorWrapper

from drills.faults.content import describe_phase
from drills.faults.database_copy import keep_copy, put_back
from drills.faults.one_process import Broker, run_phase
from drills.faults.workers import spawn
from tests.services import seed

WRITES = ("INSERT", "UPDATE", "DELETE")


@functools.cache
def write_first() -> int:
    """Write a run with an open phase, copy everything; return the phase's id."""
    broker = Broker()
    usual = Task.apply_async
    Task.apply_async = lambda job, *args, **options: broker.send(job, *args, **options)
    try:
        phase_id = seed.main()
    finally:
        Task.apply_async = usual
    keep_copy()
    return phase_id


def begin_anew() -> None:
    """Restore database and folders from the copy."""
    put_back()
    for folder in (settings.CHECKPOINTS_DIR, settings.ARTIFACTS_DIR):
        shutil.rmtree(folder, ignore_errors=True)


def run_here(phase_id: int, broker: Broker) -> dict[str, list[str]]:
    """Run the phase in a child process to its end; return the rows that it made."""

    def work() -> None:
        run_phase(phase_id, broker)

    if code := run_in_child(work):
        raise RuntimeError(f"The phase's process ended with {code}.")
    return describe_phase(phase_id)


def run_in_child(work: Callable[[], None]) -> int:
    """Run something in a process of its own; return its exit status."""

    def run() -> None:
        work()
        os._exit(0)

    _, status = os.waitpid(spawn(run), 0)
    return os.waitstatus_to_exitcode(status)


class Writes:
    """Counts writes to the database; calls `at_last` before write number `last`."""

    def __init__(self, last: int = 0, at_last: Callable[[], None] | None = None):
        self.count, self._last, self._at_last = 0, last, at_last

    def __call__(
        self, execute: Callable[..., CursorWrapper], sql: str, *rest: object
    ) -> CursorWrapper:
        """Wrap one statement."""
        if sql.lstrip()[:6].upper() in WRITES:
            self.count += 1
            if self.count == self._last and self._at_last is not None:
                self._at_last()
        return execute(sql, *rest)

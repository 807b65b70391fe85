"""A small phase, written once and begun anew from a copy for each trial."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from celery.app.task import Task
from django.conf import settings
from django.db import connection, connections
from django.db.backends.utils import CursorWrapper

from drills.faults.content import describe_phase
from drills.faults.one_process import Broker, run_phase
from drills.faults.workers import spawn
from tests.services import seed

COPY = "as-at-first.sqlite3"
WRITES = ("INSERT", "UPDATE", "DELETE")


def can_copy() -> bool:
    """Say whether the database is a file, which trials begin from."""
    return connection.vendor == "sqlite"


@functools.cache
def write_first() -> int:
    """Write a run with an open phase, keep a copy of all; return the phase's id."""
    broker = Broker()
    usual = Task.apply_async
    Task.apply_async = lambda job, *args, **options: broker.send(job, *args, **options)
    try:
        phase_id = seed.main()
    finally:
        Task.apply_async = usual
    connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connections.close_all()
    shutil.copy2(_file(), _file().with_name(COPY))
    return phase_id


def begin_anew() -> None:
    """Put database and folders back to the copy."""
    connections.close_all()
    for path in _file().parent.glob(f"{_file().name}*"):
        path.unlink()
    shutil.copy2(_file().with_name(COPY), _file())
    for folder in (settings.CHECKPOINTS_DIR, settings.ARTIFACTS_DIR):
        shutil.rmtree(folder, ignore_errors=True)


def run_here(phase_id: int, broker: Broker) -> dict[str, list[str]]:
    """Run the phase in a child to its end; return what it made."""

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
    """Counts writes to the database; calls `at_last` before the one that is named."""

    def __init__(self, last: int = 0, at_last: Callable[[], None] | None = None):
        self.count, self._last, self._at_last = 0, last, at_last

    def __call__(
        self, execute: Callable[..., CursorWrapper], sql: str, *rest: object
    ) -> CursorWrapper:
        """Stand around one statement."""
        if sql.lstrip()[:6].upper() in WRITES:
            self.count += 1
            if self.count == self._last and self._at_last is not None:
                self._at_last()
        return execute(sql, *rest)


def _file() -> Path:
    return Path(str(settings.DATABASES["default"]["NAME"]))

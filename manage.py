#!/usr/bin/env python
"""Django's entry point; `./webrl manage` runs it inside the virtual environment."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from types import FrameType
from typing import NoReturn

from scripts.workbench.pipes import until_reader_leaves

# What SQLite says of a file that it cannot read as a database.
DAMAGED = ("file is not a database", "disk image is malformed")
# What it says without room for the file that it opens beside the database, and of a
# disk with a fault.
NO_ROOM = "disk I/O error"
NEEDED_BYTES = 2**20


def check_settings() -> None:
    """End with one line where a variable of the deployment has a mistake."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    from webrl_site.env import EnvError

    try:
        _ = settings.INSTALLED_APPS
    except (EnvError, ImproperlyConfigured) as error:
        sys.exit(f"{error} See docs/configuration.md.")


def execute(arguments: list[str]) -> None:
    """Carry a command out; what is known of the database ends it with one line."""
    from django.conf import settings
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(arguments)
    except DatabaseError as error:
        reason = explain(error, free=shutil.disk_usage(settings.DATA_DIR).free)
        if not reason:
            raise
        sys.exit(reason)


def explain(error: Exception, *, free: int) -> str:
    """Return what to do about an error of the database, or "".

    Args:
        error: A DatabaseError.
        free: Bytes that are free where the database is.
    """
    from django.db import OperationalError, ProgrammingError

    if any(text in str(error) for text in DAMAGED):
        return (
            f"The database is damaged ({error}). Stop the workbench, keep a copy of "
            "the file and restore a backup; docs/operations.md says how."
        )
    if NO_ROOM in str(error) and free < NEEDED_BYTES:
        return (
            "The database cannot be opened: its disk is full. Make room, a megabyte "
            "is enough, and try again."
        )
    if isinstance(error, OperationalError | ProgrammingError) and is_behind():
        return (
            "The database is empty or older than this version: `./webrl up` prepares "
            "it, and so does `./webrl manage migrate`."
        )
    return ""


def leave(signum: int, _: FrameType | None) -> NoReturn:
    """Leave all blocks, which rolls back rows and removes unfinished files."""
    sys.exit(128 + signum)


def is_behind() -> bool:
    """Say whether migrations wait; False where the database does not answer."""
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError:
        return False


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    signal.signal(signal.SIGTERM, leave)
    check_settings()
    try:
        with until_reader_leaves():
            execute(sys.argv)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(128 + signal.SIGINT)

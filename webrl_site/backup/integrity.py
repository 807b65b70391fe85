"""Looks whether SQLite's file is whole, for a limited time.

A damaged page is otherwise met days later, in the middle of a phase, when the newest
backup holds the damage, too. A server looks after its own files.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from django.conf import settings

# Between two looks at the clock, in steps of SQLite's virtual machine.
STEPS = 10_000
INTERRUPTED = "interrupted"


def find_damage(path: Path, limit_s: float) -> str:
    """Return the first damage of the file, or "".

    Raises:
        TimeoutError: It was not looked through within the limit; nothing was found.
    """
    until = time.monotonic() + limit_s
    # Opened as it is, read only: looking must change nothing.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        database.set_progress_handler(lambda: time.monotonic() > until, STEPS)
        try:
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            if INTERRUPTED in str(error):
                raise TimeoutError from None
            return str(error)
    return "" if found == "ok" else str(found)


def database_file() -> Path | None:
    """Return SQLite's file; None on a server, or where there is none yet."""
    database = settings.DATABASES["default"]
    path = Path(str(database["NAME"]))
    is_file = database["ENGINE"].endswith("sqlite3") and path.is_file()
    return path.absolute() if is_file else None

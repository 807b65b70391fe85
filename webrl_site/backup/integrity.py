"""Checks SQLite's file for damage, for a limited time.

Otherwise a damaged page would be noticed days later, in the middle of a phase, when the
newest backup holds the damage, too. A database server checks its own files.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

# Steps of SQLite's virtual machine between two checks of the time.
STEPS = 1000
INTERRUPTED = "interrupted"


def find_damage(path: Path, limit_s: float) -> str:
    """Return the first damage of the file, or "".

    Raises:
        TimeoutError: The check took longer than the limit; nothing was found so far.
    """
    until = time.monotonic() + limit_s
    # Opened as it is, read only: the check must not change anything.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        database.set_progress_handler(lambda: time.monotonic() > until, STEPS)
        # Older versions walk through a whole tree in one step.
        timer = threading.Timer(limit_s, database.interrupt)
        timer.start()
        try:
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            if INTERRUPTED in str(error):
                raise TimeoutError from None
            return str(error)
        finally:
            timer.cancel()
            timer.join()
    return "" if found == "ok" else " ".join(str(found).split())


def database_file(database: Mapping[str, Any]) -> Path | None:
    """Return SQLite's file; None with a server, or if there is no file yet.

    Args:
        database: One of the settings' DATABASES.
    """
    path = Path(str(database["NAME"]))
    is_file = "sqlite" in database["ENGINE"] and path.is_file()
    return path.absolute() if is_file else None

"""The right to import a run of a name, which one process has at a time.

A process that is killed loses it at once: a server's lock ends with its connection, a
file's lock with its process. So a run that an import left unfinished is one that no
import writes any more.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError

# In the data folder: SQLite serves one machine, whose processes share this folder.
FOLDER = "imports"


@contextmanager
def hold_run_name(name: str) -> Iterator[None]:
    """Hold the right to import a run of this name.

    Raises:
        WorkbenchError: Another import holds it.
    """
    digest = hashlib.sha256(name.encode()).digest()
    is_server = connection.vendor == "postgresql"
    with _hold_on_server(digest) if is_server else _hold_file(digest) as is_ours:
        if not is_ours:
            told = gettext(
                "Another import is writing the run %(name)r. Wait until it has ended, "
                "or import under another name."
            )
            raise WorkbenchError(told % {"name": name})
        yield


@contextmanager
def _hold_on_server(digest: bytes) -> Iterator[bool]:
    key = int.from_bytes(digest[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        # A connection that broke has given it back.
        with suppress(Error):
            if is_ours:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", [key])


@contextmanager
def _hold_file(digest: bytes) -> Iterator[bool]:
    path = Path(settings.DATA_DIR) / FOLDER / f"{digest.hex()}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _lock(path)
    if file is None:
        yield False
        return
    try:
        yield True
    finally:
        path.unlink(missing_ok=True)
        os.close(file)


def _lock(path: Path) -> int | None:
    """Return the descriptor of the locked file; None where another has locked it."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it has perhaps deleted it since it was opened.
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except BlockingIOError:
            os.close(file)
            return None
        except FileNotFoundError:
            pass
        os.close(file)

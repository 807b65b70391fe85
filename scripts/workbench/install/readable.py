"""Programs are for every account of the machine; data is for its owner alone.

Units of systemd run what an administrator has set up as an account of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UMASK = 0o022
READ, LOOK_INTO = 0o044, 0o011


@contextmanager
def readable() -> Iterator[None]:
    """Let all accounts read what is installed meanwhile; writing stays the owner's."""
    before = os.umask(UMASK)
    try:
        yield
    finally:
        os.umask(before)


def open_to_readers(folder: Path) -> None:
    """Mend a folder that an earlier version installed for its owner alone."""
    if not folder.exists() or folder.stat().st_mode & LOOK_INTO == LOOK_INTO:
        return
    for path in (*folder.rglob("*"), folder):
        with suppress(PermissionError):
            _open(path)


def _open(path: Path) -> None:
    if not path.is_symlink():
        mode = path.stat().st_mode
        wanted = READ | (LOOK_INTO if mode & 0o100 else 0)
        path.chmod(mode | wanted)

"""Makes programs readable to every account of the machine; data stays private.

Units of systemd run an administrator's installation under a separate account.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UMASK = 0o022
READ, LOOK_INTO = 0o044, 0o011


@contextmanager
def readable() -> Iterator[None]:
    """Let all accounts read what the block installs; only the owner may write."""
    before = os.umask(UMASK)
    try:
        yield
    finally:
        os.umask(before)


def open_folder(folder: Path) -> None:
    """Fix a folder that an earlier version made readable only to its owner."""
    if folder.exists() and folder.stat().st_mode & LOOK_INTO != LOOK_INTO:
        open_paths((*folder.rglob("*"), folder))


def open_paths(paths: Iterable[Path]) -> None:
    """Let all accounts read the caller's own files; links are not followed."""
    for path in paths:
        if not path.is_symlink():
            mode = path.stat().st_mode
            wanted = READ | (LOOK_INTO if mode & 0o100 else 0)
            with suppress(PermissionError):
                path.chmod(mode | wanted)

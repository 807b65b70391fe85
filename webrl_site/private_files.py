"""Makes the deployment's files, with sessions and keys, private to their owner."""

from __future__ import annotations

import os
import stat
from pathlib import Path

# Takes every right from the group and from others.
PRIVATE_UMASK = 0o077


def keep_private(folder: Path) -> None:
    """Make this process write files for their owner only, and fix older ones.

    Called by every process before it writes. Files that earlier versions left readable
    in `folder` are searched for once: a private folder hides everything in it.
    """
    os.umask(PRIVATE_UMASK)
    folder.mkdir(parents=True, exist_ok=True)
    if _is_open(folder) and _may_be_closed(folder):
        for path in folder.rglob("*"):
            _close(path)
        # Last, so that a start that was killed on the way is repeated.
        _close(folder)


def _is_open(path: Path) -> bool:
    return bool(path.lstat().st_mode & PRIVATE_UMASK)


def _may_be_closed(folder: Path) -> bool:
    """Skip a folder that all users share, such as /tmp, or that another user owns."""
    found = folder.lstat()
    return found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX


def _close(path: Path) -> None:
    try:
        found = path.lstat()
        if found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~PRIVATE_UMASK)
    except FileNotFoundError:
        # Another process has just removed it.
        return

"""Whether the data folder's disk has room: without room phases wait, not fail.

The disk is checked each time and the result is not stored: a full disk could not store
it, and a phase goes on as soon as there is room.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator

from django.conf import settings

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
# What SQLite, PostgreSQL and the system say, also in a subprocess's last lines.
FULL_TEXTS = ("disk is full", "No space left on device", "Disk quota exceeded")


def is_disk_full() -> bool:
    """Say whether less than MIN_FREE_MIB are free where the workbench writes."""
    try:
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError:
        return False
    return free < settings.MIN_FREE_MIB * 2**20


def is_full_error(error: BaseException) -> bool:
    """Say whether this error, or what led to it, came from a disk without room."""
    return any(
        getattr(one, "errno", None) in FULL
        or any(text in str(one) for text in FULL_TEXTS)
        for one in _list_causes(error)
    )


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__

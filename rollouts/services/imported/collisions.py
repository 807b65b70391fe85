"""Imports that change the same tasks and sites at the same time."""

from __future__ import annotations

from collections.abc import Callable

from django.db import IntegrityError, OperationalError
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError

# PostgreSQL has ended one of two transactions that wait for each other.
DEADLOCK = "40P01"


def try_twice(change: Callable[[], None]) -> None:
    """Make a change; make it again where another import had changed the same rows.

    PostgreSQL tells that only at the end of a transaction, or by ending it.

    Raises:
        WorkbenchError: It happened again.
    """
    try:
        change()
    except (IntegrityError, OperationalError) as error:
        if not _is_collision(error):
            raise
        try:
            change()
        except (IntegrityError, OperationalError) as again:
            if not _is_collision(again):
                raise
            told = gettext(
                "Another import changed the same tasks or sites at the same time. "
                "Nothing was imported. Run the same command again."
            )
            raise WorkbenchError(told) from again


def _is_collision(error: IntegrityError | OperationalError) -> bool:
    is_deadlock = getattr(error.__cause__, "sqlstate", "") == DEADLOCK
    return isinstance(error, IntegrityError) or is_deadlock

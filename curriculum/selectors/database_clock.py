"""One clock for all processes that share a database: the database's.

Reservations, resets and pauses end at a time that one machine writes and another one
reads. Machines' clocks may be hours apart, so both use the server's time: their own
clock, corrected by the difference that was measured when the connection was opened.
Connections live a minute, so a change of a clock is noticed soon. SQLite serves one
machine, whose processes share its clock.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created
from django.utils import timezone

_OFFSET = "webrl_clock_offset"


def database_now() -> dt.datetime:
    """Return the present time by the clock that all processes share."""
    if connection.vendor != "sqlite":
        connection.ensure_connection()
    offset: dt.timedelta = getattr(connection, _OFFSET, dt.timedelta())
    return timezone.now() + offset


def measure_offset(connection: Any, **_: Any) -> None:
    """Ask a server for its time; called for each new connection."""
    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        (theirs,) = cursor.fetchone()
    setattr(connection, _OFFSET, theirs - timezone.now())


connection_created.connect(measure_offset, dispatch_uid=_OFFSET)

"""A clock that stands still for the database too."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.backends.signals import connection_created

from curriculum.selectors import database_clock


@pytest.fixture(autouse=True)
def one_clock() -> Iterator[None]:
    """Take the server's clock for ours: it is, but for how long its answer took.

    Tests that stop the time compare it to the microsecond.
    """
    uid = database_clock._OFFSET
    connection_created.disconnect(dispatch_uid=uid)
    setattr(connection, uid, dt.timedelta())
    yield
    connection_created.connect(database_clock.measure_offset, dispatch_uid=uid)

"""Messages with an end, by the clock that all machines share: the database's.

Celery's own `expires` becomes a time by the sender's clock, which the receiver compares
with its own: a worker whose clock is ahead would throw every message away.
"""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

from celery import Task
from celery.exceptions import Ignore
from celery.signals import before_task_publish
from django.db import connection

from curriculum.selectors.database_clock import database_now

logger = logging.getLogger(__name__)

# Headers: seconds, which the sender asks for, and the time that is sent instead.
GOOD_FOR, ENDS_AT = "good_for_s", "ends_at"


def good_for(seconds: float) -> dict[str, float]:
    """Return the headers of a message that has no value after so many seconds."""
    return {GOOD_FOR: seconds}


@before_task_publish.connect
def set_end(headers: dict[str, Any], **_: object) -> None:
    """Replace the seconds by the end; without a database the message has none."""
    seconds = headers.pop(GOOD_FOR, None)
    if seconds is None:
        return
    # Nothing else closes the connection of beat, which would keep an old clock.
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
    end = database_now() + dt.timedelta(seconds=seconds)
    headers[ENDS_AT] = end.isoformat()


class FreshTask(Task):
    """A job that does not begin after the end of its message."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run.

        Raises:
            Ignore: The message is stale.
        """
        end = self.request.get(ENDS_AT)
        if end and database_now() > dt.datetime.fromisoformat(end):
            logger.info("%s%s comes too late", self.name, tuple(args))
            raise Ignore
        return self.run(*args, **kwargs)

"""The content and form of the logs: lines for people, or JSON for programs."""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

NOISE = "webrl_site.loop.tasks.sweep"
# The present thread's context: ids that each of its lines carries.
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_ABOUT: ContextVar[Mapping[str, Any]] = ContextVar("about", default=_NOTHING)
# Names with the same meaning in the arguments of jobs and of log lines.
IDS = ("phase_id", "trajectory_id", "site_id", "run_id")


class WithoutSweep(logging.Filter):
    """Drops ordinary lines about the sweep, which runs every two seconds."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.INFO or NOISE not in record.getMessage()


@contextmanager
def logging_about(**ids: Any) -> Iterator[None]:
    """Add these ids to the lines of the block, in addition to the present ones."""
    token = _ABOUT.set({**_ABOUT.get(), **ids})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def log_about(**ids: Any) -> None:
    """Add these ids, and no others, to all further lines of this thread."""
    _ABOUT.set(ids)


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        when = dt.datetime.fromtimestamp(record.created, dt.UTC)
        line = {
            "time": when.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_ABOUT.get(),
        }
        # What `logger.info(..., extra={"trajectory_id": 3})` adds.
        line |= {name: vars(record)[name] for name in IDS if name in vars(record)}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)

"""Keeps the heartbeat of the sweep out of the logs."""

from __future__ import annotations

import logging

NOISE = "webrl_site.loop.tasks.sweep"


class WithoutSweep(logging.Filter):
    """Drops ordinary lines about the sweep, which comes every two seconds."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.INFO or NOISE not in record.getMessage()

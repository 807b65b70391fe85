from __future__ import annotations

import logging

import pytest

from webrl_site.server.log_filters import WithoutSweep


@pytest.mark.parametrize(
    ("level", "text", "kept"),
    [
        (logging.INFO, "Task webrl_site.loop.tasks.sweep[1] received", False),
        (logging.ERROR, "Task webrl_site.loop.tasks.sweep[1] raised", True),
        (logging.INFO, "Task rollouts.tasks.collect[1] received", True),
    ],
)
def test_only_ordinary_lines_about_the_sweep_are_dropped(
    level: int, text: str, kept: bool
) -> None:
    record = logging.LogRecord("celery", level, "", 1, text, None, None)

    assert WithoutSweep().filter(record) is kept

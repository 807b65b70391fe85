from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rollouts.browser.process.tracing import end_trace


class SilentTracing:
    """Never ends a trace, like a browser that hangs."""

    async def stop(self, path: Path | None) -> None:
        await asyncio.Event().wait()


def make_episode(folder: Path) -> Any:
    return SimpleNamespace(
        recording=SimpleNamespace(traces="all", trace_folder=folder),
        lease=SimpleNamespace(context=SimpleNamespace(tracing=SilentTracing())),
    )


async def test_a_trace_that_is_not_written_in_time_says_so_and_leaves_no_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = await end_trace(make_episode(tmp_path), solved=True, deadline_s=0.01)

    assert found == ""
    assert "no trace: not written within 0.01 s" in caplog.text
    assert not list(tmp_path.iterdir())

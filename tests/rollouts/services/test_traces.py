"""Traces as evidence: stored beside the pages, within a limit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as all_settings

from rollouts.artifacts import TRACE_SUFFIX, load
from rollouts.browser.types import EpisodeEnd, EpisodeFailure, Observation
from rollouts.models import Trajectory
from rollouts.services import drop_lost_traces, fail_trajectory, finish_trajectory
from rollouts.tasks import remove_evidence
from tests.factories import QueuedTrajectoryFactory

pytestmark = pytest.mark.django_db
PAGE = Observation("<html> </html>", (), "http://shop/", "Shop")


@pytest.fixture
def running() -> Trajectory:
    row: Trajectory = QueuedTrajectoryFactory(status="running", attempt=1)
    return row


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "trace.zip"
    path.write_bytes(b"a trace")
    return path


def finish(row: Trajectory, file: Path) -> Trajectory:
    end = EpisodeEnd(row.pk, 1, "exit", "", PAGE, outcome=False, trace=str(file))
    finish_trajectory(record=end, lease_s=10, max_retries=0)
    row.refresh_from_db()
    return row


def test_a_trace_is_stored_under_its_content_and_the_file_is_gone(
    running: Trajectory, file: Path
) -> None:
    row = finish(running, file)
    kept = load(Path(all_settings.ARTIFACTS_DIR), row.trace, TRACE_SUFFIX)
    assert kept == b"a trace"
    assert not file.exists()


def test_a_trace_that_is_too_large_is_dropped(
    running: Trajectory, file: Path, settings: Any
) -> None:
    settings.TRACE_MIB = 0
    assert finish(running, file).trace == ""
    assert not file.exists()


def test_a_broken_episode_keeps_its_trace(running: Trajectory, file: Path) -> None:
    failure = EpisodeFailure(running.pk, 1, "site", "It hangs.", trace=str(file))
    fail_trajectory(record=failure, lease_s=10, max_retries=0)
    running.refresh_from_db()
    assert running.status == "failed"
    assert running.trace


def test_a_trace_that_a_killed_worker_left_goes_after_a_while(
    tmp_path: Path, settings: Any
) -> None:
    settings.TRACES_DIR = tmp_path
    for name in ("lost.zip", "in-the-making.zip"):
        (tmp_path / name).write_bytes(b"half a trace")
    os.utime(tmp_path / "lost.zip", (0, 0))

    remove_evidence()

    assert [path.name for path in tmp_path.iterdir()] == ["in-the-making.zip"]


def test_without_a_folder_of_traces_nothing_is_lost(
    tmp_path: Path, settings: Any
) -> None:
    settings.TRACES_DIR = tmp_path / "not made yet"
    assert drop_lost_traces() == 0


def test_a_trace_that_was_never_written_costs_nothing_else(
    running: Trajectory, tmp_path: Path
) -> None:
    row = finish(running, tmp_path / "gone.zip")
    assert (row.status, row.trace) == ("finished", "")

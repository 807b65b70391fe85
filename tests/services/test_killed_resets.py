"""A site is reset by a real worker, which is killed in the middle of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from scripts.workbench.console import Bar
from tests.services.live import LiveWorkbench

pytestmark = [pytest.mark.services, pytest.mark.slow]

# Writes when it begins and ends; hangs until it is allowed to go on.
RESET = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
(folder / "resets").open("a").write("begin ")
while not (folder / "go").exists():
    time.sleep(0.02)
(folder / "resets").open("a").write("end ")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    command = [sys.executable, "-c", RESET, str(tmp_path)]
    recipe = {"command": command, "healthy": [sys.executable, "-c", ""]}
    monkeypatch.setenv("SITE_RESETS", json.dumps({"reddit": recipe}))
    return tmp_path


def read_log(folder: Path) -> list[str]:
    log = folder / "resets"
    return log.read_text().split() if log.exists() else []


def count_finished(workbench: LiveWorkbench) -> int:
    rows = workbench.rows(
        "SELECT id FROM rollouts_trajectory "
        "WHERE status = 'finished' AND purpose = 'collect'"
    )
    return len(rows)


def test_a_reset_whose_worker_is_killed_is_carried_out_before_any_episode(
    workbench: LiveWorkbench, folder: Path
):
    workbench.supervisor.start()
    workbench.supervisor.wait_until_ready(Bar("Starting", 5))
    workbench.python("-m", "tests.services.seed_site")

    workbench.wait_for("reset", lambda: read_log(folder) == ["begin"])
    workbench.kill("worker-sites")
    workbench.wait_for("another", lambda: read_log(folder) == ["begin", "begin"])
    assert workbench.rows("SELECT max(attempt) FROM rollouts_trajectory") == [(0,)]

    (folder / "go").touch()
    workbench.wait_for("both episodes", lambda: count_finished(workbench) == 2)
    workbench.wait_for("the last reset", lambda: read_log(folder).count("end") == 3)
    assert read_log(folder) == ["begin", *(["begin", "end"] * 3)]

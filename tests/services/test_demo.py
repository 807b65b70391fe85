"""The demo as a newcomer runs it, with fakes for browser and models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.workbench.paths import ROOT
from scripts.workbench.processes.cleanup import find_marked
from tests import fakes

pytestmark = [pytest.mark.services, pytest.mark.slow]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(tmp_path / "models/starter" / kind, 0.2)
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.services.demo_settings",
        "WEBRL_DATA_DIR": str(tmp_path),
        "WEBRL_CHROMIUM": sys.executable,
        "WEBRL_TEST": tmp_path.name,
    }
    return {**os.environ, **own}


def run_demo(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "webrl", "demo", "--exit", *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_demo_writes_its_figures_and_leaves_nothing_running(env, tmp_path):
    figures = tmp_path / "figures.json"

    done = run_demo(env, "--json", str(figures), "--phases", "2")

    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads(figures.read_text())
    assert written["seconds_setup"] > 0
    assert written["seconds_phase"] > 0
    assert set(written["before"]) == {"n", "successes", "rate", "low", "high"}
    assert written["after"]["successes"] > written["before"]["successes"]
    assert [phase["number"] for phase in written["phases"]] == [1, 2]
    assert "Success on the held-out test tasks" in done.stdout
    assert find_marked(f"WEBRL_TEST={tmp_path.name}") == []


def test_the_demo_says_when_there_are_no_weights(env, tmp_path):
    (tmp_path / "models/starter/policy/model.safetensors").unlink()

    done = run_demo(env)

    assert done.returncode == 1
    assert "starter/policy" in done.stdout + done.stderr
    assert find_marked(f"WEBRL_TEST={tmp_path.name}") == []

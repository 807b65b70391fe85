from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from training.rl.process import (
    SAVED_BYTES_A_SECOND,
    STOP_S,
    Reporter,
    count_checkpoint_bytes,
)


def read_time_left(folder: Path) -> float | None:
    left: float | None = json.loads((folder / "progress.json").read_text())[
        "seconds_left"
    ]
    return left


def test_the_time_left_goes_by_what_was_done_since_a_resume(tmp_path: Path):
    seconds = iter([0.0, 100.0, 120.0])
    reporter = Reporter(tmp_path, clock=lambda: next(seconds))

    reporter.progress("policy", 150, 200)
    reporter.progress("policy", 160, 200)

    assert read_time_left(tmp_path) == 80.0


def test_the_first_report_of_a_part_tells_no_time(tmp_path: Path):
    reporter = Reporter(tmp_path)

    reporter.progress("policy", 150, 200)

    assert read_time_left(tmp_path) is None


def test_a_stop_may_take_two_steps_and_the_time_to_save(tmp_path: Path):
    seconds = iter([0.0, 100.0, 170.0, 175.0])
    reporter = Reporter(tmp_path, clock=lambda: next(seconds))
    reporter.checkpoint_bytes = int(3 * SAVED_BYTES_A_SECOND)

    for done in range(3):
        reporter.progress("policy", done, 10)

    told = json.loads((tmp_path / "progress.json").read_text())
    assert told["stop_s"] == STOP_S + 2 * 70.0 + 3.0


def test_a_part_that_saves_nothing_needs_no_time_to_save(tmp_path: Path):
    reporter = Reporter(tmp_path, clock=lambda: 0.0)
    reporter.checkpoint_bytes = 10**12

    reporter.progress("reference", 1, 10)

    told = json.loads((tmp_path / "progress.json").read_text())
    assert told["stop_s"] == STOP_S


def test_a_checkpoint_holds_the_trained_weights_and_their_moments():
    model = torch.nn.Linear(10, 3)
    model.bias.requires_grad_(False)
    # 30 weights of 4 bytes, each with two moments.
    assert count_checkpoint_bytes(model) == 30 * 12


@pytest.mark.parametrize(
    ("variables", "code"), [({"RANK": "0"}, 75), ({}, -6)], ids=["of several", "alone"]
)
def test_only_one_of_several_processes_leaves_without_clean_up(variables, code):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            # As a thread of torch that releases a tensor while Python cleans up.
            "import atexit, os; from training.rl.process import leave;"
            "atexit.register(os.abort); print('said', end=''); leave(75)",
        ],
        env={k: v for k, v in os.environ.items() if k != "RANK"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "said")

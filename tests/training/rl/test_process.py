from __future__ import annotations

import json
from pathlib import Path

from training.rl.process import Reporter


def read_time_left(folder: Path) -> float | None:
    left: float | None = json.loads((folder / "progress.json").read_text())[
        "seconds_left"
    ]
    return left


def test_the_time_left_goes_by_what_was_done_since_a_resume(tmp_path: Path):
    seconds = iter([0.0, 100.0, 100.0, 120.0])
    reporter = Reporter(tmp_path, clock=lambda: next(seconds))

    reporter.progress("policy", 150, 200)
    reporter.progress("policy", 160, 200)

    assert read_time_left(tmp_path) == 80.0


def test_the_first_report_of_a_part_tells_no_time(tmp_path: Path):
    reporter = Reporter(tmp_path)

    reporter.progress("policy", 150, 200)

    assert read_time_left(tmp_path) is None

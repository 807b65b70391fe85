"""A drill that is ended, or that breaks, leaves neither processes nor files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drills.bars import Bar
from drills.inside import find_limit
from scripts.workbench.paths import ROOT
from scripts.workbench.processes.cleanup import find_marked
from tests.waiting import LIMIT_S, wait_for

# The bar whose drill forks a sweeper and six workers within its own process.
BAR = "R1"
FORKED = 7


def read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def find_children(pid: int) -> list[int]:
    return [int(one) for one in read(Path(f"/proc/{pid}/task/{pid}/children")).split()]


HANGING = """
import sys, time, types
from drills import inside
from drills.bars import Bar

module = sys.modules["drills.hanging"] = types.ModuleType("drills.hanging")
module.measure = lambda: time.sleep(60)
inside.measure(Bar("R0", "nothing", drill="hanging"), limit_s=0.2)
"""


@contextmanager
def running_drill(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a drill until its workers work; yield it and the mark of its processes."""
    with subprocess.Popen(
        [sys.executable, "-m", "drills", BAR],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has it ignored, and so would we.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            wait_for(lambda: list(folder.glob("*/data")))
            [data] = folder.glob("*/data")
            mark = f"WEBRL_DATA_DIR={data}"
            wait_for(lambda: len(find_marked(mark)) > FORKED)
            yield process, mark
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_a_drill_that_is_ended_takes_everything_along(
    tmp_path: Path, signum: signal.Signals
) -> None:
    with running_drill(tmp_path) as (process, mark):
        # A terminal and `./webrl` both tell it.
        process.send_signal(signum)
        process.send_signal(signum)
        code = process.wait(LIMIT_S)

    assert code == 128 + signum
    assert find_marked(mark) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_drill_whose_process_dies_ends_with_its_workers(tmp_path: Path) -> None:
    with running_drill(tmp_path) as (process, mark):
        [of_the_group] = find_children(process.pid)
        os.kill(of_the_group, signal.SIGKILL)
        output, _ = process.communicate(timeout=LIMIT_S)

    line = json.loads(output)
    assert (process.returncode, line["bar"], line["ok"]) == (1, BAR, False)
    assert find_marked(mark) == []
    assert list(tmp_path.iterdir()) == []


def test_a_drill_that_hangs_is_ended_and_tells_where_it_was() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HANGING], cwd=ROOT, capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert "Timeout" in ended.stderr
    assert "drills/inside.py" in ended.stderr


def test_a_drill_hangs_only_after_many_times_what_it_usually_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick, slow = (Bar("R0", "nothing", seconds=taken) for taken in (5, 120))
    assert (find_limit(quick), find_limit(slow)) == (600, 1200)

    monkeypatch.setenv("DRILL_MINUTES", "10")
    assert find_limit(slow) == 2400


def test_all_writes_may_take_many_times_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DRILL_POINTS", "0")

    assert find_limit(Bar("R0", "nothing", seconds=120)) == 12_000

from __future__ import annotations

import os
import secrets
import subprocess
import sys

from scripts.workbench.paths import ROOT
from scripts.workbench.processes.cleanup import find_marked
from tests.waiting import wait_for

BENCH = (
    "import sys, time; from pathlib import Path;"
    "from benchmarks.learning.processes import start_module;"
    "start_module('http.server', ['--bind', '127.0.0.1', '0'],"
    " log=Path(sys.argv[1]), threads=1); time.sleep(60)"
)


def test_what_the_bench_started_ends_when_it_is_killed(tmp_path):
    value = secrets.token_hex(8)
    marker = f"WEBRL_STACK={value}"
    bench = subprocess.Popen(
        [sys.executable, "-c", BENCH, str(tmp_path / "log")],
        cwd=ROOT,
        env=os.environ | {"WEBRL_STACK": value},
    )
    wait_for(lambda: len(find_marked(marker)) == 2)

    bench.kill()
    bench.wait()

    wait_for(lambda: not find_marked(marker))

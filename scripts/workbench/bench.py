"""`./webrl bench NAME`: one measurement, its table and its records."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scripts.workbench import children, chromium, venv
from scripts.workbench.paths import PYTHON, ROOT

# The modules of benchmarks/ that measure something.
NAMES = ("environment", "rollouts", "training", "phase")


def bench(name: str, records: Path | None) -> int:
    """Run a benchmark in a process of its own; return its exit code."""
    venv.ensure()
    env = children.environment(chromium.ensure())
    command = [str(PYTHON), "-m", "benchmarks", name]
    if records:
        command += ["--json", str(records)]
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode

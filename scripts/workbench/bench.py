"""`./webrl bench NAME`: one measurement, its table and its records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from scripts.workbench.commands import pass_on, run
from scripts.workbench.console import say
from scripts.workbench.install import chromium, venv
from scripts.workbench.paths import LOG_DIR, PYTHON
from scripts.workbench.processes import children

# The modules of benchmarks/ that measure something, with a first estimate in seconds.
NAMES = {
    "acting": 60,
    "browsergym": 240,
    "dashboard": 60,
    "decision": 60,
    "desk": 150,
    "environment": 60,
    "generators": 900,
    "oscar": 240,
    "pages": 60,
    "rollouts": 180,
    "sandbox": 900,
    "steps": 120,
    "training": 60,
    "large": 300,
    "learning": 86_400,
    "workers": 120,
    "phase": 3,
}


def bench(name: str, records: Path | None, *, words: Sequence[str] = ()) -> int:
    """Run a benchmark in a separate process and print its table.

    `words` are passed to the benchmark unchanged.

    Raises:
        WorkbenchError: It failed; the message carries the end of its output.
    """
    venv.ensure()
    key = f"bench-{name}"
    written: list[str | Path] = ["--json", records] if records else []
    run(
        f"Measuring {name}",
        [PYTHON, "-m", "benchmarks", name, *written, *words],
        expected_s=NAMES[name],
        key=key,
        env=children.environment(chromium.ensure()),
    )
    say((LOG_DIR / f"{key}.log").read_text(encoding="utf-8", errors="replace"))
    return 0


def list_methods() -> int:
    """Print the methods of the learning benchmark, one a line."""
    venv.ensure()
    command = [str(PYTHON), "-m", "benchmarks", "learning", "--list"]
    return pass_on(command, env=os.environ)

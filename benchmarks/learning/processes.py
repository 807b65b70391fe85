"""Python in processes of their own, which end with the bench."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.workbench.processes.cleanup import die_with_parent


def start_module(
    name: str, arguments: Sequence[str], *, log: Path, threads: int
) -> subprocess.Popen[bytes]:
    """Start `python -m name` with `threads` threads of torch; it writes to `log`."""
    with log.open("a") as file:
        return subprocess.Popen(
            [sys.executable, "-m", name, *arguments],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            stdout=file,
            stderr=file,
            preexec_fn=die_with_parent,
        )

"""Runs commands to their end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from scripts.workbench.console import step
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import LOG_DIR, ROOT
from scripts.workbench.processes.cleanup import (
    die_with_parent,
    has_terminal,
    signals_handled,
)

TAIL_LINES = 25
# With less free bytes, neither a command nor its log can be relied on.
LEAST_FREE = 2**20


def run(
    title: str,
    command: Sequence[str | Path],
    *,
    expected_s: float,
    key: str = "",
    env: Mapping[str, str] | None = None,
    measure: Callable[[Path], float] | None = None,
) -> None:
    """Run a command under a progress bar, with its output in a log file.

    Raises:
        WorkbenchError: It failed; the message carries the end of its output.
    """
    open_log_folder()
    log = LOG_DIR / f"{key or Path(command[0]).name}.log"
    with step(title, expected_s=expected_s, key=key) as bar, log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=dict(os.environ if env is None else env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while process.poll() is None:
                bar.tick(measure(log) if measure else None)
                time.sleep(0.05)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if process.returncode:
            reason = f"The end of {log}:\n{tail(log)}"
            if shutil.disk_usage(LOG_DIR).free < LEAST_FREE:
                reason = f"The disk of {LOG_DIR} is full: make room."
            raise WorkbenchError(
                f"{title} failed (exit code {process.returncode}). {reason}"
            )


def pass_on(command: Sequence[str], *, env: Mapping[str, str]) -> int:
    """Run a command on our own terminal; return its exit code.

    Signals to end are passed on to the command, and we wait until it has ended what it
    started. If we are killed, it is told to end, too.
    """
    process = subprocess.Popen(
        command, cwd=ROOT, env=dict(env), preexec_fn=die_with_parent
    )

    def tell(signum: int, _: FrameType | None) -> None:
        # A second Ctrl-C would interrupt the command's handling of the first.
        if signum != signal.SIGINT or not has_terminal():
            process.send_signal(signum)

    with signals_handled(tell):
        code = process.wait()
    return code if code >= 0 else 128 - code


def open_log_folder() -> None:
    """Make the log folder, private because programs may print private data."""
    LOG_DIR.mkdir(parents=True, exist_ok=True)
    LOG_DIR.chmod(0o700)


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """Return the last lines of a log file."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "(no output)"
    return "\n".join(text.splitlines()[-lines:]) or "(no output)"


def answers(command: Sequence[str | Path], timeout_s: float = 20.0) -> bool:
    """Return whether a command starts and exits with 0."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find_program(*names: str) -> str:
    """Return the path of the first program found on PATH, or ""."""
    return next((path for name in names if (path := shutil.which(name))), "")

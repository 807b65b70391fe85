"""A verb that is asked to end waits until its command has ended what it started."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from scripts.workbench import commands
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import ROOT
from tests.waiting import LIMIT_S, wait_for

# Not the settings of these tests, which choose a folder by themselves.
DEPLOYED = {"DJANGO_SETTINGS_MODULE": "webrl_site.settings", "DATABASE_URL": ""}
PASSING_ON = """
import os, sys
from scripts.workbench.commands import pass_on
sys.exit(pass_on([sys.executable, "-c", sys.argv[1], sys.argv[2]], env=os.environ))
"""
TIDYING = """
import pathlib, signal, sys, time
file = pathlib.Path(sys.argv[1])
def tidy(signum, frame):
    file.write_text("ended")
    sys.exit(3)
signal.signal(signal.SIGTERM, tidy)
file.write_text("begun")
time.sleep(60)
"""
# Writes each signal down, and ends at TERM.
LISTENING = """
import pathlib, signal, sys, time
file = pathlib.Path(sys.argv[1])
def note(signum, frame):
    with file.open("a") as told:
        told.write(f" {signum}")
    if signum == signal.SIGTERM:
        sys.exit(0)
signal.signal(signal.SIGINT, note)
signal.signal(signal.SIGTERM, note)
file.write_text("begun")
while True:
    time.sleep(60)
"""
# What it takes to install is not what is tried here.
MANAGING = """
import sys
from scripts.workbench import up
up.venv.ensure = lambda: None
up.chromium.ensure = lambda: ""
sys.exit(up.manage(sys.argv[1:]))
"""


def read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def hear_everything() -> None:
    """Whoever runs the tests in the background has it ignored, and so would we."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def passing_on(program: str, file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that passes its signals on to a program that has begun."""
    with subprocess.Popen(
        [sys.executable, "-c", PASSING_ON, program, str(file)], cwd=ROOT
    ) as process:
        wait_for(lambda: read(file) == "begun")
        yield process


def test_a_command_that_is_asked_to_end_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with passing_on(TIDYING, file) as process:
        process.terminate()
        code = process.wait(LIMIT_S)

    assert (code, read(file)) == (3, "ended")


def test_a_command_ends_when_we_are_killed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with passing_on(TIDYING, file) as process:
        process.kill()

    wait_for(lambda: read(file) == "ended")


def test_a_terminal_interrupts_a_command_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    ours, theirs = os.openpty()

    def take_terminal() -> None:
        hear_everything()
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    with subprocess.Popen(
        [sys.executable, "-c", PASSING_ON, LISTENING, str(file)],
        cwd=ROOT,
        stdin=theirs,
        preexec_fn=take_terminal,
    ) as process:
        try:
            wait_for(lambda: read(file) == "begun")
            # The command answers before its parent does.
            process.send_signal(signal.SIGSTOP)
            os.write(ours, b"\x03")
            wait_for(lambda: read(file) != "begun")
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(LIMIT_S)
        finally:
            process.kill()

    assert read(file).split() == ["begun", "2", "15"]
    os.close(ours)
    os.close(theirs)


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_restore_leaves_the_folder_empty(
    tmp_path: Path, signum: signal.Signals
) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup"
    # Nobody writes into it: the restore waits for the backup's first byte.
    os.mkfifo(backup)
    writers: list[int] = []

    def is_being_read() -> bool:
        with suppress(OSError):  # Until it is, there is no opening it to write.
            writers.append(os.open(backup, os.O_WRONLY | os.O_NONBLOCK))
        return bool(writers)

    with subprocess.Popen(
        [sys.executable, "-c", MANAGING, "restore", str(backup)],
        cwd=ROOT,
        env=os.environ | DEPLOYED | {"WEBRL_DATA_DIR": str(data)},
        preexec_fn=hear_everything,
    ) as process:
        try:
            wait_for(is_being_read)
            assert list(data.glob(".restoring-*"))
            process.send_signal(signum)
            code = process.wait(LIMIT_S)
        finally:
            process.kill()
    for writer in writers:
        os.close(writer)

    assert code == 128 + signum
    assert list(data.glob(".restoring-*")) == []


def test_a_command_that_fails_on_a_full_disk_names_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "LOG_DIR", tmp_path)
    monkeypatch.setattr(commands, "LEAST_FREE", 2**60)

    with pytest.raises(WorkbenchError, match=f"The disk of {tmp_path} is full"):
        commands.run("Trying", ["false"], expected_s=1)

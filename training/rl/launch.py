"""Starts and supervises the training subprocess. No torch here.

Training never runs inside a worker: a subprocess in its own session can be stopped,
killed and resumed, and its memory is freed when it ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from curriculum.rules.priority import share_priority
from training.rl.process import EXIT_STOPPED, die_with_parent
from training.rl.training_data import write_text

POLL_S = 0.25  # how late a stop is noticed
# A stop may take as long as the trainer says that it needs to save (`Reporter`), within
# these limits; then KILL. The deployments grant a training worker the longer one.
MIN_STOP_S, MAX_STOP_S = 30.0, 1800.0
LOCK = "train.lock"
LOG = "train.log"
LAST_LINES = 15  # a traceback with its message
# How often a training that was killed by a signal is started again.
MAX_KILLS = 3
KILLS = "kills.json"
# What torch's launcher of several processes logs about one that ended, and about the
# others, which it then ends itself.
ENDED = re.compile(r"Signal (\d+) \(\w+\) received by PID (\d+)")
CLOSED = re.compile(r"Sending process (\d+) closing signal")
# What it logs at the end: which process failed first, its own traceback, and a table.
REPORT = re.compile(r"^\S.*/torch/distributed/elastic/\S+\] failed \(exitcode", re.M)
REPORT_END = "=" * 60


class TrainingFailed(RuntimeError):
    """The subprocess ended with an error; the message holds its last lines."""


class TrainingStopped(RuntimeError):
    """The subprocess stopped on request; training the directory again resumes it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Launcher:
    """Trains a directory with a module of this package, in a subprocess.

    Attributes:
        module: Below `training.rl`.
        is_parallel: Whether several of its processes can share one training.
    """

    module: str
    is_parallel: bool = True

    def __call__(
        self,
        directory: Path,
        *,
        threads: int,
        on_progress: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
    ) -> None:
        """Train and wait for the end; a directory that has a result is already done.

        A subprocess ended by a signal is started again and resumes from its files.

        Args:
            directory: Holds `spec.json` and the episodes; receives the results.
            threads: Threads of the subprocess, at least 1.
            on_progress: Called about four times a second with the newest progress.
            should_stop: Called as often; True ends the training cleanly.

        Raises:
            TrainingFailed: The subprocess failed, or was killed too often.
            TrainingStopped: It stopped because `should_stop` said so.
        """
        with alone_in(directory, should_stop):
            self._train(directory, threads, on_progress, should_stop)

    def _train(
        self,
        directory: Path,
        threads: int,
        on_progress: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
    ) -> None:
        """Start the subprocess until it ends by itself; a result ends it too."""
        if (directory / "result.json").exists():
            return
        while code := self._attempt(directory, threads, on_progress, should_stop):
            # The program's own error: started again, it would fail in the same way.
            if code > 0:
                raise TrainingFailed(_read_end(directory) or f"Exit code {code}.")
            count, reason = _count_kill(directory), explain_signal(-code)
            if count > MAX_KILLS:
                # Resuming the phase by hand restarts the count.
                (directory / KILLS).unlink()
                raise TrainingFailed(f"{_read_end(directory)}\n{reason}".strip())
            on_progress({"kills": count, "max_kills": MAX_KILLS, "reason": reason})

    def _attempt(
        self,
        directory: Path,
        threads: int,
        on_progress: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
    ) -> int:
        """Run the subprocess to its end and return its code; negative means a signal.

        The signal ended it, or one of its processes if several share the training.

        Raises:
            TrainingStopped: It stopped because `should_stop` said so.
        """
        with (directory / LOG).open("ab") as output:
            begin = output.tell()
            process = self._start(directory, threads, output)
            share_priority(process.pid)
            try:
                stopped = _watch(process, directory, on_progress, should_stop)
            finally:
                end_training(process, directory)
        if stopped or process.returncode == EXIT_STOPPED:
            raise TrainingStopped(
                "Training was stopped; resume goes on from its files."
            )
        code = int(process.returncode)
        if code > 0 and self.is_parallel:
            return -_find_signal((directory / LOG).read_bytes()[begin:]) or code
        return code

    def command(self, directory: Path) -> list[str]:
        """Return the command; ACCELERATE_CONFIG gives the number of processes."""
        config = os.environ.get("ACCELERATE_CONFIG", "") if self.is_parallel else ""
        launcher = ["accelerate.commands.launch", "--config_file", config, "-m"]
        started = [*(launcher if config else ()), f"training.rl.{self.module}"]
        return [sys.executable, "-m", *started, str(directory)]

    def _start(
        self, directory: Path, threads: int, output: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(directory),
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(threads),
            cwd=Path(__file__).resolve().parents[2],
            # Ctrl-C in a terminal reaches only the worker, which stops the training
            # in order.
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


train_phase = Launcher("phase.train")
train_orm = Launcher("orm.train")
train_sft = Launcher("sft.train")


def explain_signal(number: int) -> str:
    """Name the signal that ended a training, and what to do about it."""
    name = signal.Signals(number).name
    text = f"The training was killed by signal {number} ({name})"
    if number != signal.SIGKILL:
        return f"{text}."
    return f"{text}, most often out of memory: lower micro_batch_size."


def _find_signal(log: bytes) -> int:
    """Return the signal that killed one of several processes; 0 if none was killed."""
    text = log.decode(errors="replace")
    closed = set(CLOSED.findall(text))
    found = (int(number) for number, pid in ENDED.findall(text) if pid not in closed)
    return next(found, 0)


def _count_kill(directory: Path) -> int:
    """Count one more kill; the number is in a file, so that it outlives the worker."""
    path = directory / KILLS
    try:
        count = int(json.loads(path.read_text())["count"]) + 1
    except (OSError, ValueError, KeyError, TypeError):
        count = 1
    write_text(path, json.dumps({"count": count}))
    return count


def _read_end(directory: Path) -> str:
    """Return the last lines of the trainer; the launcher's come after them."""
    log = (directory / LOG).read_text(errors="replace")
    if log.rstrip().endswith(REPORT_END):
        begun = [match.start() for match in REPORT.finditer(log)]
        log = log[: begun[-1]] if begun else log
    lines = [line for line in log.splitlines() if not CLOSED.search(line)]
    return "\n".join(lines[-LAST_LINES:])


@contextlib.contextmanager
def alone_in(directory: Path, should_stop: Callable[[], bool]) -> Iterator[None]:
    """Wait for a trainer that is still saving there, maybe for another worker.

    The kernel drops the lock with the worker, whose trainer dies with it. Whoever
    empties the directory keeps the file LOCK: a new one would not be locked.

    Raises:
        TrainingStopped: `should_stop` said so before the directory was free.
    """
    with (directory / LOCK).open("a") as file:
        while not _lock(file):
            if should_stop():
                raise TrainingStopped("Training was stopped before it began.")
            time.sleep(POLL_S)
        yield


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _watch(
    process: subprocess.Popen[bytes],
    directory: Path,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Wait for the end; True if it has to be stopped."""
    while True:
        try:
            process.wait(POLL_S)
            return False
        except subprocess.TimeoutExpired:
            on_progress(_read_progress(directory))
        if should_stop():
            return True


def _read_progress(directory: Path) -> dict[str, Any]:
    try:
        found = json.loads((directory / "progress.json").read_text())
    except (OSError, ValueError):
        return {"stage": "starting", "done": 0, "total": 0, "seconds_left": None}
    return dict(found)


def _environment(threads: int) -> dict[str, str]:
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        # Busy-waiting threads ran at a third of their speed next to another process.
        "OMP_WAIT_POLICY": "PASSIVE",
        # Weights are local files: no request goes to a hub.
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
        # Else torch's launcher kills its processes 30 s after it was told to end.
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(int(MAX_STOP_S)),
    }


def end_training(
    process: subprocess.Popen[bytes],
    directory: Path,
    *,
    clock: Callable[[], float] = time.monotonic,
    kill: Callable[[int, int], None] = os.killpg,
) -> None:
    """Send TERM, and KILL to the process group once a stop has had its time.

    Args:
        process: The trainer, which leads a process group.
        directory: Of its progress file, which says how long a stop may take.
        clock: Seconds.
        kill: Takes the group and the signal.
    """
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    began = clock()
    while clock() - began < find_stop_limit(directory):
        try:
            process.wait(POLL_S)
            return
        except subprocess.TimeoutExpired:
            continue
    kill(process.pid, signal.SIGKILL)
    process.wait()


def find_stop_limit(directory: Path) -> float:
    """Return the seconds after which a trainer that was told to stop is killed."""
    try:
        needed = float(_read_progress(directory).get("stop_s") or 0.0)
    except (TypeError, ValueError):
        needed = 0.0
    return min(max(needed, MIN_STOP_S), MAX_STOP_S)

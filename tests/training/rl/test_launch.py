from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from training.rl.launch import (
    LOCK,
    MAX_KILLS,
    MAX_STOP_S,
    MIN_STOP_S,
    Launcher,
    TrainingFailed,
    TrainingStopped,
    end_training,
    explain_signal,
    train_orm,
    train_phase,
    train_sft,
)

PLAYS = Launcher("sft.careful", is_parallel=False)
DIE = "import os; print('step 7', flush=True); os.kill(os.getpid(), {signal})"


class Doomed(Launcher):
    """Starts a program that a signal ends `kills` times, before one that works."""

    __slots__ = ("left", "number")

    def __init__(self, kills: int, number: int = 9) -> None:
        super().__init__("none")
        object.__setattr__(self, "left", kills)
        object.__setattr__(self, "number", number)

    def _start(self, directory, threads, output):
        object.__setattr__(self, "left", self.left - 1)
        code = DIE.format(signal=self.number) if self.left >= 0 else "pass"
        return subprocess.Popen([sys.executable, "-c", code], stdout=output)


def train(launcher, directory) -> list[dict[str, Any]]:
    told = []
    launcher(
        directory,
        threads=1,
        on_progress=lambda progress: told.extend([progress] * ("kills" in progress)),
        should_stop=lambda: False,
    )
    return told


def test_a_killed_training_resumes_and_the_kill_is_told(tmp_path):
    (told,) = train(Doomed(kills=1), tmp_path)
    assert told["kills"] == 1
    assert "killed by signal 9 (SIGKILL)" in told["reason"]
    assert "lower micro_batch_size" in told["reason"]


def test_a_training_that_is_killed_again_and_again_fails_with_the_reason(tmp_path):
    launcher = Doomed(kills=MAX_KILLS + 1)
    with pytest.raises(TrainingFailed, match=r"step 7\s.*killed by signal 9"):
        train(launcher, tmp_path)
    assert launcher.left == 0


def test_kills_are_counted_across_workers_until_the_training_fails(tmp_path):
    for left in (1, 1):
        train(Doomed(kills=left), tmp_path)
    told = train(Doomed(kills=1), tmp_path)
    assert told[0]["kills"] == 3


def test_who_resumes_a_failed_training_starts_the_count_anew(tmp_path):
    with pytest.raises(TrainingFailed):
        train(Doomed(kills=MAX_KILLS + 1), tmp_path)
    assert train(Doomed(kills=1), tmp_path)[0]["kills"] == 1


@pytest.mark.parametrize(
    ("launcher", "is_parallel"),
    [(train_phase, True), (train_orm, True), (train_sft, True), (PLAYS, False)],
)
def test_several_processes_train_where_nothing_is_played(
    launcher, is_parallel, tmp_path, monkeypatch
):
    monkeypatch.setenv("ACCELERATE_CONFIG", "eight.yaml")
    command = launcher.command(tmp_path)
    assert ("accelerate.commands.launch" in command) == is_parallel
    assert ("eight.yaml" in command) == is_parallel
    assert command[-2:] == [f"training.rl.{launcher.module}", str(tmp_path)]


RANK = """
import os, pathlib, time
begun = pathlib.Path(__file__).with_suffix(".begun")
if begun.exists():
    raise SystemExit
if os.environ["RANK"] == "0":
    time.sleep(600)
begun.touch()
{end}
"""


class TwoProcesses(Launcher):
    """Torch's launcher of two processes; the second ends badly the first time."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("none", is_parallel=True)

    def _start(self, directory, threads, output):
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += ["--nproc_per_node=2", str(directory / "rank.py")]
        return subprocess.Popen(command, stdout=output, stderr=output)


@pytest.mark.slow
def test_one_of_several_processes_that_is_killed_is_a_kill(tmp_path):
    (tmp_path / "rank.py").write_text(RANK.format(end="os.kill(os.getpid(), 9)"))
    (told,) = train(TwoProcesses(), tmp_path)
    assert "killed by signal 9 (SIGKILL)" in told["reason"]


@pytest.mark.slow
def test_an_error_of_one_of_several_processes_is_its_own_verdict(tmp_path):
    told = "raise SystemExit('Out of memory. Lower micro_batch_size.')"
    (tmp_path / "rank.py").write_text(RANK.format(end=told))
    # The launcher's own report of forty lines comes after it in the log.
    with pytest.raises(TrainingFailed, match=r"Lower micro_batch_size\.$"):
        train(TwoProcesses(), tmp_path)


def test_another_signal_is_named_without_advice_on_memory():
    assert explain_signal(11) == "The training was killed by signal 11 (SIGSEGV)."


ORPHAN = """
import os, sys, time
from training.rl.process import die_with_parent
die_with_parent()
with open(sys.argv[1], "w") as told:
    print("begun", file=told, flush=True)
    time.sleep(30)
    print("still here", file=told)
"""


@pytest.mark.slow
def test_the_processes_of_a_training_end_with_their_launcher(tmp_path):
    (tmp_path / "rank.py").write_text(ORPHAN)
    told = tmp_path / "told"
    os.mkfifo(told)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc_per_node=2", str(tmp_path / "rank.py"), str(told)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(command, env=env) as launcher, told.open() as heard:
        assert [heard.readline() for _ in range(2)] == ["begun\n"] * 2
        launcher.kill()
        # The pipe ends when both have ended.
        assert heard.read() == ""


class Ending:
    """A trainer that ends so many seconds after it was told to stop."""

    def __init__(self, needs_s: float) -> None:
        self.pid = 0
        self.needs_s, self.now = needs_s, 0.0
        self.signals: list[int] = []

    def poll(self) -> int | None:
        return 75 if self.signals and self.now >= self.needs_s else None

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def kill_group(self, pid: int, number: int) -> None:
        self.signals.append(number)
        self.needs_s = self.now

    def wait(self, timeout: float = 0.0) -> int:
        self.now = min(self.now + timeout, self.needs_s)
        if self.poll() is None:
            raise subprocess.TimeoutExpired("train", timeout)
        return 75


def end(needs_s: float, directory: Path, progress: str = "") -> Ending:
    if progress:
        (directory / "progress.json").write_text(progress)
    trainer: Any = Ending(needs_s)
    clock, kill = (lambda: trainer.now), trainer.kill_group
    end_training(trainer, directory, clock=clock, kill=kill)
    return trainer


def test_a_trainer_that_saves_for_minutes_is_not_killed(tmp_path):
    told = json.dumps({"stage": "policy", "stop_s": 900.0})
    assert end(890.0, tmp_path, told).signals == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("progress", "limit_s"),
    [
        ("", MIN_STOP_S),
        ('{"stage": "policy"}', MIN_STOP_S),
        ('{"stop_s": "soon"}', MIN_STOP_S),
        ('{"stop_s": 31.5}', 31.5),
        ('{"stop_s": 1e9}', MAX_STOP_S),
    ],
)
def test_a_trainer_that_hangs_is_killed_after_the_time_of_a_stop(
    tmp_path, progress, limit_s
):
    trainer = end(1e9, tmp_path, progress)
    assert trainer.signals == [signal.SIGTERM, signal.SIGKILL]
    assert trainer.now == pytest.approx(limit_s, abs=0.5)


def test_a_directory_whose_trainer_still_saves_gets_no_second_one(tmp_path):
    launcher = Doomed(kills=0)
    with (tmp_path / LOCK).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(TrainingStopped):
            launcher(
                tmp_path,
                threads=1,
                on_progress=lambda progress: None,
                should_stop=lambda: True,
            )
    assert launcher.left == 0
    train(launcher, tmp_path)
    assert launcher.left == -1

"""R5: a training killed twenty times ends in the weights of an uninterrupted one."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

import torch

from drills.outcome import Outcome
from drills.trainings.forked import Forked
from tests.training.rl.tiny import (
    build_model,
    build_tokenizer,
    write_training_directory,
)
from training.rl.launch import MAX_KILLS, Launcher
from training.rl.phase.train import train
from training.rl.phase.trainer import PhaseTrainer
from training.rl.process import EXIT_STOPPED, Stopped
from training.rl.training_data import PROGRESS

KILLS, MAX_TRAININGS = 20, 40
# A training's imports, made here so that no fork has to repeat them.
IMPORTED = PhaseTrainer
# Checkpoints are so frequent that many kills hit one that is being written.
SETTINGS = {"critic_epochs": 2, "policy_epochs": 2, "save_every_s": 0.2}
TRAJECTORIES = 12
WEIGHTS = ("critic/model.safetensors", "policy/model.safetensors")


@dataclasses.dataclass(frozen=True, slots=True)
class Killer(Launcher):
    """Kills its process a number of seconds after it has begun to work.

    The process is forked from this one, which has imported torch already; it runs the
    same code as the program `training.rl.phase.train`.

    Attributes:
        delays: Seconds, one for each start; without one there is no kill.
        worked: Receives how long each process worked.
        watchers: The watching threads, one for each start.
    """

    delays: list[float] = dataclasses.field(default_factory=list)
    worked: list[float] = dataclasses.field(default_factory=list)
    watchers: list[threading.Thread] = dataclasses.field(default_factory=list)

    def _start(self, directory: Path, threads: int, output: IO[bytes]) -> Any:
        before = _read_time(directory)
        process = Forked(lambda: _work(directory), output.fileno())
        delay = self.delays.pop(0) if self.delays else None
        watching = (process, directory, before, delay)
        self.watchers.append(threading.Thread(target=self._watch, args=watching))
        self.watchers[-1].start()
        return process

    def _watch(
        self,
        process: Forked,
        directory: Path,
        before: float,
        delay: float | None,
    ) -> None:
        while process.returncode is None and _read_time(directory) == before:
            time.sleep(0.01)
        began = time.monotonic()
        while process.returncode is None:
            if delay is not None and time.monotonic() - began >= delay:
                process.kill()
                break
            time.sleep(0.01)
        self.worked.append(time.monotonic() - began)


@dataclasses.dataclass(frozen=True, slots=True)
class Trained:
    """A training's result: digests of its weights, its kills, its seconds."""

    weights: list[str]
    kills: int
    seconds: float


def _work(directory: Path) -> int:
    """Train as the program does; return its exit code."""
    # A child must not inherit the drill's own handler, which ends its processes.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        train(directory)
    except Stopped:
        return EXIT_STOPPED
    return 0


def measure() -> Outcome:
    """Train once without kills, then under kills until there were twenty."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        origin = Path(name) / "origin"
        origin.mkdir()
        tokenizer = build_tokenizer()
        model = build_model(tokenizer)
        write_training_directory(origin, model, tokenizer, TRAJECTORIES, **SETTINGS)
        straight = _train(origin, [])
        trials = _train_under_kills(origin, straight.seconds)
    killed = sum(one.kills for one in trials)
    same = sum(one.weights == straight.weights for one in trials)
    text = (
        f"{killed} kills within the {straight.seconds:.1f} s of a training: {same} of "
        f"{len(trials)} trainings end in the same bytes as the straight one"
    )
    return Outcome(text, killed >= KILLS and same == len(trials))


def _train_under_kills(origin: Path, seconds: float) -> list[Trained]:
    draw = random.Random(5)
    trials: list[Trained] = []
    while sum(one.kills for one in trials) < KILLS and len(trials) < MAX_TRAININGS:
        # A machine with less load than before trains faster.
        seconds = min([seconds, *(one.seconds for one in trials)])
        delays = [draw.uniform(0, seconds) for _ in range(MAX_KILLS)]
        trials.append(_train(origin, delays))
    return trials


def _train(origin: Path, delays: list[float]) -> Trained:
    """Train a copy, killed after each of the delays."""
    place = origin.with_name("trial")
    shutil.copytree(origin, place)
    spec = place / "train" / "spec.json"
    spec.write_text(spec.read_text().replace(str(origin), str(place)))
    killer = Killer("phase.train", delays=list(delays))
    told: list[dict[str, Any]] = []
    try:
        killer(
            place / "train",
            threads=1,
            on_progress=told.append,
            should_stop=lambda: False,
        )
        for watcher in killer.watchers:
            watcher.join()
        digests = [_digest(place / "train" / weights) for weights in WEIGHTS]
    finally:
        shutil.rmtree(place)
    kills = sum("kills" in one for one in told)
    return Trained(digests, kills, sum(killer.worked))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_time(directory: Path) -> float:
    """Return when the training last reported its progress; 0 for never."""
    try:
        return (directory / PROGRESS).stat().st_mtime
    except OSError:
        return 0.0

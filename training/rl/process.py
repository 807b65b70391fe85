"""What every training subprocess shares: its files, its stop and its exit codes.

Exit codes: 0 done; 75 stopped by SIGTERM with a checkpoint to resume from; 2 the
directory's files cannot be used; 3 out of memory; 4 the update diverged. The output
ends with the reason.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from torch import nn
    from transformers import (
        TrainerCallback,
        TrainerControl,
        TrainerState,
        TrainingArguments,
    )

PR_SET_PDEATHSIG = 1  # linux/prctl.h
EXIT_BAD_INPUT = 2
EXIT_STOPPED = 75  # EX_TEMPFAIL of sysexits.h: try again later
EXIT_OUT_OF_MEMORY = 3
EXIT_DIVERGED = 4
OUT_OF_MEMORY = (
    "Out of memory. Lower micro_batch_size first, then micro_batch_tokens and "
    "max_prompt_tokens."
)
SAVING_PARTS = ("critic", "policy", "orm", "sft")
# What a trainer tells its supervisor that a stop may take: so many seconds, twice the
# longest time between two reports (an optimiser step, with a checkpoint if one was
# due), and the checkpoint, written and read again for its digests, on a slow disk.
STOP_S, STOP_STEPS, SAVED_BYTES_A_SECOND = 30.0, 2, 100e6
# Trained weights are saved as float32, with AdamW's two moments.
WEIGHT_BYTES, MOMENT_BYTES = 4, 8


def is_main() -> bool:
    """Whether this process writes files; with several processes only the first does."""
    return os.environ.get("RANK", "0") == "0"


def die_with_parent() -> None:
    """On Linux, end this process when the one that started it is killed.

    A training resumes from its files; one that goes on unwatched keeps the device and
    writes into the directory of the one that replaces it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Stopped(Exception):
    """SIGTERM arrived between two parts."""


class Diverged(Exception):
    """A loss or a gradient is no finite number; the message says what to do."""


class Reporter:
    """Appends metrics and replaces the progress file."""

    def __init__(
        self, directory: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives seconds."""
        self._directory, self._clock = directory, clock
        # The current part, when it was first reported, and how much was done then.
        self._part, self._started, self._done_before = "", clock(), 0
        self._reported, self._longest_s = self._started, 0.0
        # Of the part that trains, if one does.
        self.checkpoint_bytes = 0
        self.stop_asked = False
        if is_main():
            self._end_last_line()

    def _end_last_line(self) -> None:
        """End a line that a killed training left unfinished; ours is then readable."""
        path = self._directory / "metrics.jsonl"
        if path.exists() and path.read_bytes()[-1:] not in (b"", b"\n"):
            with path.open("a") as handle:
                handle.write("\n")

    def metric(self, name: str, step: int, value: float) -> None:
        """Append one line to `metrics.jsonl`, in the first process only."""
        if not is_main():
            return
        line = json.dumps({"name": name, "step": step, "value": value})
        with (self._directory / "metrics.jsonl").open("a") as handle:
            handle.write(line + "\n")

    def progress(self, part: str, done: int, total: int) -> None:
        """Replace `progress.json`; also the heartbeat that the supervisor reads."""
        # Those parts stop at an optimiser step, with a checkpoint; others start again.
        if self.stop_asked and part not in SAVING_PARTS:
            raise Stopped
        if not is_main():
            return
        now = self._clock()
        if part != self._part:
            self._part, self._started, self._done_before = part, now, done
            self._reported, self._longest_s = now, 0.0
        self._longest_s = max(self._longest_s, now - self._reported)
        self._reported = now
        spent, done_since = now - self._started, done - self._done_before
        # Parts take different times: the clock starts with each of them. A resumed
        # part starts in its middle; what was done before took none of this time.
        left = spent / done_since * (total - done) if done_since > 0 else None
        from training.rl.training_data import PROGRESS, write_text

        state = {"stage": part, "done": done, "total": total, "seconds_left": left}
        state["stop_s"] = self._estimate_stop()
        write_text(self._directory / PROGRESS, json.dumps(state))

    def _estimate_stop(self) -> float:
        """Seconds that a stop may take: the step ends, then a checkpoint is written."""
        count = self.checkpoint_bytes if self._part in SAVING_PARTS else 0
        saving = count / SAVED_BYTES_A_SECOND
        return STOP_S + STOP_STEPS * self._longest_s + saving


def count_checkpoint_bytes(model: nn.Module) -> int:
    """Return the bytes of a checkpoint of all processes together.

    Frozen weights are not saved.
    """
    trained = [one for one in model.parameters() if one.requires_grad]
    # DeepSpeed keeps the size of a weight that is divided among the processes.
    sizes = [getattr(one, "ds_numel", None) or one.numel() for one in trained]
    return sum(sizes) * (WEIGHT_BYTES + MOMENT_BYTES)


def make_callbacks(
    reporter: Reporter, part: str, save_every_s: float
) -> list[TrainerCallback]:
    """Make callbacks for progress, regular checkpoints, and a clean stop on SIGTERM."""
    from transformers import TrainerCallback

    from training.rl.scale.parallel import agree
    from training.rl.scale.trackers import make_trackers

    class Watch(TrainerCallback):  # has no types
        def __init__(self) -> None:
            self.saved = time.monotonic()

        def on_train_begin(
            self,
            args: TrainingArguments,
            state: TrainerState,
            control: TrainerControl,
            model: nn.Module | None = None,
            **_: object,
        ) -> None:
            if model is not None:
                reporter.checkpoint_bytes = count_checkpoint_bytes(model)
            reporter.progress(part, state.global_step, state.max_steps)

        def on_step_end(
            self,
            args: TrainingArguments,
            state: TrainerState,
            control: TrainerControl,
            **_: object,
        ) -> None:
            reporter.progress(part, state.global_step, state.max_steps)
            # By time, not by steps: a kill costs the time since the last checkpoint.
            is_due = time.monotonic() - self.saved >= save_every_s
            # All processes save and stop at the same step, or they wait forever.
            reporter.stop_asked, is_due = agree(reporter.stop_asked, is_due)
            if reporter.stop_asked:
                control.should_save = control.should_training_stop = True
            elif is_due:
                self.saved = time.monotonic()
                control.should_save = True

        def on_train_end(
            self,
            args: TrainingArguments,
            state: TrainerState,
            control: TrainerControl,
            **_: object,
        ) -> None:
            if reporter.stop_asked and state.global_step < state.max_steps:
                raise Stopped

    return [Watch(), *make_trackers()]


def provenance(threads: int) -> dict[str, Any]:
    """Package versions, device and threads: what made the weights."""
    import torch

    packages = ("torch", "transformers", "tokenizers", "safetensors")
    on_gpu = torch.cuda.is_available()
    return {
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in packages},
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "threads": threads,
    }


def work_through(
    directory: Path, work: Callable[[Path, Reporter], dict[str, Any]]
) -> None:
    """Do the work of a directory, and write its result with what made it.

    SIGTERM ends it at the next step, with a checkpoint to resume from.
    """
    import torch

    from training.rl import training_data
    from training.rl.resume import drop_checkpoints
    from training.rl.scale import parallel

    started = time.monotonic()
    reporter = Reporter(directory)
    parallel.start()
    # Only a flag: the current step ends first, then a checkpoint is written.
    signal.signal(signal.SIGTERM, lambda *_: setattr(reporter, "stop_asked", True))
    result = work(directory, reporter)
    parallel.wait_for_all()
    if is_main():
        result["seconds"] = time.monotonic() - started
        result["provenance"] = provenance(torch.get_num_threads())
        text = json.dumps(result, indent=1)
        training_data.write_text(directory / training_data.RESULT, text)
        drop_checkpoints(directory)
    parallel.end()


def run_main(train: Callable[[Path], None], about: str | None) -> int:
    """Parse the command line, train, and turn errors into exit codes."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("directory", type=Path)
    directory: Path = parser.parse_args().directory
    if "RANK" in os.environ:
        # torch's launcher gives each of its processes a session of its own.
        die_with_parent()
    import torch

    from training.rl.checkpoints import CheckpointError
    from training.rl.encoding import PromptTooLong
    from training.rl.training_data import TrainingDataError

    # Only the owner may read weights and episodes, regardless of who starts this.
    os.umask(0o077)
    # By default torch takes every core, also those of browsers and web process.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    try:
        train(directory)
    except Stopped:
        return EXIT_STOPPED
    except (TrainingDataError, CheckpointError, PromptTooLong) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_BAD_INPUT
    except Diverged as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_DIVERGED
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        sys.stderr.write(f"{error}\n{OUT_OF_MEMORY}\n")
        return EXIT_OUT_OF_MEMORY
    return 0


def leave(code: int) -> NoReturn:
    """End this process with its exit code; one of several without Python's clean-up.

    After its last exchange a thread of torch may still release a tensor. In an
    interpreter that cleans up this aborts the process, and torch's launcher reports a
    training as failed whose files are whole.
    """
    if "RANK" in os.environ:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out; on the CPU torch has no separate error for that."""
    import torch

    known = isinstance(error, torch.OutOfMemoryError | MemoryError)
    return known or "can't allocate memory" in str(error)

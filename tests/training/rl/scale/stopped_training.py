"""Started in several processes by a test: SFT that is told to stop after some steps.

`python -m torch.distributed.run ... -m tests.training.rl.scale.stopped_training
FOLDER STEPS`
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from training.rl.process import Reporter, Stopped, leave, make_callbacks, work_through
from training.rl.sft.data import read_sft_spec
from training.rl.sft.trainer import train_on_demonstrations

NEVER_S = 1e9


class StopAfter(TrainerCallback):
    """Does what SIGTERM does, at a step that is known beforehand."""

    def __init__(self, reporter: Reporter, steps: int) -> None:
        self.reporter, self.steps = reporter, steps

    def on_step_begin(self, args, state, control, **_):
        self.reporter.stop_asked = state.global_step + 1 == self.steps


def main(folder: Path, steps: int) -> None:
    def work(directory: Path, reporter: Reporter) -> dict[str, Any]:
        usual = make_callbacks(reporter, "sft", NEVER_S)
        return train_on_demonstrations(
            directory,
            read_sft_spec(directory),
            [StopAfter(reporter, steps), *usual],
            reporter.metric,
        )

    with contextlib.suppress(Stopped):
        work_through(folder, work)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
    leave(0)

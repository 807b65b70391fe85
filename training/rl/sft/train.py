"""The subprocess of SFT on demonstrations: `python -m training.rl.sft.train DIRECTORY`.

Exit codes are those of `training.rl.process`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.rl.process import (
    Reporter,
    leave,
    make_callbacks,
    run_main,
    work_through,
)


def train(directory: Path) -> None:
    """Run the whole training of one directory and write `result.json` last."""
    work_through(directory, _train)


def _train(directory: Path, reporter: Reporter) -> dict[str, Any]:
    from transformers import set_seed

    from training.rl.sft.data import read_sft_spec
    from training.rl.sft.trainer import train_on_demonstrations

    spec = read_sft_spec(directory)
    set_seed(spec.seed % 2**32)
    return train_on_demonstrations(
        directory,
        spec,
        make_callbacks(reporter, "sft", spec.algorithm.save_every_s),
        reporter.metric,
    )


if __name__ == "__main__":
    leave(run_main(train, __doc__))

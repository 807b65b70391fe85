"""The reward model's training subprocess: `python -m training.rl.orm.train DIRECTORY`.

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

    from training.rl.orm.data import read_orm_spec
    from training.rl.orm.trainer import OrmTraining

    spec = read_orm_spec(directory)
    set_seed(spec.seed % 2**32)
    return OrmTraining(
        directory,
        spec,
        report=reporter.metric,
        on_progress=reporter.progress,
        callbacks=lambda part: make_callbacks(
            reporter, part, spec.algorithm.save_every_s
        ),
    ).run()


if __name__ == "__main__":
    leave(run_main(train, __doc__))

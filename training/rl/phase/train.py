"""The phase's training subprocess: `python -m training.rl.phase.train DIRECTORY`.

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

    from training.rl import training_data
    from training.rl.phase.trainer import PhaseTrainer
    from training.rl.scale.lora import check_adapters

    spec = training_data.read_spec(directory)
    # Before the critic, whose training may take hours.
    check_adapters(spec.config.lora_rank, spec.config.critic_lora_rank)
    set_seed(spec.seed % 2**32)
    return PhaseTrainer(
        directory,
        spec,
        report=reporter.metric,
        on_progress=reporter.progress,
        callbacks=lambda part: make_callbacks(reporter, part, spec.config.save_every_s),
    ).run()


if __name__ == "__main__":
    leave(run_main(train, __doc__))

"""The only writers of training's rows."""

from __future__ import annotations

from training.services.checkpoints import (
    register_checkpoint,
    set_apart,
    verify_checkpoint,
)
from training.services.orm_training import TooFewVerdicts, train_reward_model
from training.services.scoring import estimate_values, score_phase
from training.services.sft_rows import BadRows, train_on_rows
from training.services.sft_training import (
    NoDemonstrations,
    count_left_out,
    train_on_demonstrations,
)
from training.services.training import (
    finish_run,
    record_metrics,
    start_run,
    store_numbers,
    train_phase,
)

__all__ = [
    "BadRows",
    "NoDemonstrations",
    "TooFewVerdicts",
    "count_left_out",
    "estimate_values",
    "finish_run",
    "record_metrics",
    "register_checkpoint",
    "score_phase",
    "set_apart",
    "start_run",
    "store_numbers",
    "train_on_demonstrations",
    "train_on_rows",
    "train_phase",
    "train_reward_model",
    "verify_checkpoint",
]

"""Low-rank adapters: train a few weights added to frozen ones (arXiv 2106.09685).

    W' = W + (alpha / rank) B A,    A random, B = 0 at the start

Deviation from the paper, which trains all weights: an option, off unless a rank is set.

The frozen weights W may be bfloat16 where passes are computed in it, which rounds them
anyway; A and B, which are trained, are always float32. What is saved is float32: the
adapter is merged into the weights as they were read, not into their rounded copies.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import set_seed

from training.rl import checkpoints
from training.rl.scale.sharding import is_sharded
from training.rl.training_data import TrainingDataError

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

    from training.rl.webrl_config import WebRLConfig

# The usual scaling: alpha / rank = 2 for every rank.
ALPHA_PER_RANK = 2


def find_starting_dtype(config: WebRLConfig, rank: int) -> torch.dtype:
    """Return the type in which a training with this rank loads the model's weights."""
    passes_are = checkpoints.uses_bfloat16(config.precision)
    is_chosen = config.frozen_weights == "bfloat16"
    return torch.bfloat16 if rank and is_chosen and passes_are else torch.float32


def check_adapters(*ranks: int) -> None:
    """Refuse ranks above 0 where FSDP shares the weights out among the processes.

    An adapter is merged in one process, which would wait for the others forever.

    Raises:
        TrainingDataError: The message says what to set.
    """
    if any(ranks) and is_sharded():
        raise TrainingDataError(
            "Adapters cannot be trained on weights that FSDP shares out: launch with "
            "ddp.yaml, or set the adapters' ranks (lora_rank) to 0."
        )


def add_adapter(
    model: PreTrainedModel, rank: int, seed: int, *, has_head: bool = True
) -> PreTrainedModel | PeftModel:
    """Return the model with an adapter on every linear layer; rank 0 changes nothing.

    The vocabulary head stays as it is; a critic's body has none (`has_head`). An
    adapter starts at zero, so that the first update begins at the reference.

    Raises:
        TrainingDataError: The weights are shared out: see `check_adapters`.
    """
    if rank == 0:
        return model
    check_adapters(rank)
    from peft import LoraConfig, get_peft_model

    set_seed(seed % 2**32)  # The adapter's first half is random.
    config = LoraConfig(
        # Without a task, peft passes the body's arguments through unchanged.
        task_type="CAUSAL_LM" if has_head else None,
        r=rank,
        lora_alpha=ALPHA_PER_RANK * rank,
        lora_dropout=0.0,  # dropout would make log pi_theta random
        # Attention and feed-forward alike; peft leaves the vocabulary head out.
        target_modules="all-linear",
    )
    return get_peft_model(model, config)


def merge_adapter(
    model: PreTrainedModel | PeftModel, beginning: Path, *, has_head: bool = True
) -> PreTrainedModel:
    """Return the model with its adapter merged; one without an adapter is unchanged.

    `beginning` is the checkpoint that the training began with. Where the frozen weights
    are bfloat16, it is read again as float32, into the machine's memory.
    """
    from peft import PeftModel

    if not isinstance(model, PeftModel):
        return model
    if next(model.get_base_model().parameters()).dtype == torch.float32:
        return model.merge_and_unload()
    return _move_adapter(model, _load_float32(beginning, has_head)).merge_and_unload()


def _load_float32(directory: Path, has_head: bool) -> PreTrainedModel:
    # A GPU that holds bfloat16 weights may have no room for float32 ones.
    where: dict[str, Any] = {"dtype": torch.float32, "device": torch.device("cpu")}
    if has_head:
        return checkpoints.load_policy_model(directory, **where)
    return checkpoints.load_backbone(directory, **where)[0]


def _move_adapter(model: PeftModel, weights: PreTrainedModel) -> PeftModel:
    """Return the same adapter on other weights."""
    from peft import (
        get_peft_model,
        get_peft_model_state_dict,
        set_peft_model_state_dict,
    )

    moved = get_peft_model(weights, model.peft_config["default"])
    set_peft_model_state_dict(moved, get_peft_model_state_dict(model))
    return moved

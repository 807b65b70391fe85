"""Adapters for a server that keeps the weights that a run began with.

Each phase trains an adapter on the merged weights of the phase before. Their sum is one
adapter of the summed rank, made by concatenating the factors of both:

    s B1 A1 + s B2 A2 = s [B1 B2] [A1; A2],    s = alpha / rank, the same for all

so that the server adds to its own weights what all phases have learnt. A phase that
starts from those weights again has only its own adapter.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file

from training.rl import checkpoints
from training.rl.scale.lora import ALPHA_PER_RANK
from training.rl.training_data import TrainingSpec

if TYPE_CHECKING:
    from peft import LoraConfig, PeftModel
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)

FOLDER = "adapter"
WEIGHTS = "adapter_model.safetensors"
Tensors = dict[str, torch.Tensor]


def save_sum(
    model: PreTrainedModel | PeftModel,
    directory: Path,
    spec: TrainingSpec,
    *,
    beginning: Path,
) -> None:
    """Write what the trained policy adds to `spec.adapter_base`.

    That is this training's adapter, and those before it where the policy at whose
    weights the training began (`beginning`) has learnt them already.

    Nothing is written if no server needs it, if no adapter was trained, or if an
    earlier phase changed the weights themselves.
    """
    if spec.adapter_base is None or spec.config.lora_rank == 0:
        return
    from peft import PeftModel, get_peft_model_state_dict

    if not isinstance(model, PeftModel):
        return
    new: Tensors = get_peft_model_state_dict(model)
    config = model.peft_config["default"]
    if beginning != spec.adapter_base:
        earlier = spec.adapter_before
        try:
            if earlier is None:
                raise checkpoints.CheckpointError("no adapter")
            checkpoints.verify_files(earlier)
            new = add_up(load_file(earlier / WEIGHTS), new)
        except (checkpoints.CheckpointError, OSError) as error:
            log.warning("No adapter is kept: the phase before has none (%s).", error)
            return
    checkpoints.save_adapter(directory / FOLDER, _resize(config, new), new)


def add_up(earlier: Tensors, new: Tensors) -> Tensors:
    """Return one adapter that adds what both add; both have the same layers.

    A is (R, in) and B (out, R), R the adapter's rank.

    Raises:
        CheckpointError: They are of different layers.
    """
    if earlier.keys() != new.keys():
        raise checkpoints.CheckpointError("the adapters are of different layers")
    return {
        name: torch.cat(
            [earlier[name].to(tensor), tensor], dim=0 if "lora_A" in name else 1
        )
        for name, tensor in new.items()
    }


def _resize(config: LoraConfig, tensors: Tensors) -> LoraConfig:
    """The configuration of an adapter of these tensors' rank."""
    from peft import LoraConfig

    rank = next(t.shape[0] for name, t in tensors.items() if "lora_A" in name)
    return LoraConfig(
        task_type=config.task_type,
        r=rank,
        lora_alpha=ALPHA_PER_RANK * rank,
        lora_dropout=0.0,
        target_modules=config.target_modules,
        inference_mode=True,
    )

"""TRL's losses of given log-probabilities, as oracles.

Its trainers compute them inside methods; a stand-in gives each method the settings
that it reads, and takes what it logs.
"""

from __future__ import annotations

import warnings
from unittest.mock import MagicMock

import torch

from training.rl.objectives.grpo import CLIP, KL_WEIGHT
from training.rl.objectives.types import Actions


def grpo_loss(actions: Actions) -> torch.Tensor:
    """The mean loss that TRL's GRPOTrainer has for these actions."""
    from trl import GRPOTrainer

    trainer = MagicMock()
    trainer._get_per_token_logps_and_entropies.return_value = (
        actions.log_probabilities,
        torch.zeros_like(actions.log_probabilities),
        None,
    )
    trainer.configure_mock(
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level="token",
        beta=KL_WEIGHT,
        loss_type="grpo",
        epsilon_low=CLIP,
        epsilon_high=CLIP,
        use_vllm=False,
        current_gradient_accumulation_steps=1,
        _entropy_bonus_enabled=False,
        aux_loss_enabled=False,
    )
    trainer.args.delta = None
    trainer.args.use_bias_correction_kl = False
    trainer.accelerator.gather = lambda tensor: tensor
    tokens = actions.mask.long()
    inputs = {
        "prompt_ids": tokens[:, :0],
        "prompt_mask": tokens[:, :0],
        "completion_ids": tokens,
        "completion_mask": tokens,
        "advantages": actions.advantage,
        "old_per_token_logps": actions.behaviour,
        "ref_per_token_logps": actions.reference,
    }
    loss: torch.Tensor = GRPOTrainer._compute_loss(trainer, None, inputs)
    return loss


def a2po_loss(actions: Actions, beta: float) -> torch.Tensor:
    """The mean loss that TRL's A2POTrainer has for these actions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It says that it may change.
        from trl.experimental.a2po import A2POTrainer

    trainer = MagicMock()
    trainer._get_sequence_logps.return_value = actions.log_probability
    trainer.args.beta2 = beta
    inputs = MagicMock()
    known = {
        "ref_logps": actions.reference.sum(dim=1),
        "rewards": actions.advantage,
        "v_star": torch.zeros_like(actions.advantage),
    }
    inputs.__getitem__.side_effect = lambda name: known.get(name)
    loss: torch.Tensor = A2POTrainer.compute_loss(trainer, None, inputs)
    return loss

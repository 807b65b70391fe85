"""Every number of the method, with its meaning, range and source.

Sources: "paper" is arXiv 2411.02337; "code" is the authors' released training code.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_type_hints

from curriculum.rules.setting import ConfigError, check_range, setting

# What configurations of version 0 called WebRL's two losses.
OLD_VARIANTS = {"paper": "webrl_paper", "reference": "webrl_reference"}


@dataclasses.dataclass(frozen=True)
class WebRLConfig:
    """One phase's training: critic first, policy second."""

    # The policy's update (paper, section 3.1, eq. 5 to 7).
    objective: Literal[
        "webrl_paper",
        "webrl_reference",
        "sft",
        "filtered_bc",
        "filtered_bc_replay",
        "expert_iteration",
        "awr",
        "digirl",
        "grpo",
    ] = setting(
        "webrl_paper",
        "What the policy is trained for: WebRL as published or as released, "
        "imitation, Filtered BC, expert iteration, AWR, DigiRL or M-GRPO.",
    )
    beta: float = setting(
        0.2,
        "Strength of the KL constraint; the log-ratio aims at advantage / beta "
        "(paper eq. 5; swept there, no single value given).",
        low=0.001,
        high=10,
    )
    use_kl: bool = setting(True, "Off: the paper's ablation without the KL constraint.")
    # The advantage (paper, eq. 9).
    gae_lambda: float = setting(
        0.5, "Weight of the one-step advantage (paper eq. 9: 0.5).", low=0, high=1
    )
    # The replay buffer (paper, section 3.3).
    # 1 / probability: a mean token probability between 0.5 and 0.95.
    perplexity_low: float = setting(
        1 / 0.95,
        "Replayed actions with a lower perplexity are too familiar (paper: 1/0.95).",
        low=1,
        high=1000,
    )
    perplexity_high: float = setting(
        1 / 0.5,
        "Replayed actions with a higher perplexity are too hard (paper: 1/0.5).",
        low=1,
        high=1000,
    )
    replay_ratio: float = setting(
        2.0,
        "At most this many replayed steps per step of the phase (paper: 2).",
        low=0,
        high=100,
    )
    use_replay: bool = setting(True, "Off: the paper's ablation without replay.")
    use_demonstrations: bool = setting(
        False,
        "On: each phase also trains on the demonstrations that people kept "
        "in the run, regardless of their perplexity, if the objective uses "
        "replay.",
    )
    # Which steps count: other objectives, and records that do not agree.
    kept_quantile: float = setting(
        0.7,
        "Filtered BC and DigiRL keep episodes at or above this quantile "
        "(Filtered BC: 0.7; DigiRL's code: 0.9).",
        low=0,
        high=1,
    )
    max_record_mismatch: float = setting(
        2.0,
        "Steps whose recorded log-probability differs from the reference's by more, "
        "in nats of the whole action, are left out and counted.",
        low=0,
        high=1000,
    )
    # Options that the paper does not have, all off.
    far_rows: Literal["squared", "huber"] = setting(
        "squared",
        "squared: the paper's loss (eq. 7). huber: an error above 1 counts linearly, "
        "so that a few far actions do not set the direction.",
    )
    cap_targets: bool = setting(
        False,
        "On: advantages are capped at beta * -log pi_ref of the action, so "
        "that none asks for a probability above 1.",
    )
    min_advantage: float = setting(
        0.0,
        "Steps whose advantage is nearer to 0 than this are left out and counted; "
        "in webrl_reference 0.2 leaves out most steps of failures.",
        low=0,
        high=1,
    )
    augmented_copies: int = setting(
        0,
        "Train also on this many copies of each step, with other names and numbers "
        "in instruction, page and action, so that a small model learns to copy them.",
        low=0,
        high=100,
    )
    skip_familiar_copies: bool = setting(
        False,
        "On: copies of good steps with a perplexity below perplexity_low are left "
        "out, as in replay: they take as much time as others and teach little.",
    )
    learning_rate_schedule: Literal["constant", "linear", "cosine"] = setting(
        "constant",
        "How the policy's learning rate falls to 0 over the phase (paper: constant).",
    )
    max_kl: float = setting(
        0.0,
        "Stop the policy's update once a step's mean KL to the reference exceeds "
        "this, in nats; 0 never stops.",
        low=0,
        high=1000,
    )
    # How training is computed; none of these changes the objective.
    save_every_s: float = setting(
        60.0,
        "Seconds between two checkpoints of a running training; one is also "
        "written when it is stopped.",
        low=0,
        high=86400,
    )
    lora_rank: int = setting(
        0,
        "Rank of the adapters that the policy's update trains; 0 trains all weights "
        "(paper).",
        low=0,
        high=1024,
    )
    critic_lora_rank: int = setting(
        0,
        "Rank of the adapters that the critic's update trains in addition to "
        "its heads; 0 trains all weights (paper).",
        low=0,
        high=1024,
    )
    gradient_checkpointing: bool = setting(
        False,
        "On: activations are recomputed instead of stored; less memory, "
        "about a third more time.",
    )
    precision: Literal["auto", "native", "float32", "bfloat16"] = setting(
        "auto",
        "Number format of forward and backward passes; auto is bfloat16 on a "
        "GPU, float32 elsewhere; native is bfloat16 also on processors that "
        "multiply it. Weights and optimiser stay float32.",
    )
    frozen_weights: Literal["float32", "bfloat16"] = setting(
        "float32",
        "Number format of the weights that adapters leave unchanged, while training; "
        "bfloat16 halves their memory and applies where passes are bfloat16. Saved "
        "weights are float32.",
    )
    # Optimisation (paper, table 6). The critic first, then the policy.
    policy_learning_rate: float = setting(
        1e-6, "Constant (paper, table 6: 1e-6 for 8B).", low=0, high=1
    )
    policy_epochs: int = setting(
        1, "Passes over the phase (paper: 1).", low=0, high=100
    )
    critic_learning_rate: float = setting(
        1e-6, "Constant (paper, table 6: 1e-6 for 8B).", low=0, high=1
    )
    critic_epochs: int = setting(
        1, "Passes over the phase (paper: 1).", low=0, high=100
    )
    batch_size: int = setting(
        128, "Transitions per optimiser step (paper: 128).", low=1, high=4096
    )
    micro_batch_size: int = setting(
        1, "Transitions per forward and backward pass; divides batch_size.", low=1
    )
    micro_batch_tokens: int = setting(
        4096,
        "Maximum tokens of one scoring pass, padding included.",
        low=256,
        high=10**7,
    )
    max_gradient_norm: float = setting(1.0, "Paper: 1.0.", low=0, high=1000)
    max_prompt_tokens: int = setting(
        16384, "The page is cut so that the prompt fits (paper: 16,384).", low=128
    )
    max_action_tokens: int = setting(
        512, "Longest action that is trained on (code: 512).", low=8
    )

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field and the range."""
        for field in dataclasses.fields(self):
            check_range(field, getattr(self, field.name))
        for name, choices in _choices().items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}.")
        if self.batch_size % self.micro_batch_size:
            raise ConfigError("batch_size must be a multiple of micro_batch_size.")
        if self.perplexity_low > self.perplexity_high:
            raise ConfigError("perplexity_low must not exceed perplexity_high.")


@functools.cache
def _choices() -> dict[str, tuple[str, ...]]:
    """Return the words that a field may have, by its name."""
    hints = get_type_hints(WebRLConfig)
    found = {name: get_args(hint) for name, hint in hints.items()}
    return {name: words for name, words in found.items() if words}


def upgrade_algorithm(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored settings under their present names."""
    found = dict(data)
    variant = found.pop("variant", None)
    if variant is not None:
        found.setdefault("objective", OLD_VARIANTS.get(variant, variant))
    return found

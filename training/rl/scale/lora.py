"""Low-rank adapters: train a few weights added to frozen ones (arXiv 2106.09685).

    W' = W + (alpha / rank) B A,    A random, B = 0 at the start

Deviation from the paper, which trains all weights: an option, off unless a rank is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transformers import set_seed

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

# The usual scaling: alpha / rank = 2 for every rank.
ALPHA_PER_RANK = 2


def add_adapter(
    model: PreTrainedModel, rank: int, seed: int, *, has_head: bool = True
) -> PreTrainedModel | PeftModel:
    """Return the model with an adapter on every linear layer; rank 0 changes nothing.

    The vocabulary head stays as it is; a critic's body has none (`has_head`). An
    adapter starts at zero, so that the first update begins at the reference.
    """
    if rank == 0:
        return model
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


def merge_adapter(model: PreTrainedModel | PeftModel) -> PreTrainedModel:
    """Return the model with its adapter merged; one without an adapter is unchanged."""
    from peft import PeftModel

    return model.merge_and_unload() if isinstance(model, PeftModel) else model

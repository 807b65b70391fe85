"""Shape of the starter models: a small Llama."""

from __future__ import annotations

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

VOCABULARY_SIZE = 1536  # V
HIDDEN_SIZE = 128  # H
LAYERS = 4
HEADS = 4  # of 32 dimensions each
FEED_FORWARD_SIZE = 384
MAX_TOKENS = 2048  # T: a page of 1,024, a history and an action

# Initial standard deviations. transformers' 0.02 suits wide models: at width 128 the
# attention scores and the tied logits start near zero and stay there for many steps.
EMBEDDING_STD = 0.12
QUERY_KEY_BIAS_STD = 0.5
# Sublayers begin as small corrections of the residual stream.
INTO_RESIDUAL = 0.3


def new_model(seed: int, **ids: int) -> LlamaForCausalLM:
    """A randomly initialised causal language model of about a million parameters.

    Args:
        seed: Seed of the weights.
        ids: Token ids of the configuration: bos_token_id, eos_token_id, pad_token_id.
    """
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY_SIZE,
        hidden_size=HIDDEN_SIZE,
        intermediate_size=FEED_FORWARD_SIZE,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=MAX_TOKENS,
        # One table for input and output: a label that was read can be copied at once.
        tie_word_embeddings=True,
        # Attention by position alone needs queries and keys independent of the tokens.
        attention_bias=True,
        **ids,
    )
    model = LlamaForCausalLM(config)
    _initialise(model)
    return model


@torch.no_grad()
def _initialise(model: nn.Module) -> None:
    """Set weights of unit gain, and biases with which heads attend by position only."""
    for name, weight in model.named_parameters():
        if "embed" in name:
            weight.normal_(0, EMBEDDING_STD)
        elif weight.ndim == 2:
            # Unit gain: variance 1 / fan-in.
            weight.normal_(0, weight.shape[1] ** -0.5)
            if "o_proj" in name or "down_proj" in name:
                weight.mul_(INTO_RESIDUAL)
        elif name.endswith(("q_proj.bias", "k_proj.bias")):
            weight.normal_(0, QUERY_KEY_BIAS_STD)

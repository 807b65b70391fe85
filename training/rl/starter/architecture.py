"""Shape of the starter models: a small Llama."""

from __future__ import annotations

from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

VOCABULARY_SIZE = 1536
HIDDEN_SIZE = 128
LAYERS = 4
HEADS = 4
FEED_FORWARD_SIZE = 384
MAX_TOKENS = 2048


def new_model(seed: int, **ids: int) -> Any:
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
        tie_word_embeddings=True,
        **ids,
    )
    return LlamaForCausalLM(config)

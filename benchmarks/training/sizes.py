"""Models of three sizes with random weights, and the steps that they train on."""

from __future__ import annotations

import dataclasses
import random

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from training.rl.encoding import Example

PAD, BOS, EOS = 0, 1, 2
SHORTEST, LONGEST = 105, 797  # tokens of a step, as the sandbox's are
ACTION_SHARE = 20  # one token in 20 is the action's


@dataclasses.dataclass(frozen=True, slots=True)
class Size:
    """A model's shape, and the amount of work that a benchmark can afford with it.

    Attributes:
        name: As shown in the records.
        vocabulary, width, feed_forward, layers, heads, key_value_heads: Of a Llama.
        steps: Steps to train on.
        batch: Steps of an optimiser step.
        micro_batch: Steps of a forward and backward pass.
        rounds: Repetitions.
    """

    name: str
    vocabulary: int
    width: int
    feed_forward: int
    layers: int
    heads: int
    key_value_heads: int
    steps: int
    batch: int
    micro_batch: int
    rounds: int

    def build(self) -> LlamaForCausalLM:
        """The model with random weights, the same each time."""
        torch.manual_seed(0)
        return LlamaForCausalLM(
            LlamaConfig(
                vocab_size=self.vocabulary,
                hidden_size=self.width,
                intermediate_size=self.feed_forward,
                num_hidden_layers=self.layers,
                num_attention_heads=self.heads,
                num_key_value_heads=self.key_value_heads,
                max_position_embeddings=2048,
                tie_word_embeddings=True,
                pad_token_id=PAD,
                bos_token_id=BOS,
                eos_token_id=EOS,
            )
        )

    def examples(self) -> list[Example]:
        """Steps of random tokens, of which about 5 % are the action."""
        rng = random.Random(0)
        found = []
        for _ in range(self.steps):
            length = rng.randint(SHORTEST, LONGEST)
            ids = tuple(rng.randrange(EOS + 1, self.vocabulary) for _ in range(length))
            found.append(Example(ids, length - max(8, length // ACTION_SHARE)))
        return found


SIZES = (
    # The starter's shape.
    Size("1M", 1536, 128, 384, 4, 4, 4, steps=192, batch=64, micro_batch=8, rounds=3),
    Size("5M", 4096, 256, 768, 5, 4, 4, steps=192, batch=64, micro_batch=8, rounds=3),
    # SmolLM2-135M's shape.
    Size(
        "135M", 49152, 576, 1536, 30, 9, 3, steps=48, batch=16, micro_batch=4, rounds=1
    ),
)

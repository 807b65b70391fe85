"""Controls: what a policy reaches without any training.

A rise that adding a number to one logit also reaches is not learning.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from training.rl.encoding import Encoder

EXIT_CALL = 'exit(message="'


def first_exit_token(encoder: Encoder) -> int:
    """The token that begins an `exit` call."""
    return encoder.encode_action(EXIT_CALL)[0]


class FirstTokenBias(nn.Module):
    """A model whose first answer token gets a number added to some logits.

    Only the forward pass that reads a prompt is changed (it has no cache yet), so the
    rest of an answer is sampled as usual.
    """

    def __init__(self, model: Any, bias: dict[int, float]) -> None:
        """Wrap a model.

        Args:
            model: A causal language model.
            bias: Nats to add to the logit of each token id.
        """
        super().__init__()
        self.inner = model
        self._tokens = torch.tensor(sorted(bias))
        self._nats = torch.tensor([bias[token] for token in sorted(bias)])

    def forward(self, **inputs: Any) -> Any:
        """The model's output, biased where an answer begins."""
        result = self.inner(**inputs)
        if inputs.get("past_key_values") is None:
            logits = result.logits.clone()  # (B, ends of prompts, V)
            logits[..., self._tokens] += self._nats.to(logits)
            result.logits = logits
        return result

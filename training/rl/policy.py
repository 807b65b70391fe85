"""Log-probabilities of actions under a causal language model.

log pi(a | s, I) is the sum over the action's tokens (paper, section 3.1). The
vocabulary head runs only where the next token belongs to the action: with a 128k
vocabulary and a 4,096-token page that is 0.3 GB instead of 6 GB. The model is called
through its own `forward`, so that wrappers around it (mixed precision, FSDP,
DeepSpeed, adapters) do their work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import nn
from torch.nn import functional

from training.rl.batching import Batch
from training.rl.scale.last_layer import Places, reading_only


class CausalLMOutput(Protocol):
    """What a causal language model returns."""

    @property
    def logits(self) -> torch.Tensor:
        """The head's output: (B, T, V), or (N, V) of N chosen positions."""
        ...


class CausalLM(Protocol):
    """A transformers causal language model, or a wrapper around one."""

    def __call__(
        self,
        *,
        input_ids: torch.Tensor,
        use_cache: bool,
    ) -> CausalLMOutput:
        """Return what holds the head's logits."""
        ...

    def modules(self) -> Iterator[nn.Module]:
        """Every module, the outermost first."""
        ...

    def parameters(self) -> Iterator[nn.Parameter]:
        """Every weight."""
        ...

    def eval(self) -> object:
        """Switch off dropout and similar layers."""
        ...


def selected_logits(model: CausalLM, batch: Batch, places: Places) -> torch.Tensor:
    """The head's logits of only the chosen positions, (N, V).

    Args:
        model: Any causal language model, wrapped or not.
        batch: Token ids, (B, T).
        places: Row and column of each position whose logits are wanted, both (N,).
    """
    with reading_only(model, places), _before_head(find_head(model), places):
        # No mask: padding is on the right, where no token looks. Attention then uses
        # its causal kernel, which computes half of the scores.
        found = model(input_ids=batch.ids, use_cache=False)
    # log_softmax in bfloat16 has steps of 0.03 nats near 5: too coarse for a ratio.
    return found.logits.float()  # (N, V)


def find_head(model: CausalLM) -> nn.Module:
    """Find the vocabulary head, through any wrappers around the model."""
    for module in model.modules():
        ask = getattr(module, "get_output_embeddings", None)
        if callable(ask):
            head: nn.Module = ask()
            return head
    raise TypeError(f"{type(model).__name__} has no vocabulary head.")


@contextmanager
def _before_head(head: nn.Module, places: Places) -> Iterator[None]:
    """Let the head see only the hidden states at `places`, (N, H)."""
    handle = head.register_forward_pre_hook(lambda _, inputs: (inputs[0][places],))
    try:
        yield
    finally:
        handle.remove()


def token_log_probabilities(
    model: CausalLM, batch: Batch
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of the action tokens.

    Args:
        model: Any transformers causal language model.
        batch: Prompts with their actions, (B, T).

    Returns:
        The log-probabilities, flat over all action tokens of the batch, (N,), and
        the row each belongs to, (N,).
    """
    mask = batch.action_mask  # (B, T - 1)
    # The hidden state before a token predicts it.
    places = mask.nonzero(as_tuple=True)  # (N,), (N,)
    logits = selected_logits(model, batch, places)  # (N, V)
    targets = batch.ids[:, 1:][mask]  # (N,)
    log_probabilities = -functional.cross_entropy(logits, targets, reduction="none")
    rows = torch.arange(len(batch.index), device=mask.device)[:, None]
    return log_probabilities, rows.expand_as(mask)[mask]


def action_log_probabilities(
    model: CausalLM, batch: Batch
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each token of each action, and where there is a token.

    Returns:
        Log-probabilities, 0 where there is no token, and the mask; both (B, A), where
        A is the length of the longest action. A row's sum is log pi(a | s, I).
    """
    values, rows = token_log_probabilities(model, batch)  # (N,), (N,)
    counts = torch.bincount(rows, minlength=len(batch.index))  # (B,)
    columns = torch.arange(int(counts.max()), device=values.device)  # (A,)
    mask = columns[None, :] < counts[:, None]  # (B, A)
    # Both are ordered by row, then by position, so that the masked places match.
    padded = torch.zeros(mask.shape, device=values.device).masked_scatter(mask, values)
    return padded, mask


def switch_off_dropout(model: nn.Module) -> None:
    """Set every probability of dropout to 0, in whatever form a model keeps it.

    log pi_ref is computed without dropout: with it, log pi_theta would be random, and
    a log-ratio would not begin at 0. The saved configuration stays as it is.
    """
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        # Some layers keep a number that they pass on to a function.
        for name, value in list(vars(module).items()):
            if "drop" in name and isinstance(value, float):
                setattr(module, name, 0.0)

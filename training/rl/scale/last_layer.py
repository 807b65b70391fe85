"""Runs the last layer's feed-forward part only where its output is read.

Later tokens attend to what the other layers make of a token, and nothing attends to the
output of the last one: there, only the positions matter that the head reads, which are
an action's tokens (about 5 % of a step), or the last token for a value or a verdict.
What is read is the same; the output elsewhere is not to be used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch import nn

# Row and column of each position that is read, both (N,).
Places = tuple[torch.Tensor, ...]


class Model(Protocol):
    """A transformers model, or a wrapper around one."""

    def modules(self) -> Iterator[nn.Module]:
        """Every module, the outermost first."""
        ...


@contextmanager
def reading_only(model: Model, places: Places) -> Iterator[None]:
    """Let forward passes inside compute the last layer's output only at `places`.

    A model whose last layer has no `mlp`, or computes its activations again in the
    backward pass, when this context has ended, runs as usual.
    """
    layer = find_last_layer(model)
    part = getattr(layer, "mlp", None)
    if not isinstance(part, nn.Module) or _computes_again(layer):
        yield
        return
    shapes: list[torch.Size] = []

    def choose(_: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        hidden = inputs[0]  # (B, T, H)
        shapes.append(hidden.shape)
        return (hidden[places][None], *inputs[1:])  # (1, N, H)

    def put_back(_: nn.Module, inputs: Any, output: Any) -> Any:
        # Some mixtures of experts return their router's scores, which nobody reads.
        found, *more = output if isinstance(output, tuple) else (output,)
        whole = found.new_zeros(shapes.pop())  # (B, T, H)
        whole = whole.index_put(places, found[0])
        return (whole, *more) if more else whole

    handles = (
        part.register_forward_pre_hook(choose),
        part.register_forward_hook(put_back),
    )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def find_last_layer(model: Model) -> nn.Module | None:
    """Return the decoder's last layer, through any wrappers; None if there is none."""
    for module in model.modules():
        ask = getattr(module, "get_decoder", None)
        if callable(ask):
            layers = getattr(ask(), "layers", None)
            return layers[-1] if isinstance(layers, nn.ModuleList) and layers else None
    return None


def _computes_again(layer: nn.Module | None) -> bool:
    """Whether a backward pass would repeat the layer's forward pass."""
    if not torch.is_grad_enabled():
        return False
    # transformers' flag, and the wrapper of torch that FSDP's setting puts around it.
    return bool(getattr(layer, "gradient_checkpointing", False)) or hasattr(
        layer, "_checkpoint_wrapped_module"
    )

"""Models that nobody asks leave the device, so that a training has it for itself.

A training is a process of its own, on the same device. What a worker has loaded there
to act, to score or to write instructions would take its room.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, Protocol

import torch


class Movable(Protocol):
    """A module, as far as it is moved."""

    def parameters(self) -> Any:
        """Return an iterator over its tensors."""
        ...

    def to(self, device: torch.device, /) -> Any:
        """Move every tensor."""
        ...


def give_back() -> None:
    """Return what PyTorch keeps for later tensors to the device."""
    gc.collect()
    torch.cuda.empty_cache()


def find_device(model: Movable) -> torch.device:
    """Return where the model's weights lie."""
    device: torch.device = next(model.parameters()).device
    return device


def leave_device(model: Movable, *, give_back: Callable[[], None] = give_back) -> None:
    """Move the weights to the machine's memory; on the CPU nothing happens."""
    if find_device(model).type == "cpu":
        return
    model.to(torch.device("cpu"))
    give_back()


def return_to_device(model: Movable, device: torch.device) -> None:
    """Move the weights back to where they were."""
    if find_device(model) != device:
        model.to(device)

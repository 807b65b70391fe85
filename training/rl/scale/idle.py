"""Moves unused models off the device, so that a training has all of its memory.

A training is a separate process on the same device. Models that a worker has loaded
there to act, to score or to write instructions would take memory from it.
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
    """Return the device that holds the model's weights."""
    device: torch.device = next(model.parameters()).device
    return device


def leave_device(model: Movable, *, give_back: Callable[[], None] = give_back) -> None:
    """Move the weights to main memory; on the CPU nothing happens."""
    if find_device(model).type == "cpu":
        return
    model.to(torch.device("cpu"))
    give_back()


def return_to_device(model: Movable, device: torch.device) -> None:
    """Move the weights back to where they were."""
    if find_device(model) != device:
        model.to(device)

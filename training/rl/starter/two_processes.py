"""Gradients of one batch from two processes.

At a million parameters most of a step is many small operations, which two threads
share badly: two processes of one thread each are half as fast again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import torch

from training.rl.starter import attention
from training.rl.starter.curricula.sequences import MaskedSequence, masked_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class TwoProcesses:
    """Half of each batch here, half in a child that shares the model's memory."""

    def __init__(self, model: PreTrainedModel) -> None:
        """Move the model to shared memory and start the child."""
        self._model = model.share_memory()
        self._attention = model.config._attn_implementation
        model.set_attn_implementation(attention.NAME)
        # Shared memory: the child writes gradients where the parent reads them.
        self._gradients = [torch.zeros_like(p) for p in _wanted(model)]
        for gradient in self._gradients:
            gradient.share_memory_()  # type: ignore[no-untyped-call]
        context = torch.multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(
            target=_serve, args=(model, self._gradients, theirs), daemon=True
        )
        self._child.start()

    def backward(self, rows: Sequence[MaskedSequence]) -> tuple[float, float]:
        """Put the mean gradient of both halves into `.grad`.

        Args:
            rows: The batch, at least two sequences.

        Returns:
            Loss and accuracy, each the mean of both halves'.
        """
        # Alternating rows, since some curricula put one kind before the other.
        self._pipe.send(rows[1::2])
        loss, accuracy = _backward(self._model, rows[::2])
        other_loss, other_accuracy = self._pipe.recv()
        for parameter, other in zip(_wanted(self._model), self._gradients, strict=True):
            parameter.grad.add_(other).mul_(0.5)  # mean of both halves
        return (loss + other_loss) / 2, (accuracy + other_accuracy) / 2

    def __enter__(self) -> Self:
        """Nothing more to start."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the child; the model attends again as it did."""
        self._model.set_attn_implementation(self._attention)
        self._pipe.close()
        self._child.join(10)
        if self._child.is_alive():
            self._child.terminate()


def _serve(
    model: PreTrainedModel, gradients: list[torch.Tensor], pipe: Connection
) -> None:
    torch.set_num_threads(1)
    model.train()
    with contextlib.suppress(EOFError, OSError):  # the parent has ended
        while True:
            result = _backward(model, pipe.recv())
            for kept, parameter in zip(gradients, _wanted(model), strict=True):
                kept.copy_(parameter.grad)
            pipe.send(result)


def _backward(
    model: PreTrainedModel, rows: Sequence[MaskedSequence]
) -> tuple[float, float]:
    """Gradients of the mean over short and long rows, each padded by themselves."""
    model.zero_grad()
    ordered = sorted(rows, key=lambda row: len(row.ids))
    middle = (len(ordered) + 1) // 2
    chunks = [chunk for chunk in (ordered[:middle], ordered[middle:]) if chunk]
    losses, accuracies = [], []
    for chunk in chunks:
        loss, accuracy = masked_loss(model, chunk)
        torch.autograd.backward(loss / len(chunks))
        losses.append(float(loss.detach()))
        accuracies.append(accuracy)
    return sum(losses) / len(chunks), sum(accuracies) / len(chunks)


def _wanted(model: PreTrainedModel) -> list[Any]:
    return [p for p in model.parameters() if p.requires_grad]

"""Length-bucketed batches under a token budget.

Sorting by length before cutting into micro-batches keeps padding low. The shuffled
order of optimiser steps is `training.rl.trainers.BucketedSampler`'s.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch

from training.rl.encoding import Example


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """Right-padded examples.

    Attributes:
        index: Positions in the dataset, (B,).
        ids: Token ids, (B, T).
        lengths: Tokens of each row, (B,).
        prompt_lengths: Prompt tokens of each row, (B,).
    """

    index: list[int]  # (B,)
    ids: torch.Tensor  # (B, T)
    lengths: torch.Tensor  # (B,)
    prompt_lengths: torch.Tensor  # (B,)

    @property
    def attention_mask(self) -> torch.Tensor:
        """1 for tokens, 0 for padding; (B, T)."""
        steps = torch.arange(self.ids.shape[1], device=self.ids.device)  # (T,)
        return (steps[None, :] < self.lengths[:, None]).long()  # (B, T)

    @property
    def action_mask(self) -> torch.Tensor:
        """True at positions whose NEXT token belongs to the action; (B, T - 1)."""
        # Column t predicts token t + 1, so that the mask has one column less than ids.
        steps = torch.arange(1, self.ids.shape[1], device=self.ids.device)[None, :]
        return (steps >= self.prompt_lengths[:, None]) & (steps < self.lengths[:, None])


def collate(
    examples: Sequence[Example],
    index: Sequence[int],
    *,
    pad_id: int,
    device: torch.device | str = "cpu",
) -> Batch:
    """Pad the chosen examples on the right to the longest of them."""
    rows = [examples[i] for i in index]
    longest = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), longest), pad_id, dtype=torch.long)  # (B, T)
    for position, row in enumerate(rows):
        ids[position, : len(row.ids)] = torch.tensor(row.ids)
    lengths = torch.tensor([len(row.ids) for row in rows])  # (B,)
    prompts = torch.tensor([row.prompt_length for row in rows])  # (B,)
    return Batch(list(index), ids.to(device), lengths.to(device), prompts.to(device))


def split_by_budget(
    lengths: Sequence[int], index: Sequence[int], budget: int
) -> list[list[int]]:
    """Cut `index` into micro-batches of at most `budget` padded tokens each.

    A single row longer than the budget becomes a micro-batch of its own.
    """
    batches: list[list[int]] = []
    current: list[int] = []
    longest = 0
    # A micro-batch costs rows * longest row: rows of similar length waste least.
    for i in sorted(index, key=lambda i: lengths[i]):
        longest_with = max(longest, lengths[i])
        if current and longest_with * (len(current) + 1) > budget:
            batches.append(current)
            current, longest_with = [], lengths[i]
        current.append(i)
        longest = longest_with
    if current:
        batches.append(current)
    return batches


def fit_batch_size(batch_size: int, micro_batch_size: int, rows: int) -> int:
    """Return a smaller batch size if all rows would fill fewer than four batches.

    It is a multiple of the micro-batch. A single optimiser step would only warm up.
    """
    most = max(rows // 4 // micro_batch_size * micro_batch_size, micro_batch_size)
    fitting = min(batch_size, most) // micro_batch_size * micro_batch_size
    return max(fitting, micro_batch_size)

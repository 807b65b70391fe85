"""Several processes of one training: who writes, and how rows are dealt out."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence

import torch
import torch.distributed as dist

# The first process values and scores all steps alone, for hours where a model is large;
# torch gives the others up after 10 minutes (NCCL) or 30 (gloo).
MAX_WAIT = datetime.timedelta(hours=24)


def count_processes() -> int:
    """Processes of this training, as the launcher says; 1 without one."""
    # torchrun and accelerate set WORLD_SIZE, RANK and LOCAL_RANK.
    return int(os.environ.get("WORLD_SIZE", "1"))


def start() -> None:
    """Let the processes know each other; nothing to do for one alone."""
    if count_processes() > 1 and not dist.is_initialized():
        on_gpu = torch.cuda.is_available()
        if on_gpu:
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        backend = "nccl" if on_gpu else "gloo"
        dist.init_process_group(backend, timeout=MAX_WAIT)


def agree(*flags: bool) -> list[bool]:
    """Return each flag as true where any process says so, the same for all.

    Processes that stop or save at different steps would wait for each other for ever.
    """
    if not dist.is_initialized():
        return list(flags)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = torch.tensor([float(flag) for flag in flags], device=device)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)  # the maximum of 0 and 1 is OR
    return [value > 0 for value in found.tolist()]


def wait_for_all() -> None:
    """Return once every process is here."""
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def pad_to_multiple(positions: Sequence[int], size: int, offset: int) -> list[int]:
    """Positions and, behind them, rows that weigh nothing, so that `size` divides them.

    A padding row is the first position plus `offset`: the dataset holds each row
    twice, and the second time it does not count.
    """
    missing = -len(positions) % size  # 0 to size - 1
    return [*positions, *[positions[0] + offset] * missing]

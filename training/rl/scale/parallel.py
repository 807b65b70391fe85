"""Several processes of one training: who writes, and how work is shared out."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist

# The first process saves the whole weights while the others wait, and one share of the
# scoring may last longer than another; torch's own limit is 10 minutes (NCCL).
MAX_WAIT = datetime.timedelta(hours=4)


def count_processes() -> int:
    """Return the number of processes that the launcher states; 1 without a launcher."""
    # torchrun and accelerate set WORLD_SIZE, RANK and LOCAL_RANK.
    return int(os.environ.get("WORLD_SIZE", "1"))


def find_rank() -> int:
    """Return which of the processes this one is, from 0."""
    return int(os.environ.get("RANK", "0"))


def start() -> None:
    """Connect the processes; nothing to do for a single one."""
    if count_processes() > 1 and not dist.is_initialized():
        on_gpu = torch.cuda.is_available()
        if on_gpu:
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        backend = "nccl" if on_gpu else "gloo"
        dist.init_process_group(backend, timeout=MAX_WAIT)


def end() -> None:
    """Disconnect from the other processes, at the end of all work.

    A process that ends without this may be aborted by a thread that still waits.
    """
    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def agree(*flags: bool) -> list[bool]:
    """Return each flag as true if it is true in any process, the same for all.

    Processes that stop or save at different steps would wait for each other forever.
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


def share_out(
    costs: Sequence[int],
    sizes: Sequence[int],
    compute: Callable[[list[int]], Sequence[Sequence[float]]],
) -> list[tuple[float, ...]]:
    """Compute numbers of each row, each row in one process; every process gets all.

    Args:
        costs: The cost of each row, such as its tokens; divided evenly.
        sizes: How many numbers each row has.
        compute: Takes the positions of this process, and returns their numbers.

    Returns:
        The numbers of every row, in order, the same in all processes.
    """
    if count_processes() == 1:
        return [tuple(row) for row in compute(list(range(len(costs))))]
    # By cost, so that neighbours in cost go to different processes.
    order = sorted(range(len(costs)), key=lambda position: costs[position])
    own = order[find_rank() :: count_processes()]
    return _put_together(sizes, dict(zip(own, compute(own), strict=True)))


def _put_together(
    sizes: Sequence[int], own: dict[int, Sequence[float]]
) -> list[tuple[float, ...]]:
    """Return the numbers of all rows, from those that each process has."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # N numbers, 0 where they are another process's: a sum with zeros is exact.
    flat = torch.zeros(sum(sizes), dtype=torch.float64)  # (N,)
    parts = torch.split(flat, list(sizes))  # views, one a row
    for position, numbers in own.items():
        parts[position].copy_(torch.tensor(numbers, dtype=torch.float64))
    flat = flat.to(device)
    if len(flat):
        dist.all_reduce(flat)
    return [tuple(part.tolist()) for part in torch.split(flat.cpu(), list(sizes))]


def pad_to_multiple(positions: Sequence[int], size: int, offset: int) -> list[int]:
    """Return positions, padded with rows of no weight to a multiple of `size`.

    A padding row is the first position plus `offset`: the dataset holds each row
    twice, and the second time it does not count.
    """
    missing = -len(positions) % size  # 0 to size - 1
    return [*positions, *[positions[0] + offset] * missing]

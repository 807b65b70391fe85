"""The table of the benchmark.

For each size of model: the policy's update and imitation, compared with a plain padded
loop and TRL's `SFTTrainer`. Then the memory of the vocabulary head compared with the
full log-softmax, the reward model's scoring with a bare batched forward pass, and a
phase's scoring by two processes with scoring by one.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

from benchmarks.records import Record
from benchmarks.training import head, scoring, sharing, updates
from benchmarks.training.sizes import SIZES, Size

ROUNDS = 3


def measure_all() -> list[Record]:
    """All records."""
    records = [record for size in SIZES for record in measure_updates(size)]
    shared = [sharing.measure(size, size.rounds) for size in SIZES]
    return [*records, head.measure(), scoring.measure(ROUNDS), *shared]


def measure_updates(size: Size) -> list[Record]:
    """Tokens a second of our two trainers, compared with two others."""
    kinds: dict[str, Callable[[Size], float]] = {
        "update": updates.time_update,
        "imitation": updates.time_imitation,
        "plain": updates.time_plain_loop,
        "trl": updates.time_sft_trainer,
    }
    speeds: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(size.rounds):
        # Alternating, so that other load on the machine affects all of them equally.
        for name, work in kinds.items():
            speeds[name].append(work(size))
    found = {name: statistics.median(values) for name, values in speeds.items()}
    pairs = [
        ("update beside a plain loop", "update", "plain"),
        ("update beside SFTTrainer", "update", "trl"),
        ("imitation beside a plain loop", "imitation", "plain"),
        ("imitation beside SFTTrainer", "imitation", "trl"),
    ]
    return [
        Record(
            f"{size.name}, {title}", found[ours], found[other], "tokens/s", size.rounds
        )
        for title, ours, other in pairs
    ]

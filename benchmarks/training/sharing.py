"""A phase's scoring by two processes compared with one, of one thread each.

The processes are started as a training's are, and score this module's examples with a
model each: `python -m torch.distributed.run ... -m benchmarks.training.sharing SIZE`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from benchmarks.records import Record
from benchmarks.training.sizes import PAD, SIZES, Size
from training.rl.phase.scoring import score_together
from training.rl.process import leave
from training.rl.scale import parallel

PROCESSES = 2
BUDGET = 8192  # tokens of a pass, padding included


def measure(size: Size, rounds: int) -> Record:
    """Milliseconds an action, alternating between both numbers of processes."""
    seconds: dict[int, list[float]] = {1: [], PROCESSES: []}
    for _ in range(rounds):
        for processes, found in seconds.items():
            found.append(_start(size, processes))
    one, several = (
        1000 * statistics.median(found) / size.steps for found in seconds.values()
    )
    title = f"{size.name}, scoring by {PROCESSES} processes beside one, an action"
    return Record(title, several, one, "ms", rounds)


def _start(size: Size, processes: int) -> float:
    """Return the seconds that the first of the processes measured."""
    launcher = ["torch.distributed.run", "--standalone", "--nproc_per_node"]
    command = [*launcher, str(processes), "-m", __name__, size.name]
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])


def score(size: Size) -> float:
    """Return the seconds until every process has all numbers."""
    parallel.start()
    model, examples = size.build(), size.examples()
    parallel.wait_for_all()
    began = time.perf_counter()
    score_together(
        model,
        examples,
        pad_id=PAD,
        budget=BUDGET,
        precision="float32",
        on_progress=lambda done, total: None,
    )
    seconds = time.perf_counter() - began
    parallel.end()
    return seconds


if __name__ == "__main__":
    seconds = score(next(size for size in SIZES if size.name == sys.argv[1]))
    if parallel.find_rank() == 0:
        sys.stdout.write(f"{seconds}\n")
    leave(0)

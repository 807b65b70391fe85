"""Train a reward model on the outcomes of recorded episodes.

The training is the product's own.

`python -m benchmarks.learning.refresh MODEL OUT FOLDER...` takes every episode of the
benchmark's FOLDERs with the evaluators' outcome, and leaves the weights in OUT/orm.
`--shuffle` shuffles the outcomes, which is the control.
`python -m benchmarks.learning.judging` measures how the result judges other episodes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import read_rows
from benchmarks.learning.loop import SETTINGS, shuffle_rewards
from benchmarks.learning.processes import start_module
from rollouts.sites.sandbox.catalog import TEMPLATES
from training.rl.orm.data import ROWS, WEIGHTS
from training.rl.training_data import SPEC, write_lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, train, print where the weights are."""
    given = _parse(arguments)
    rows = [row for folder in given.folders for row in read_rows(folder)]
    if given.shuffle:
        rows = shuffle_rewards(rows, given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    write_lines(given.out / ROWS, as_verdicts(rows))
    spec = {
        "base": str(given.model.absolute()),
        "seed": given.seed,
        "orm": {"learning_rate": given.learning_rate, "epochs": given.epochs},
        "algorithm": {**SETTINGS, "batch_size": given.batch_size},
    }
    (given.out / SPEC).write_text(json.dumps(spec))
    log = given.out / "output.log"
    training = start_module(
        "training.rl.orm.train", [str(given.out)], log=log, threads=2
    )
    if code := training.wait():
        print(f"Training failed; see {log}.")
        return code
    print(given.out / WEIGHTS)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shuffle", action="store_true")
    return parser.parse_args(arguments)


def as_verdicts(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The trainer's lines; none is held out: `judging` measures on other episodes."""
    return [
        {
            "trajectory_id": number,
            "instruction": row["trajectory"]["instruction"],
            "actions": [s["output"] for s in row["trajectory"]["transitions"]],
            "final_observation": row["trajectory"]["final_observation"],
            "site": TEMPLATES[row["template"]].site.key,
            "is_success": bool(row["outcome"]),
            "is_held_out": False,
        }
        for number, row in enumerate(rows)
    ]


if __name__ == "__main__":
    raise SystemExit(main())

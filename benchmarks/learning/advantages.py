"""Where an update of WebRL's loss gained and lost, by the advantage of the step.

`python -m benchmarks.learning.advantages FOLDER` reads the directory of one finished
training and prints a table: the sums of squared errors of equation 7 before and after
the update, the log-ratio that the advantage asks for, and the one that was reached.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.rl.training_data import SCORES, read_spec

# Bounds of the rows; an advantage lies within [-1, 1].
BOUNDS = (-1.0, -0.3, -0.1, -0.03, 0.03, 0.3, 1.0)
HEAD = (
    "| advantage | steps | error before | after | log-ratio wanted, mean "
    "| reached: mean, deviation |"
)


def main() -> None:
    """Print the table of one training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    lines = (folder / SCORES).read_text().splitlines()
    scores = [json.loads(line) for line in lines]
    print(format_table(scores, read_spec(folder).config.beta))


def format_table(scores: Sequence[dict[str, Any]], beta: float) -> str:
    """The table of the used steps as Markdown.

    Args:
        scores: Lines of `scores.jsonl`.
        beta: Strength of the KL constraint (equation 5).
    """
    used = [score for score in scores if score["was_used"]]
    body = []
    for low, high in itertools.pairwise(BOUNDS):
        last = high == BOUNDS[-1]
        found = [
            (score["advantage"], score["log_ratio"])
            for score in used
            if low <= score["advantage"] < high or (last and score["advantage"] == high)
        ]
        if found:
            body.append(f"| {low:g} to {high:g} | {_describe(found, beta)} |")
    return "\n".join([HEAD, "|" + " --- |" * 6, *body])


def _describe(steps: Sequence[tuple[float, float]], beta: float) -> str:
    ratios = [ratio for _, ratio in steps]
    before = sum(advantage**2 for advantage, _ in steps)
    after = sum((beta * ratio - advantage) ** 2 for advantage, ratio in steps)
    wanted = statistics.fmean(advantage / beta for advantage, _ in steps)
    return (
        f"{len(steps):,} | {before:.1f} | {after:.1f} | {wanted:+.2f} "
        f"| {statistics.fmean(ratios):+.2f}, {statistics.pstdev(ratios):.2f}"
    )


if __name__ == "__main__":
    main()

"""How often a reward model agrees with the evaluators on recorded episodes.

`python -m benchmarks.learning.judging MODEL FOLDER` judges the episodes that
`benchmarks.learning.start` left in FOLDER and prints the accuracy and its control,
the constant that is right more often, each class, and the area under the curve.
"""

from __future__ import annotations

import argparse
import bisect
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from benchmarks.learning.acting import read_rows
from benchmarks.learning.reward_model import THRESHOLD, score


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Counts of one model on one set of episodes.

    Attributes:
        solved, failed: Episodes of each class, by the evaluators.
        yes_right, no_right: How many of each class the model judges correctly.
        area: Probability that a solved episode has a higher score than a failed one;
            None where a class is empty.
    """

    solved: int
    failed: int
    yes_right: int
    no_right: int
    area: float | None

    def __str__(self) -> str:
        """One readable line."""
        count = self.solved + self.failed
        area = "unknown" if self.area is None else f"{self.area:.2f}"
        return (
            f"{count} episodes: accuracy {(self.yes_right + self.no_right) / count:.1%}"
            f", constant {max(self.solved, self.failed) / count:.1%}, "
            f"YES right {self.yes_right} of {self.solved}, "
            f"NO right {self.no_right} of {self.failed}, area {area}"
        )


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    for folder in given.folders:
        rows = read_rows(folder)
        outcomes = [bool(row["outcome"]) for row in rows]
        print(folder.name, compare(score(given.model, rows), outcomes), flush=True)


def compare(scores: Sequence[float], outcomes: Sequence[bool]) -> Agreement:
    """Count where scores and outcomes agree.

    Args:
        scores: P(YES) of each episode, in [0, 1].
        outcomes: The evaluators' outcome of each.
    """
    pairs = list(zip(scores, outcomes, strict=True))
    solved = [value for value, outcome in pairs if outcome]
    failed = sorted(value for value, outcome in pairs if not outcome)
    return Agreement(
        solved=len(solved),
        failed=len(failed),
        yes_right=sum(value > THRESHOLD for value in solved),
        no_right=sum(value <= THRESHOLD for value in failed),
        area=area_under_curve(solved, failed) if solved and failed else None,
    )


def area_under_curve(solved: Sequence[float], failed: Sequence[float]) -> float:
    """Share of ordered (solved, failed) pairs; ties count half (Mann and Whitney).

    Args:
        solved: Scores of the positive class.
        failed: Scores of the negative class, sorted.
    """
    below = sum(
        bisect.bisect_left(failed, value) + bisect.bisect_right(failed, value)
        for value in solved
    )
    return below / (2 * len(solved) * len(failed))


if __name__ == "__main__":
    main()

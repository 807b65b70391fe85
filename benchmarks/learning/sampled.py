"""Compares policies by sampled attempts: the gain in pass@k over the same tasks.

`python -m benchmarks.learning.sampled BEFORE AFTER ...` takes folders in which
`benchmarks.learning.start` has played. Several folders after the first are seeds: their
pass@k are averaged task by task. Intervals are bootstrapped over whole templates.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.learning.acting import read_rows
from benchmarks.learning.start import KS
from benchmarks.learning.summary import format_percent
from training.evaluation.clustered import PairedTest, paired_test
from training.evaluation.pass_at_k import pass_at_k

Rows = Sequence[dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the gain for each k."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="+")
    given = parser.parse_args(arguments)
    seeds = [read_rows(folder) for folder in given.after]
    for k, found in compare(read_rows(given.before), seeds).items():
        sys.stdout.write(
            f"pass@{k}: {format_percent(found.difference, sign='+')} points "
            f"(p {found.p_value:.4f}), lower on {found.lost} tasks, higher on "
            f"{found.won}\n"
        )
    return 0


def compare(before: Rows, seeds: Sequence[Rows]) -> dict[int, PairedTest]:
    """The gain in pass@k for each k that every task has attempts for.

    Raises:
        SystemExit: Two of them have other tasks, or one has none.
    """
    all_counts = [_count(rows) for rows in (before, *seeds)]
    old, *new = all_counts
    if not old or any(counts.keys() != old.keys() for counts in new):
        raise SystemExit("The folders do not have attempts at the same tasks.")
    templates = {row["key"]: row["template"] for row in before}
    most = min(tried for counts in all_counts for tried, _ in counts.values())
    return {
        k: paired_test(
            [pass_at_k(*old[key], k) for key in old],
            [fmean(pass_at_k(*counts[key], k) for counts in new) for key in old],
            [templates[key] for key in old],
        )
        for k in KS
        if k <= most
    }


def _count(rows: Iterable[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """Attempts and successes of each task."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        outcomes[row["key"]].append(bool(row["outcome"]))
    return {key: (len(found), sum(found)) for key, found in outcomes.items()}


if __name__ == "__main__":
    raise SystemExit(main())

"""Compares policies by sampled attempts: the gain in pass@k over the same tasks.

`python -m benchmarks.learning.sampled --before NAME --after NAME` takes folders in
which `benchmarks.learning.start` has played, or FILE:POLICY for a policy's lines of a
file such as docs/experiments/learning_five_sites_sampled.jsonl. Several names on one
side are seeds: their pass@k are averaged task by task. Intervals are bootstrapped over
whole templates.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.learning.acting import read_rows
from benchmarks.learning.start import KS
from benchmarks.learning.summary import format_percent
from rollouts.sites.sandbox.catalog import load_tasks
from training.evaluation.clustered import PairedTest, paired_test
from training.evaluation.pass_at_k import pass_at_k

# Attempts and successes of each task, by its key.
Counts = Mapping[str, tuple[int, int]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the gain for each k."""
    parser = argparse.ArgumentParser(description=__doc__)
    for side in ("--before", "--after"):
        parser.add_argument(side, nargs="+", required=True, metavar="NAME")
    given = parser.parse_args(arguments)
    before = [read_counts(name) for name in given.before]
    after = [read_counts(name) for name in given.after]
    for k, found in compare(before, after).items():
        sys.stdout.write(
            f"pass@{k}: {format_percent(found.difference, sign='+')} points "
            f"(p {found.p_value:.4f}), lower on {found.lost} tasks, higher on "
            f"{found.won}\n"
        )
    return 0


def read_counts(name: str) -> dict[str, tuple[int, int]]:
    """Read a policy's attempts.

    Raises:
        SystemExit: There are none.
    """
    if Path(name).is_dir():
        rows = read_rows(Path(name))
        tried = Counter(row["key"] for row in rows)
        solved = Counter(row["key"] for row in rows if row["outcome"])
        found = {key: (count, solved[key]) for key, count in tried.items()}
    else:
        found = _read_lines(*name.rpartition(":")[::2])
    if not found:
        raise SystemExit(f"{name} has no attempts.")
    return found


def _read_lines(file: str, policy: str) -> dict[str, tuple[int, int]]:
    if not Path(file).is_file():
        raise SystemExit(f"{file or policy} is neither a folder nor a file.")
    lines = map(json.loads, Path(file).read_text().splitlines())
    return {
        line["key"]: (line["attempts"], line["solved"])
        for line in lines
        if line["policy"] == policy
    }


def compare(before: Sequence[Counts], after: Sequence[Counts]) -> dict[int, PairedTest]:
    """Return the gain in pass@k for each k that every task has attempts for.

    Raises:
        SystemExit: Two of them have other tasks.
    """
    policies = [*before, *after]
    keys = sorted(policies[0])
    if any(sorted(counts) != keys for counts in policies):
        raise SystemExit("They do not have attempts at the same tasks.")
    known = {task["key"]: task["template_key"] for task in load_tasks()}
    templates = [known[key] for key in keys]
    fewest = min(tried for counts in policies for tried, _ in counts.values())
    return {
        k: paired_test(_share(before, keys, k), _share(after, keys, k), templates)
        for k in KS
        if k <= fewest
    }


def _share(seeds: Sequence[Counts], keys: Sequence[str], k: int) -> list[float]:
    """pass@k of each task, a mean over seeds."""
    return [fmean(pass_at_k(*counts[key], k) for counts in seeds) for key in keys]


if __name__ == "__main__":
    raise SystemExit(main())

"""Measures how good a start is and how much room it leaves: pass@k on validation tasks.

`python -m benchmarks.learning.start POLICY --work FOLDER` samples attempts and prints
pass@1 up to pass@8 with intervals bootstrapped over whole templates, and the success
on each site. Test tasks are never read.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import Job, play, read_rows
from rollouts.sites.sandbox.catalog import load_tasks
from training.evaluation.clustered import Interval, clustered_mean
from training.evaluation.pass_at_k import pass_at_k

KS = (1, 2, 4, 8)


def main() -> None:
    """Play what is missing and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--attempts", type=int, default=8)
    parser.add_argument("--every", type=int, default=1, help="each Nth task alone")
    parser.add_argument("--sites", default="", help="these alone, with commas")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    tasks = list_tasks(given.sites)[:: given.every]
    job = Job(str(given.policy), tasks, given.attempts, given.temperature)
    play(given.work, job, processes=given.processes)
    print("\n".join(describe(read_rows(given.work))))


def list_tasks(sites: str = "") -> list[dict[str, Any]]:
    """The validation tasks; with `sites`, those that need no others."""
    tasks = load_tasks("validation")
    wanted = set(filter(None, sites.split(",")))
    return [task for task in tasks if not wanted or set(task["sites"]) <= wanted]


def describe(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The lines that are printed."""
    sites: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        sites[row["key"].partition(".")[0]].append(bool(row["outcome"]))
    ends = Counter(row["ended_by"] for row in rows)
    lines = [
        f"pass@{k}: {100 * found.mean:.1f} % "
        f"[{100 * found.low:.1f}, {100 * found.high:.1f}]"
        for k, found in measure(rows).items()
    ]
    lines += [f"{site}: {sum(won)} of {len(won)}" for site, won in sites.items()]
    return [*lines, f"ended by: {dict(ends)}"]


def measure(rows: Iterable[dict[str, Any]]) -> dict[int, Interval]:
    """pass@k for each k of KS that every task has attempts for."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    templates: dict[str, str] = {}
    for row in rows:
        outcomes[row["key"]].append(bool(row["outcome"]))
        templates[row["key"]] = row["template"]
    fewest = min(len(found) for found in outcomes.values())
    return {
        k: clustered_mean(
            [pass_at_k(len(found), sum(found), k) for found in outcomes.values()],
            [templates[key] for key in outcomes],
        )
        for k in KS
        if k <= fewest
    }


if __name__ == "__main__":
    main()

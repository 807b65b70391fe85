"""Compares any two rows of a table by task, over the seeds of both.

`python -m benchmarks.learning.comparing ROWS` numbers what is in a file of raw rows, a
bench's `report/rows.jsonl` or one under docs/experiments/; `... ROWS 1 4` compares the
fourth with the first, `... ROWS 1 4:0` only seed 0 of the fourth. Intervals and p are
those of the tables: whole templates are drawn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.learning.summary import Row, format_percent, share_by_task
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from training.evaluation.clustered import paired_test


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the list, or the comparison."""
    given = _parse(arguments)
    groups = read_groups(given.rows)
    lines = [f"{place} {describe(rows)}" for place, rows in enumerate(groups, 1)]
    if given.before:
        chosen = [pick(groups, given.before), pick(groups, given.after)]
        lines = [*map(describe, chosen), *compare(*chosen)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def read_groups(file: Path) -> list[list[Row]]:
    """The file's rows by method and phase, in the order in which these occur.

    Raises:
        SystemExit: There are none.
    """
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    with file.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            groups[row["method"], row["phase"]].append(row)
    if not groups:
        raise SystemExit(f"{file} has no rows.")
    return list(groups.values())


def pick(groups: Sequence[list[Row]], choice: str) -> list[Row]:
    """The rows with this number in the list; `4:0` are those of its seed 0.

    Raises:
        SystemExit: There are none.
    """
    number, _, seed = choice.partition(":")
    if not number.isdecimal() or not 0 < int(number) <= len(groups):
        raise SystemExit(f"{number} is not in the list of 1 to {len(groups)}.")
    rows = groups[int(number) - 1]
    found = [row for row in rows if not seed or str(row["seed"]) == seed]
    if not found:
        raise SystemExit(f"{number} has no seed {seed}.")
    return found


def describe(rows: Sequence[Row]) -> str:
    """Method, phase, seeds, and how many tasks are solved: a mean over seeds."""
    shares = share_by_task(rows)
    seeds = ",".join(str(seed) for seed in sorted({row["seed"] for row in rows}))
    solved = f"{sum(shares.values()):.1f}".removesuffix(".0")
    name = f"{rows[0]['method']}, phase {rows[0]['phase']}, seeds {seeds}"
    return f"{name}: {solved} of {len(shares)}"


def compare(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """The lines that compare the tasks that both have attempted.

    Raises:
        SystemExit: There are no such tasks.
    """
    old, new = share_by_task(before), share_by_task(after)
    keys = sorted(old.keys() & new.keys())
    if not keys:
        raise SystemExit("The two have no task in common.")
    known = {task["key"]: task["template_key"] for task in load_tasks()}
    clusters = [known[key] for key in keys]
    found = paired_test(
        [old[key] for key in keys], [new[key] for key in keys], clusters
    )
    unseen = [key for key in keys if TEMPLATES[known[key]].is_held_out]
    lines = [
        f"difference, points: {format_percent(found.difference, sign='+')} "
        f"(p {found.p_value:.4f}, {len(keys)} tasks)",
        f"lost {found.lost}, won {found.won}",
    ]
    if unseen:
        counts = [sum(share[key] for key in unseen) for share in (old, new)]
        lines.append(
            f"unseen templates: {counts[0]:g} and {counts[1]:g} of {len(unseen)}"
        )
    return lines


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("before", nargs="?", default="", metavar="NUMBER[:SEED]")
    parser.add_argument("after", nargs="?", default="", metavar="NUMBER[:SEED]")
    given = parser.parse_args(arguments)
    if bool(given.before) != bool(given.after):
        parser.error("Name both that are compared, or none for the list.")
    return given


if __name__ == "__main__":
    raise SystemExit(main())

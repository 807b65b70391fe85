"""Any two rows of a table, told from each other: by task, over the seeds of both.

`python -m benchmarks.learning.comparing ROWS` numbers what is in a file of raw rows, a
bench's `report/rows.jsonl` or one under docs/experiments/; `... ROWS 1 4` compares the
fourth with the first. Intervals and p are those of the tables: whole templates are
drawn. `--seeds 0,1` reads only these.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from benchmarks.learning.summary import Row, format_percent, share_by_task
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks
from training.evaluation.clustered import paired_test

Name = tuple[str, int]
Groups = Mapping[Name, list[Row]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the list, or the comparison."""
    given = _parse(arguments)
    groups = read_groups(given.rows, given.seeds)
    names = list(groups)
    lines = [f"{place} {describe(groups, one)}" for place, one in enumerate(names, 1)]
    if given.before is not None:
        chosen = [pick(names, given.before), pick(names, given.after)]
        lines = [describe(groups, name) for name in chosen]
        lines += compare(groups[chosen[0]], groups[chosen[1]])
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def read_groups(file: Path, seeds: Collection[int] = ()) -> Groups:
    """The file's rows by method and phase; without seeds, those of all.

    Raises:
        SystemExit: There are none.
    """
    groups: dict[Name, list[Row]] = defaultdict(list)
    with file.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not seeds or row["seed"] in seeds:
                groups[row["method"], row["phase"]].append(row)
    if not groups:
        raise SystemExit(f"{file} has no rows of these seeds.")
    return groups


def pick(names: Sequence[Name], number: int) -> Name:
    """The name with this number in the list.

    Raises:
        SystemExit: There is none.
    """
    if not 0 < number <= len(names):
        raise SystemExit(f"{number} is not in the list of 1 to {len(names)}.")
    return names[number - 1]


def describe(groups: Groups, name: Name) -> str:
    """Method, phase, seeds, and how many tasks are solved: a mean over seeds."""
    rows = groups[name]
    shares = share_by_task(rows)
    seeds = ",".join(str(seed) for seed in sorted({row["seed"] for row in rows}))
    solved = f"{sum(shares.values()):.1f}".removesuffix(".0")
    return f"{name[0]}, phase {name[1]}, seeds {seeds}: {solved} of {len(shares)}"


def compare(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """What is told of the tasks that both have attempted.

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


def _seeds(text: str) -> set[int]:
    return {int(part) for part in text.split(",")}


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("before", type=int, nargs="?")
    parser.add_argument("after", type=int, nargs="?")
    parser.add_argument("--seeds", type=_seeds, default=(), help="separated by commas")
    given = parser.parse_args(arguments)
    if (given.before is None) != (given.after is None):
        parser.error("Name both that are compared, or none for the list.")
    return given


if __name__ == "__main__":
    raise SystemExit(main())

"""Makes a table of raw rows: success with intervals, compared with the start."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from rollouts.sites.sandbox.catalog import TEMPLATES
from training.evaluation.clustered import (
    Interval,
    PairedTest,
    clustered_mean,
    paired_test,
)

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Line:
    """One method after one phase.

    Attributes:
        method: Its name.
        phase: 0 is the start.
        seeds: Number of runs.
        success: Mean over tasks of the share of seeds that solved them.
        against_start: Paired comparison of the same tasks at phase 0 and this phase.
        unseen: Solved share of the tasks whose template is not in training; None if
            the split has none.
    """

    method: str
    phase: int
    seeds: int
    success: Interval
    against_start: PairedTest
    unseen: float | None


def summarise(rows: Sequence[Row]) -> list[Line]:
    """One line of each method and phase, in the order in which they occur."""
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["method"], row["phase"]].append(row)
    return [
        _line(method, phase, found, groups[method, 0])
        for (method, phase), found in groups.items()
    ]


def _line(method: str, phase: int, found: list[Row], start: list[Row]) -> Line:
    shares, before = share_by_task(found), share_by_task(start)
    keys = sorted(shares.keys() & before.keys())
    templates = {row["key"]: row["template"] for row in found}
    clusters = [templates[key] for key in keys]
    after = [shares[key] for key in keys]
    unseen = [shares[key] for key in keys if TEMPLATES[templates[key]].is_held_out]
    return Line(
        method=method,
        phase=phase,
        seeds=len({row["seed"] for row in found}),
        success=clustered_mean(after, clusters),
        against_start=paired_test([before[key] for key in keys], after, clusters),
        unseen=sum(unseen) / len(unseen) if unseen else None,
    )


def share_by_task(rows: Iterable[Row]) -> dict[str, float]:
    """Share of a task's rows that succeeded, over seeds and attempts."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        outcomes[row["key"]].append(bool(row["outcome"]))
    return {key: sum(found) / len(found) for key, found in outcomes.items()}


def format_lines(lines: Sequence[Line]) -> str:
    """The table as Markdown."""
    head = (
        "| method | phase | seeds | success, % | against its start, points | p "
        "| lost, won | unseen, % |"
    )
    body = [
        f"| {line.method} | {line.phase} | {line.seeds} "
        f"| {format_percent(line.success)} "
        f"| {format_percent(line.against_start.difference, sign='+')} "
        f"| {line.against_start.p_value:.3f} "
        f"| {line.against_start.lost}, {line.against_start.won} "
        f"| {'' if line.unseen is None else f'{100 * line.unseen:.1f}'} |"
        for line in lines
    ]
    return "\n".join([head, "|" + " --- |" * 8, *body])


def format_percent(value: Interval, sign: str = "") -> str:
    """Mean and limits in percent, e.g. `+4.6 [-1.5, +11.7]` with the sign `+`."""
    mean, low, high = (100 * part for part in (value.mean, value.low, value.high))
    return f"{mean:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"

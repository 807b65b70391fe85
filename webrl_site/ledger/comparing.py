"""Two measurements of the same test tasks: losses, wins, and their significance."""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from rollouts.selectors.ledger import JudgedEpisode, LedgerTask
from training.evaluation.clustered import Interval, clustered_mean, paired_test
from training.evaluation.pass_at_k import pass_at_k


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A task's judged episodes at one moment."""

    episodes: list[JudgedEpisode]

    @property
    def n(self) -> int:
        return len(self.episodes)

    @property
    def right(self) -> int:
        return sum(one.is_right for one in self.episodes)

    @property
    def share(self) -> float:
        """The share of the repeats that solved it, 0 to 1."""
        return self.right / self.n

    def pick(self, *, is_right: bool) -> int:
        """Return an episode of that outcome, or else any, to show in a pair."""
        chosen = [one for one in self.episodes if one.is_right is is_right]
        return (chosen or self.episodes)[0].trajectory_id


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """Tasks that both moments judged, by their outcomes; tests by whole templates.

    `pass_at_k` is of both moments, if every task was repeated; k is the fewest repeats
    of a task.
    """

    title: str
    n: int
    templates: int
    before: Interval
    after: Interval
    difference: Interval
    p_value: float
    lost: int
    won: int
    right: int
    wrong: int
    k: int
    pass_at_k: tuple[float, float] | None


def gather_cells(episodes: Sequence[JudgedEpisode]) -> dict[int, Cell]:
    """Return the cell of each task."""
    found: dict[int, list[JudgedEpisode]] = defaultdict(list)
    for one in episodes:
        found[one.task_id].append(one)
    return {task_id: Cell(some) for task_id, some in found.items()}


def compare_cells(
    title: str,
    tasks: Sequence[LedgerTask],
    before: Mapping[int, Cell],
    after: Mapping[int, Cell],
) -> Comparison | None:
    """Compare the tasks that both judged; None if there is none."""
    shared = [t for t in tasks if t.task_id in before and t.task_id in after]
    if not shared:
        return None
    first = [before[task.task_id].share for task in shared]
    second = [after[task.task_id].share for task in shared]
    templates = [task.template for task in shared]
    test = paired_test(first, second, templates)
    return Comparison(
        title=title,
        n=len(shared),
        templates=len(set(templates)),
        before=clustered_mean(first, templates),
        after=clustered_mean(second, templates),
        difference=test.difference,
        p_value=test.p_value,
        lost=test.lost,
        won=test.won,
        right=sum(a == b == 1 for a, b in zip(first, second, strict=True)),
        wrong=sum(a == b == 0 for a, b in zip(first, second, strict=True)),
        **_measure_repeats(shared, before, after),
    )


def compare_parts(
    tasks: Sequence[LedgerTask],
    before: Mapping[int, Cell],
    after: Mapping[int, Cell],
) -> list[Comparison]:
    """Compare all tasks, and those of seen and of unseen templates separately."""
    parts = [(gettext("All test tasks"), list(tasks))]
    if any(task.is_unseen for task in tasks):
        parts += [
            (gettext("Seen templates"), [t for t in tasks if not t.is_unseen]),
            (gettext("Unseen templates"), [t for t in tasks if t.is_unseen]),
        ]
    found = [compare_cells(title, some, before, after) for title, some in parts]
    return [one for one in found if one is not None]


def _measure_repeats(
    tasks: Sequence[LedgerTask],
    before: Mapping[int, Cell],
    after: Mapping[int, Cell],
) -> dict[str, Any]:
    cells = [[moment[task.task_id] for task in tasks] for moment in (before, after)]
    k = min(cell.n for row in cells for cell in row)
    if k < 2:
        return {"k": k, "pass_at_k": None}
    shares = [
        statistics.fmean(pass_at_k(cell.n, cell.right, k) for cell in row)
        for row in cells
    ]
    return {"k": k, "pass_at_k": (shares[0], shares[1])}

"""The newest measurements of several runs, compared on the test tasks they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curriculum.models import Run
from rollouts.selectors.ledger import JudgedEpisode, read_tasks
from rollouts.selectors.measured import Measured, TaskOutcome
from webrl_site.ledger.comparing import (
    Cell,
    Comparison,
    compare_cells,
    compare_parts,
    gather_cells,
)


def compare_with_first(
    runs: Sequence[Run],
    newest: Mapping[int, Measured],
    outcomes: Mapping[Measured, Sequence[TaskOutcome]],
) -> list[Comparison]:
    """Compare each later run with the first one, in two queries.

    A second run is also compared by seen and unseen templates; of more runs each has
    one row with its name. Runs that share no judged task with the first have none.
    """
    first, *others = runs
    if first.pk not in newest or not any(run.pk in newest for run in others):
        return []
    cells = {run: _gather(outcomes[newest[run.pk]]) for run in runs if run.pk in newest}
    ids = {task for some in cells.values() for task in some}
    tasks = [*read_tasks(ids).values()]
    if len(runs) == 2:
        return compare_parts(tasks, cells[first], cells[others[0]])
    found = [
        compare_cells(str(run), tasks, cells[first], cells[run])
        for run in others
        if run in cells
    ]
    return [one for one in found if one is not None]


def _gather(rows: Sequence[TaskOutcome]) -> dict[int, Cell]:
    return gather_cells(
        [JudgedEpisode(row.trajectory_id, row.task_id, row.is_right) for row in rows]
    )

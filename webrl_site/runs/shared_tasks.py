"""Whether runs were measured on the same test tasks, and success on the shared ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from curriculum.models import Run
from rollouts.selectors.measured import Measured, TaskOutcome
from webrl_site.statistics import Proportion, wilson


@dataclasses.dataclass(frozen=True, slots=True)
class SharedTasks:
    """What can be compared if runs attempted different test tasks.

    Attributes:
        attempted: Each measured run with the number of its test tasks.
        n: Test tasks that were judged in all these runs.
        shares: Success on only those, run by run; None for a run not measured.
    """

    attempted: list[tuple[Run, int]]
    n: int
    shares: list[Proportion | None]


def find_shared(
    runs: Sequence[Run],
    newest: Mapping[int, Measured],
    tasks: Mapping[Measured, set[int]],
    outcomes: Mapping[Measured, Sequence[TaskOutcome]],
) -> SharedTasks | None:
    """Return what is shared; None if all measured runs attempted the same tasks.

    Episodes that the browser broke count as attempted.
    """
    measured = [(run, newest[run.pk]) for run in runs if run.pk in newest]
    sets = [tasks[one] for _, one in measured]
    if all(one == sets[0] for one in sets):
        return None
    judged = [{row.task_id for row in outcomes[one]} for _, one in measured]
    shared = set.intersection(*judged)
    found = {
        run.pk: _count([row for row in outcomes[one] if row.task_id in shared])
        for run, one in measured
    }
    attempted = [(run, len(tasks[one])) for run, one in measured]
    return SharedTasks(attempted, len(shared), [found.get(run.pk) for run in runs])


def _count(rows: Sequence[TaskOutcome]) -> Proportion:
    tasks = len({row.task_id for row in rows})
    return wilson(sum(row.is_right for row in rows), len(rows), tasks=tasks)

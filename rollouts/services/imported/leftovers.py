"""What an import that was killed has left: an unfinished run, and tasks made for it."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef

from curriculum.models import Task
from curriculum.services.imported.runs import list_unfinished_runs
from curriculum.services.imported.tasks import KEY_PREFIX
from rollouts.models import Trajectory


def list_left_tasks(*, name: str, own: Collection[int]) -> set[int]:
    """Return the tasks that only episodes of the unfinished run of this name have.

    Args:
        name: The run's name.
        own: Ids of the runs of the import that asks; their episodes do not count.
    """
    left = list(list_unfinished_runs(name).values_list("pk", flat=True))
    if not left:
        return set()
    rows = Trajectory.objects.filter(task=OuterRef("pk"))
    tasks = Task.objects.filter(
        ~Exists(rows.exclude(phase__run__in=[*left, *own])),
        key__startswith=KEY_PREFIX,
        trajectories__phase__run__in=left,
    )
    return set(tasks.values_list("pk", flat=True))

"""A task's family: what it grew from, what grew from it, and how each has fared."""

from __future__ import annotations

import dataclasses

from curriculum.models import Review, Task
from rollouts.selectors.fates import Fate, read_fates

DEEPEST = 12
MOST = 300


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One task of a family, `depth` generations below its oldest ancestor."""

    task: Task
    depth: int
    fate: Fate | None
    was_edited: bool
    is_here: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """The members in the order of a tree; `is_cut` where it has more than are shown."""

    members: list[Member]
    is_cut: bool

    @property
    def solved(self) -> int:
        """How many members some episode has solved."""
        return sum(bool(one.fate and one.fate.solved) for one in self.members)


def find_family(task: Task) -> Family:
    """Return the whole family; as many queries as it has generations, and two."""
    root = _find_root(task)
    children: dict[int, list[Task]] = {}
    count, level = 1, [root]
    for _ in range(DEEPEST):
        born = _born_from(level, MOST - count)
        for child in born:
            children.setdefault(child.parent_id or 0, []).append(child)
        count, level = count + len(born), born
        if not level:
            break
    ordered = _walk(root, children)
    ids = [one.pk for one, _ in ordered]
    fates, edited = read_fates(ids), _edited(ids)
    members = [
        Member(one, depth, fates.get(one.pk), one.pk in edited, one.pk == task.pk)
        for one, depth in ordered
    ]
    return Family(members, count >= MOST or bool(level))


def _find_root(task: Task) -> Task:
    root = task
    for _ in range(DEEPEST):
        if root.parent is None:
            break
        root = root.parent
    return root


def _born_from(parents: list[Task], most: int) -> list[Task]:
    ids = [parent.pk for parent in parents]
    tasks = Task.objects.filter(parent_id__in=ids).select_related("born_in__run")
    return list(tasks.order_by("pk")[: max(most, 0)]) if ids else []


def _walk(root: Task, children: dict[int, list[Task]]) -> list[tuple[Task, int]]:
    """Return the tree depth first, each task with its depth."""
    ordered: list[tuple[Task, int]] = []
    waiting = [(root, 0)]
    while waiting:
        task, depth = waiting.pop()
        ordered.append((task, depth))
        young = children.get(task.pk, [])
        waiting += [(child, depth + 1) for child in reversed(young)]
    return ordered


def _edited(task_ids: list[int]) -> set[int]:
    edits = Review.objects.filter(
        task_id__in=task_ids, decision=Review.Decision.EDIT, undone_at=None
    ).exclude(kind=Review.Kind.GOLD)
    return set(edits.values_list("task_id", flat=True))

"""A task's family: its ancestors, its descendants, and their results."""

from __future__ import annotations

import dataclasses
import itertools

from django.db.models import F

from curriculum.models import Review, Task
from curriculum.selectors.readers import Reader
from curriculum.selectors.reviewing.gold_cover import find_covered
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
    is_covered: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """The members in the order of a tree; `is_cut` if not all are shown."""

    members: list[Member]
    is_cut: bool

    @property
    def solved(self) -> int:
        """How many members some episode has solved."""
        return sum(bool(one.fate and one.fate.solved) for one in self.members)


def find_family(task: Task, reader: Reader = None) -> Family:
    """Return the whole family; one query for each generation, and a few more.

    Of hidden members a reader sees only the instruction, and below them only what leads
    to the task itself: a task that waits has no children.
    """
    line = _list_line(task)
    root = line[-1]
    children: dict[int, list[Task]] = {}
    count, level = 1, [root]
    for _ in range(DEEPEST):
        born = _born_from(level, MOST - count)
        for child in born:
            children.setdefault(child.parent_id or 0, []).append(child)
        count, level = count + len(born), born
        if not level:
            break
    known = [root, *itertools.chain.from_iterable(children.values())]
    covered = _find_covered(known, reader)
    for pk in covered:
        children[pk] = [one for one in children.get(pk, ()) if one in line]
    ordered = _walk(root, children)
    ids = [one.pk for one, _ in ordered if one.pk not in covered]
    fates, edited = read_fates(ids), _edited(ids)
    members = [
        Member(
            task=one,
            depth=depth,
            fate=fates.get(one.pk),
            was_edited=one.pk in edited,
            is_here=one.pk == task.pk,
            is_covered=one.pk in covered,
        )
        for one, depth in ordered
    ]
    return Family(members, count >= MOST or bool(level))


def _list_line(task: Task) -> list[Task]:
    """Return the task, its parent and so on, up to the root."""
    line = [task]
    while line[-1].parent is not None and len(line) <= DEEPEST:
        line.append(line[-1].parent)
    return line


def _find_covered(tasks: list[Task], reader: Reader) -> set[int]:
    condition = find_covered(reader)
    if condition is None:
        return set()
    found = Task.objects.filter(condition, pk__in=[task.pk for task in tasks])
    return set(found.values_list("pk", flat=True))


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
    """Return the tasks whose instruction a person has edited.

    An edit that was outvoted, or of a gold item, has changed nothing.
    """
    edits = Review.objects.filter(
        task_id__in=task_ids,
        undone_at=None,
        edited_instruction=F("task__instruction"),
    ).exclude(edited_instruction=F("original_instruction"))
    return set(edits.values_list("task_id", flat=True))

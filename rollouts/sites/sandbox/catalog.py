"""The sandbox's tasks: three splits from a fixed seed, always the same ones.

Every split is a third short, a third middling and a third long tasks; within a length
the templates take turns. No two tasks fill a template in the same way, regardless of
wording, so no test task can be memorised.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from random import Random

from rollouts.sites.across.tasks import ACROSS_TEMPLATES
from rollouts.sites.atlas.tasks import ATLAS_TEMPLATES
from rollouts.sites.backoffice.tasks import BACKOFFICE_TEMPLATES
from rollouts.sites.forum.tasks import FORUM_TEMPLATES
from rollouts.sites.kit.drawing import Split, Task, draw_task, identity_of
from rollouts.sites.kit.sites import SITES
from rollouts.sites.kit.task_templates import Template
from rollouts.sites.projects.tasks import PROJECTS_TEMPLATES
from rollouts.sites.shop.tasks import SHOP_TEMPLATES

TEMPLATES: dict[str, Template] = {
    template.key: template
    for template in (
        *SHOP_TEMPLATES,
        *FORUM_TEMPLATES,
        *BACKOFFICE_TEMPLATES,
        *PROJECTS_TEMPLATES,
        *ATLAS_TEMPLATES,
        *ACROSS_TEMPLATES,
    )
}
SEED = 7
TRIES = 60


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Tasks that are drawn together: those of one site, or those that need two.

    Attributes:
        key: The site's, or "across".
        sizes: Tasks in each split; the test split comes first and stays frozen.
        lengths: Least and most optimal steps of short tasks, longer ones and so on.
    """

    key: str
    sizes: dict[Split, int] = dataclasses.field(
        default_factory=lambda: {"test": 60, "validation": 30, "train": 300}
    )
    lengths: tuple[tuple[int, int], ...] = ((1, 3), (4, 5), (6, 12))

    def templates(self, split: Split) -> list[Template]:
        """The templates that may occur in a split."""
        return [
            template
            for template in TEMPLATES.values()
            if group_of(template) == self.key
            and (split == "test" or not template.is_held_out)
        ]


SITE_GROUPS = tuple(Group(site.key) for site in SITES)
ACROSS = Group(
    "across",
    sizes={"test": 30, "validation": 15, "train": 90},
    lengths=((2, 7), (8, 10)),
)
GROUPS = (*SITE_GROUPS, ACROSS)


def group_of(template: Template) -> str:
    """The key of the group that a template is drawn in."""
    return "across" if template.others else template.site.key


def load_tasks(split: Split | None = None) -> list[Task]:
    """All tasks, or those of one split, in a fixed order."""
    return [task for task in _all_tasks() if split is None or task["split"] == split]


def draw_more_tasks(size: int, seed: int) -> list[Task]:
    """Tasks beyond the catalog, `size` for each site, with the training lengths.

    None fills a template as a task of the catalog does, and none has a held-out
    template.
    """
    tasks = load_tasks()
    used = {identity_of(task) for task in tasks} | {task["intent"] for task in tasks}
    found: list[Task] = []
    for group in SITE_GROUPS:
        rng = Random(f"{SEED}/more/{seed}/{group.key}")
        drawn = _split_tasks(group, "train", size, rng, used)
        for index, task in enumerate(drawn):
            key = f"{group.key}.more.{index:05d}"
            found.append({"key": key, "split": "more", "task_id": index, **task})
    return found


@functools.cache
def _all_tasks() -> tuple[Task, ...]:
    return tuple(task for group in GROUPS for task in _group_tasks(group))


def _group_tasks(group: Group) -> Iterator[Task]:
    rng = Random(f"{SEED}/{group.key}")
    used: set[str] = set()
    number = 0
    for split, size in group.sizes.items():
        for index, task in enumerate(_split_tasks(group, split, size, rng, used)):
            key = f"{group.key}.{split}.{index:05d}"
            yield {"key": key, "split": split, "task_id": number, **task}
            number += 1


def _split_tasks(
    group: Group, split: Split, size: int, rng: Random, used: set[str]
) -> list[Task]:
    """Equally many tasks of each length, the lengths taking turns."""
    templates = group.templates(split)
    streams = [_tasks_of_length(templates, n, rng, used) for n in group.lengths]
    return [next(streams[index % len(streams)]) for index in range(size)]


def _tasks_of_length(
    templates: list[Template], length: tuple[int, int], rng: Random, used: set[str]
) -> Iterator[Task]:
    """New tasks of this length, template by template, until none has any left."""
    waiting = list(templates)
    rng.shuffle(waiting)
    while waiting:
        template = waiting.pop(0)
        task = _new_task(template, length, rng, used)
        if task is not None:
            waiting.append(template)
            yield task


def _new_task(
    template: Template, length: tuple[int, int], rng: Random, used: set[str]
) -> Task | None:
    for _ in range(TRIES):
        task = draw_task(template, rng)
        names = {identity_of(task), task["intent"]}
        if length[0] <= task["optimal_steps"] <= length[1] and not names & used:
            used.update(names)
            return task
    return None

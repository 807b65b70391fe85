"""The book shop's tasks: a few of each template in each split, always the same ones."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from random import Random
from typing import Any

from rollouts.sites.kit.drawing import Split, draw_task, identity_of
from rollouts.sites.kit.plans import Plan
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.task_templates import Template
from rollouts.sites.oscar.tasks.change import CHANGE_TEMPLATES
from rollouts.sites.oscar.tasks.find import FIND_TEMPLATES
from rollouts.sites.oscar.tasks.navigate import NAVIGATE_TEMPLATES

Task = dict[str, Any]
TEMPLATES: dict[str, Template] = {
    template.key: template
    for template in (*FIND_TEMPLATES, *NAVIGATE_TEMPLATES, *CHANGE_TEMPLATES)
}
SEED = 11
# Tasks per template; held-out templates have only test tasks.
SIZES: dict[Split, int] = {"test": 3, "validation": 1, "train": 8}
TRIES = 200


def load_tasks(split: Split | None = None) -> list[Task]:
    """All tasks, or those of one split, in a fixed order."""
    return [task for task in _all_tasks() if split is None or task["split"] == split]


def plan_of(task: Task) -> Plan:
    """The shortest plan of one of the shop's tasks."""
    return TEMPLATES[task["template_key"]].solve(task["instantiation_dict"]).plan


@functools.cache
def _all_tasks() -> tuple[Task, ...]:
    drawn = [
        (split, task)
        for template in TEMPLATES.values()
        for split, task in _template_tasks(template)
    ]
    return tuple(
        {
            "key": f"{OSCAR.key}.{split}.{number:05d}",
            "split": split,
            "task_id": number,
            **task,
        }
        for number, (split, task) in enumerate(drawn)
    )


def _template_tasks(template: Template) -> Iterator[tuple[Split, Task]]:
    """Tasks that differ in more than their wording; fewer where there are no more."""
    rng = Random(f"{SEED}/{template.key}")
    wanted = [split for split, size in SIZES.items() for _ in range(size)]
    if template.is_held_out:
        wanted = [split for split in wanted if split == "test"]
    used: set[str] = set()
    for _ in range(TRIES):
        task = draw_task(template, rng)
        if wanted and identity_of(task) not in used:
            used.add(identity_of(task))
            yield wanted.pop(0), task

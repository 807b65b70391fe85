"""Tasks drawn from templates, and what makes two of them the same."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from rollouts.sites.kit.task_templates import Template, Values

Split = Literal["train", "validation", "test"]
Task = dict[str, Any]


def draw_task(template: Template, rng: Random) -> Task:
    """A task of the template: random blanks, random wording."""
    values = template.draw(rng)
    return template.build_task(rng.choice(template.phrasings), values)


def identity(key: str, values: Values) -> str:
    """The same for tasks that differ only in their wording."""
    return "/".join([key, *(f"{name}={values[name]}" for name in sorted(values))])


def identity_of(task: Task) -> str:
    """The identity of a task object."""
    return identity(task["template_key"], task["instantiation_dict"])

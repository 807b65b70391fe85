"""Updates a task whose instruction a person has changed.

The evaluators were made for the earlier instruction: an edit that names another order
must not be rewarded for the first one.
"""

from __future__ import annotations

import functools
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from curriculum.evolution.types import TaskReader, digest_task
from curriculum.models import Task

# The key under which a changed task object keeps the original one.
BEFORE_EDIT = "before_edit"


def reword(task: Task, text: str) -> dict[str, Any]:
    """Return the fields of a task that follow from its instruction.

    Its evaluators are made again. Where that fails it has none, and only the reward
    model judges. The original instruction brings the original evaluators back.
    """
    fields = {"instruction": text, "digest": digest_task(text, task.start_url)}
    if not _has_meaning(task.spec):
        return fields | {"spec": {**task.spec, "intent": text}}
    spec = _respell(task, text)
    return fields | {
        "spec": spec,
        "template_key": spec.get("template_key", task.template_key),
        "optimal_steps": spec.get("optimal_steps"),
    }


@functools.cache
def load_reader() -> TaskReader:
    """Return the reader that `TASK_READER` names; the first call may take a second."""
    reader: TaskReader = import_string(settings.TASK_READER)
    return reader


def _has_meaning(spec: dict[str, Any]) -> bool:
    """Whether the object has more than the instruction."""
    return any(spec.get(name) for name in ("eval", "instantiation_dict", BEFORE_EDIT))


def _respell(task: Task, text: str) -> dict[str, Any]:
    first: dict[str, Any] = task.spec.get(BEFORE_EDIT) or task.spec
    if first.get("intent") == text:
        return first
    sites = task.spec.get("sites") or [task.site.key]
    kept = {key: value for key, value in first.items() if key != "optimal_steps"}
    unread: dict[str, Any] = {"eval": {}, "instantiation_dict": {}}
    read = load_reader()(sites, text) or unread
    changed = {"intent": text, "start_url": task.start_url, BEFORE_EDIT: first}
    return {**kept, **read, **changed}

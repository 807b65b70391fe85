"""The formats of others: WebRL's traces, and tasks as WebArena writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from curriculum.models import Task
from curriculum.selectors.readers import Reader
from curriculum.selectors.reviewing.opinions import list_tasks
from curriculum.services.reviewing.rewording import BEFORE_EDIT
from rollouts.selectors.pages import filter_trajectories
from webrl_site.exports.tables import walk, walk_steps

# What WebRL's recorder writes for the instruction after an episode's first step.
LATER_PROMPT = "** Simplified html **"
TASK_FIELDS = (
    "site__key",
    "start_url",
    "shown_key",
    "split",
    "template_key",
    "optimal_steps",
    "spec",
    "instruction",
)
STEP_FIELDS = (
    *("trajectory_id", "index", "trajectory__task__instruction"),
    *("observation", "output"),
)


def list_traces(**filters: Any) -> Iterator[dict[str, Any]]:
    """Yield a step a line, as in WebRL's `traces/*.jsonl`.

    `trace_id` is the trajectory's id and not the task's: a task is attempted in
    many phases here.
    """
    trajectories = filter_trajectories(**filters)
    for trace, index, target, html, response in walk_steps(
        trajectories, list(STEP_FIELDS)
    ):
        yield {
            "trace_id": trace,
            "index": index,
            "prompt": LATER_PROMPT if index else target,
            "html": html,
            "response": response,
            "target": target,
        }


def list_task_objects(reader: Reader, **filters: Any) -> Iterator[dict[str, Any]]:
    """Yield tasks in WebArena's format; an import reads them back as they are.

    An import accepts every task of a file, so only accepted tasks are written unless
    `filters` name another status. Tasks of imported episodes that have no start page
    are left out: a file cannot hold them.
    """
    status = filters.pop("status", "") or Task.Status.ACCEPTED
    tasks = list_tasks(reader=reader, status=status, **filters)
    rows = walk(tasks.exclude(start_url=""), list(TASK_FIELDS))
    for site, start_url, key, split, template, steps, spec, instruction in rows:
        # The object of a task known only from episodes may lack these.
        needed = {"sites": [site], "start_url": start_url}
        named = {"key": key, "split": split, "template_key": template}
        known = {name: value for name, value in named.items() if value}
        if steps is not None:
            known["optimal_steps"] = steps
        spec.pop(BEFORE_EDIT, None)
        yield needed | spec | known | {"intent": instruction}

"""What the review desk shows of the task that the reviewer holds."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from curriculum.models import Review, Task
from curriculum.selectors import pages as curriculum_pages
from curriculum.selectors.desk import (
    find_first_look,
    list_flags,
    passed_on_by,
    read_review_config,
)
from rollouts.selectors.pages import find_failed_episode

HEARTBEATS_PER_LEASE = 3


def describe_desk(
    reviewer: User, task: Task | None, phase_id: int | None
) -> dict[str, Any]:
    """Return the desk's variables; `task` is held by the reviewer, or None."""
    context: dict[str, Any] = {
        "task": task,
        "phase_id": phase_id,
        "progress": curriculum_pages.read_review_progress(reviewer, phase_id),
        "last_review": curriculum_pages.find_last_review(reviewer),
        "reasons": list(enumerate(Review.Reason.choices, start=1)),
        "heartbeat_s": max(1, int(settings.REVIEW_LEASE_S / HEARTBEATS_PER_LEASE)),
    }
    if task is not None:
        context["flags"] = list_flags(task, reader=reviewer)
        context |= describe_task(task) | describe_opinion(task, reviewer)
    else:
        context["passed_on"] = passed_on_by(reviewer.pk).count()
    return context


def describe_opinion(task: Task, reviewer: User) -> dict[str, Any]:
    """Say whether the machine's opinion is hidden, and what was decided before it."""
    if not read_review_config(task.born_in).blind_first:
        return {"is_hidden": False, "first": ""}
    first = find_first_look(task.pk, reviewer.pk)
    return {"is_hidden": first is None, "first": first or ""}


def describe_task(task: Task) -> dict[str, Any]:
    return {
        "failed_episode": find_failed_episode(task.parent_id, task.born_in_id),
        "similar": curriculum_pages.list_similar_tasks(task),
        "token": task.lease_token,
        "instruction": task.instruction,
    }

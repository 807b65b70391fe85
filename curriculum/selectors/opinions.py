"""What the machine thinks of a task, and from whom that is kept for a while."""

from __future__ import annotations

import copy

from curriculum.models import Task


def without_opinion(task: Task) -> Task:
    """Return a copy without what the machine thinks of it; not to be saved."""
    shown = copy.copy(task)
    shown.value_estimate = shown.is_feasible = None
    shown.feasibility_reason = shown.filter_reason = ""
    return shown

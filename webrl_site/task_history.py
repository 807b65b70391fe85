"""A task's history: born, decided, attempted; oldest first."""

from __future__ import annotations

import dataclasses
import datetime as dt

from curriculum.models import Review, Task
from rollouts.selectors.fates import PhaseAttempt
from webrl_site.task_view import ReviewWithDiff, with_diffs


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """One line of the history; at most one of `review` and `attempt` is set."""

    at: dt.datetime
    text: str = ""
    review: ReviewWithDiff | None = None
    attempt: PhaseAttempt | None = None


def write_history(
    task: Task, reviews: list[Review], attempts: list[PhaseAttempt]
) -> list[Moment]:
    """Return all that is known to have happened to a task."""
    moments = [Moment(task.created_at, _birth(task))]
    moments += [
        Moment(item.review.created_at, review=item) for item in with_diffs(reviews)
    ]
    moments += [Moment(attempt.at, attempt=attempt) for attempt in attempts]
    return sorted(moments, key=lambda moment: moment.at)


def _birth(task: Task) -> str:
    if task.origin != Task.Origin.EVOLVED:
        return "Imported." if task.origin == Task.Origin.IMPORTED else "Loaded as seed."
    text = f"Evolved in {task.born_in}." if task.born_in else "Evolved."
    if task.value_estimate is not None:
        text += f" The critic valued it at {task.value_estimate:.2f}."
    if task.filter_reason:
        text += f" Filtered out: {task.filter_reason}."
    if task.was_auto_accepted:
        text += " Accepted without a person."
    return text

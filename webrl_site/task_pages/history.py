"""A task's history: born, decided, attempted; oldest first."""

from __future__ import annotations

import dataclasses
import datetime as dt

from django.utils.translation import gettext

from curriculum.models import Review, Task
from curriculum.selectors.reviewing.opinions import Opinion
from curriculum.texts.saying import say
from rollouts.selectors.fates import PhaseAttempt
from webrl_site.task_pages.page import ReviewWithDiff, with_diffs


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """One line of the history; at most one of `review` and `attempt` is set."""

    at: dt.datetime
    text: str = ""
    review: ReviewWithDiff | None = None
    attempt: PhaseAttempt | None = None


def write_history(
    task: Task, opinion: Opinion, reviews: list[Review], attempts: list[PhaseAttempt]
) -> list[Moment]:
    """Return a task's history, as far as the reader may see it."""
    born = Moment(task.created_at, _birth(task, opinion))
    moments = [] if opinion.is_covered else [born]
    moments += [
        Moment(item.review.created_at, review=item) for item in with_diffs(reviews)
    ]
    moments += [Moment(attempt.at, attempt=attempt) for attempt in attempts]
    return sorted(moments, key=lambda moment: moment.at)


def _birth(task: Task, opinion: Opinion) -> str:
    if task.origin != Task.Origin.EVOLVED:
        return (
            gettext("Imported.")
            if task.origin == Task.Origin.IMPORTED
            else gettext("Loaded as seed.")
        )
    text = (
        gettext("Evolved in %(born_in)s.") % {"born_in": task.born_in}
        if task.born_in
        else gettext("Evolved.")
    )
    if opinion.value is not None:
        text += gettext(" The critic valued it at %(value_estimate)s.") % {
            "value_estimate": f"{opinion.value:.2f}"
        }
    if opinion.filter_reason:
        text += gettext(" Filtered out: %(filter_reason)s.") % {
            "filter_reason": say(opinion.filter_reason).rstrip(".。 ")
        }
    if task.was_auto_accepted:
        text += gettext(" Accepted without review.")
    return text

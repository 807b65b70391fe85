"""Tasks that can be decided together, and sets that were."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Q, QuerySet

from curriculum.models import Phase, ReviewBatch, Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pages import filter_tasks
from curriculum.selectors.reviewing.desk import tasks_in_review


def list_waiting(filters: dict[str, Any]) -> QuerySet[Task]:
    """Return the matching waiting tasks, newest first, with their holders and votes."""
    waiting = tasks_in_review().values("pk")
    is_vote = Q(reviews__kind="review", reviews__undone_at=None)
    votes = Count("reviews", filter=is_vote & ~Q(reviews__decision="skip"))
    fitting = filter_tasks(**filters).filter(pk__in=waiting)
    return fitting.select_related("site", "born_in__run", "leased_by").annotate(
        votes=votes
    )


def filter_held(tasks: QuerySet[Task], by_id: int) -> QuerySet[Task]:
    """Return those of them that are on another person's desk."""
    held = tasks.filter(leased_until__gte=database_now())
    return held.exclude(leased_by_id=by_id)


def list_ending_phases(task_ids: Collection[int]) -> list[Phase]:
    """Return the phases in which nothing waits once these tasks are decided."""
    others = Count(
        "evolved",
        filter=Q(evolved__status__in=Task.UNDECIDED) & ~Q(evolved__in=list(task_ids)),
    )
    named = Phase.objects.filter(
        pk__in=Task.objects.filter(pk__in=list(task_ids)).values("born_in_id")
    )
    return list(named.annotate(others=others).filter(others=0).select_related("run"))


def find_last_batch(author_id: int) -> ReviewBatch | None:
    """Return the person's newest set that can be taken back, with its size."""
    phases = Q(reviews__task__born_in__status=Phase.Status.REVIEW)
    batches = ReviewBatch.objects.filter(author_id=author_id, undone_at=None)
    sized = batches.annotate(
        size=Count("reviews"), open=Count("reviews", filter=phases)
    )
    newest = sized.order_by("-id").first()
    return newest if newest is not None and newest.open == newest.size else None

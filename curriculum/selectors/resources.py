"""The API's queries for sites, reviews, phases and events beyond the pages' lists."""

from __future__ import annotations

import functools
import operator
from typing import Any

from django.db.models import Count, Q, QuerySet

from curriculum.models import Phase, PhaseEvent, Review, Site, Task


def count_tasks_of_sites() -> QuerySet[Site]:
    """Sites with `train`, `validation` and `test`: accepted tasks of each split."""
    accepted = Q(tasks__status=Task.Status.ACCEPTED)
    counts: dict[str, Any] = {
        split: Count("tasks", filter=accepted & Q(tasks__split=split))
        for split in Task.Split.values
    }
    return Site.objects.annotate(**counts).prefetch_related("instances")


def filter_reviews(
    *,
    task: int | None = None,
    phase: int | None = None,
    reviewer: str = "",
    decision: str = "",
    reason: str = "",
    standing: str = "",
    site: str = "",
    text: str = "",
) -> QuerySet[Review]:
    """Newest first; `standing` is "yes", "no" (undone) or ""; by username.

    `site` is a key; `text` is looked for in both instructions and the note.
    """
    exact = {
        "task_id": task,
        "task__site__key": site,
        "task__born_in_id": phase,
        "reviewer__username": reviewer,
        "decision": decision,
        "reason": reason,
    }
    reviews = Review.objects.select_related("reviewer", "task", "guideline")
    reviews = reviews.defer("task__spec", "guideline__text").filter(**_given(exact))
    if standing:
        reviews = reviews.filter(undone_at__isnull=standing == "yes")
    if text:
        names = ("original_instruction", "edited_instruction", "note")
        holds = (Q(**{f"{name}__icontains": text}) for name in names)
        reviews = reviews.filter(functools.reduce(operator.or_, holds))
    return reviews.order_by("-id")


def filter_phases(*, run: int | None = None, status: str = "") -> QuerySet[Phase]:
    """Newest first."""
    exact = _given({"run_id": run, "status": status})
    return Phase.objects.select_related("run").filter(**exact).order_by("-id")


def filter_events(
    *, phase: int | None = None, kind: str = "", after: int | None = None
) -> QuerySet[PhaseEvent]:
    """Oldest first; `after` leaves out events up to that id."""
    exact = _given({"phase_id": phase, "kind": kind, "pk__gt": after})
    return PhaseEvent.objects.filter(**exact).order_by("id")


def _given(conditions: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in conditions.items() if v not in ("", None)}

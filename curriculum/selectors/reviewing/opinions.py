"""The machine's opinion of tasks, and from which readers it is hidden.

Where a run reviews blind, annotators decide before they see the opinion. The desk shows
it after their first decision; any other page would show it earlier. So pages, API and
exports read it through this module, as `shown_value` and its siblings, never from the
row's own columns. Researchers see everything, except on the desk.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)

from curriculum.models import FirstLook, Review, Task
from curriculum.selectors.pages import filter_tasks
from curriculum.selectors.readers import Reader, read_open_reviews, sees_all
from curriculum.selectors.resources import filter_reviews
from curriculum.selectors.reviewing.gold_cover import (
    find_covered,
    leave_out_covered,
    with_cover,
    with_phases,
)

# The name under which each column is read, and its value while it is hidden.
SHOWN: dict[str, tuple[str, Any]] = {
    "shown_value": ("value_estimate", None),
    "shown_feasible": ("is_feasible", None),
    "shown_feasibility": ("feasibility_reason", ""),
    "shown_filter_reason": ("filter_reason", ""),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Opinion:
    """The part of the machine's opinion of a task that a reader may see.

    `is_covered`: its decision and origin are hidden; see `gold_cover`.
    """

    value: float | None
    is_feasible: bool | None
    feasibility: str
    filter_reason: str
    is_hidden: bool
    is_covered: bool


def with_opinions(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks with `shown_value` etc. and `opinion_hidden` for this reader.

    The fields of `with_cover` are included.
    """
    tasks = with_cover(tasks, reader)
    hidden = find_hidden(reader)
    if hidden is None:
        columns = {name: F(column) for name, (column, _) in SHOWN.items()}
        return tasks.annotate(opinion_hidden=Value(False), **columns)
    is_hidden = Case(
        When(hidden, then=True), default=False, output_field=BooleanField()
    )
    chosen = {
        name: Case(
            When(opinion_hidden=True, then=Value(empty)),
            default=F(column),
            output_field=Task._meta.get_field(column),  # type: ignore[arg-type]
        )
        for name, (column, empty) in SHOWN.items()
    }
    return tasks.annotate(opinion_hidden=is_hidden).annotate(**chosen)


def read_opinion(task: Task) -> Opinion:
    """Return the fields that `with_opinions` added to a task."""
    flags = ("opinion_hidden", "is_covered")
    return Opinion(*(getattr(task, name) for name in (*SHOWN, *flags)))


def list_tasks(
    *,
    reader: Reader,
    value_from: float | None = None,
    value_to: float | None = None,
    **filters: Any,
) -> QuerySet[Task]:
    """Return the matching tasks with their opinions, newest first.

    A hidden value matches no filter: a match would reveal it.
    """
    tasks = with_opinions(filter_tasks(**filters), reader)
    if any(filters.get(name) for name in ("status", "phase", "born_in")):
        tasks = leave_out_covered(tasks, reader)
    elif text := filters.get("text"):
        tasks = leave_out_covered(tasks, reader, text=text)
    bounds = {"shown_value__gte": value_from, "shown_value__lte": value_to}
    return tasks.filter(**{k: v for k, v in bounds.items() if v is not None})


def leave_out_hidden(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks whose opinion and decision the reader may see."""
    hidden, tasks = find_hidden(reader), leave_out_covered(tasks, reader)
    return tasks if hidden is None else tasks.exclude(hidden)


def list_reviews(*, reader: Reader, **filters: Any) -> QuerySet[Review]:
    """Return the matching decisions that a reader may see, with their phases."""
    reviews = filter_reviews(**filters)
    if filters.get("phase") and (covered := find_covered(reader, "task__")):
        reviews = reviews.exclude(covered)
    return with_phases(leave_out_votes(reviews, reader), reader)


def leave_out_votes(reviews: QuerySet[Review], reader: Reader) -> QuerySet[Review]:
    """Return the decisions that a reader may see; blind review hides others' decisions.

    Only researchers see others' decisions about gold items and, while gold items are
    mixed in, about every task that may be one.
    """
    if sees_all(reader):
        return reviews
    others = ~Q(reviewer_id=_id_of(reader))
    reviews = reviews.exclude(others & Q(kind=Review.Kind.GOLD))
    covered = find_covered(reader, "task__")
    if covered is not None:
        reviews = reviews.exclude(others & covered)
    hidden = find_hidden(reader)
    if hidden is None:
        return reviews
    return reviews.exclude(others & Q(task__in=Task.objects.filter(hidden)))


def find_hidden(reader: Reader) -> Q | None:
    """Return the condition of the tasks whose opinion is hidden from a reader, or None.

    These are the tasks of open phases that are reviewed blind, until the reader has
    decided them. While such a review mixes gold items in, it is every decided task that
    evolved: hiding only those of gold items would reveal them.
    """
    if sees_all(reader):
        return None
    reviews = read_open_reviews()
    blind = {pk: config for pk, config in reviews.items() if config.blind_first}
    if not blind:
        return None
    hidden = Q(born_in_id__in=list(blind))
    if any(config.gold_rate for config in blind.values()):
        hidden |= Q(origin=Task.Origin.EVOLVED, status__in=Task.DECIDED)
    mine = {"task": OuterRef("pk"), "reviewer_id": _id_of(reader)}
    decided = Review.objects.filter(**mine).exclude(decision=Review.Decision.SKIP)
    looked = FirstLook.objects.filter(**mine)
    return hidden & ~Exists(looked) & ~Exists(decided)


def without_opinion(task: Task) -> Task:
    """Return a copy without the machine's opinion; not to be saved."""
    shown = copy.copy(task)
    for column, empty in SHOWN.values():
        setattr(shown, column, empty)
    return shown


def _id_of(reader: Reader) -> int:
    return (reader.pk if reader else None) or 0

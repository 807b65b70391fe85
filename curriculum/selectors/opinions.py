"""What the machine thinks of tasks, and from whom that is kept for a while.

An annotator decides blind what their run reviews blind. On the desk the opinion comes
after their first decision; everywhere else it would come before. So pages, API and
exports read it through this module: as `shown_value` and its siblings, never as the
row's own columns. Researchers see everything, except on the desk.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, TypeAlias

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
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

from curriculum.models import FirstLook, Phase, Review, Task
from curriculum.phase_config import ReviewConfig
from curriculum.roles import ROLE_RESEARCHER, has_role
from curriculum.selectors.pages import filter_tasks

# Who asks; None is who has the database itself at hand.
Reader: TypeAlias = AbstractBaseUser | AnonymousUser | None
# The name under which each column is read, and what stands for it while it is hidden.
SHOWN: dict[str, tuple[str, Any]] = {
    "shown_value": ("value_estimate", None),
    "shown_feasible": ("is_feasible", None),
    "shown_feasibility": ("feasibility_reason", ""),
    "shown_filter_reason": ("filter_reason", ""),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Opinion:
    """What one reader may see of what the machine thinks of one task."""

    value: float | None
    is_feasible: bool | None
    feasibility: str
    filter_reason: str
    is_hidden: bool


def with_opinions(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks with `shown_value`..., and `opinion_hidden`, for this reader."""
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
    """Return what `with_opinions` found of a task."""
    return Opinion(*(getattr(task, name) for name in (*SHOWN, "opinion_hidden")))


def list_tasks(
    *,
    reader: Reader,
    value_from: float | None = None,
    value_to: float | None = None,
    **filters: Any,
) -> QuerySet[Task]:
    """Return the tasks that fit, with their opinions; newest first.

    A hidden value fits no bounds: they would tell it.
    """
    tasks = with_opinions(filter_tasks(**filters), reader)
    bounds = {"shown_value__gte": value_from, "shown_value__lte": value_to}
    return tasks.filter(**{k: v for k, v in bounds.items() if v is not None})


def leave_out_hidden(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks whose opinion the reader may see."""
    hidden = find_hidden(reader)
    return tasks if hidden is None else tasks.exclude(hidden)


def leave_out_votes(reviews: QuerySet[Review], reader: Reader) -> QuerySet[Review]:
    """Return the decisions that a reader may see: blind is blind to people, too.

    Others' decisions about gold items are for researchers alone.
    """
    if _sees_all(reader):
        return reviews
    others = ~Q(reviewer_id=_id_of(reader))
    reviews = reviews.exclude(others & Q(kind=Review.Kind.GOLD))
    hidden = find_hidden(reader)
    if hidden is None:
        return reviews
    return reviews.exclude(others & Q(task__in=Task.objects.filter(hidden)))


def find_hidden(reader: Reader) -> Q | None:
    """Return the condition of the tasks whose opinion is kept from a reader; or None.

    These are the tasks of open phases that are reviewed blind, until the reader has
    decided them. While such a review mixes gold items in, it is every decided task
    that evolved: hiding the gold ones alone would give them away.
    """
    if _sees_all(reader):
        return None
    blind = _list_blind_phases()
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
    """Return a copy without what the machine thinks of it; not to be saved."""
    shown = copy.copy(task)
    for column, empty in SHOWN.values():
        setattr(shown, column, empty)
    return shown


def _sees_all(reader: Reader) -> bool:
    return reader is None or has_role(reader, ROLE_RESEARCHER)


def _id_of(reader: Reader) -> int:
    return (reader.pk if reader else None) or 0


def _list_blind_phases() -> dict[int, ReviewConfig]:
    """Return the open phases of runs that review blind, and how they review."""
    phases = Phase.objects.exclude(status=Phase.Status.CLOSED)
    configs = {
        pk: ReviewConfig(**config.get("review", {}))
        for pk, config in phases.order_by().values_list("pk", "run__config")
    }
    return {pk: config for pk, config in configs.items() if config.blind_first}

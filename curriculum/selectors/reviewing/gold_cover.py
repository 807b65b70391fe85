"""Hides from reviewers what would distinguish gold items from waiting tasks.

A gold item was decided before, in another phase. While a review mixes gold items in,
only researchers see the decision about an evolved task, and when and in which phase it
evolved. This is hidden for all such tasks, because hiding it for the gold items alone
would reveal them, and so would neighbours in a list whose phase is known. A person's
own decision makes no difference: it can be taken back.
"""

from __future__ import annotations

from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    F,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Concat, Right

from curriculum.models import GoldItem, Review, Task
from curriculum.selectors.readers import Reader, read_open_reviews, sees_all

# An evolved task's key ends in this many digits of its digest, after the phase's id.
DIGEST = 24
# The name under which each column is read, and its value while it is covered.
SHOWN: dict[str, tuple[str, Any]] = {
    "shown_status": ("status", Value("")),
    "shown_born_in": ("born_in_id", Value(None)),
    "shown_auto": ("was_auto_accepted", Value(False)),
    "shown_birth": ("created_at", Value(None)),
    "shown_key": ("key", Concat(Value("evolved."), Right("key", DIGEST))),
}


def with_cover(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks with `shown_status` etc. and `is_covered` for this reader."""
    covered = find_covered(reader)
    if covered is None:
        columns = {name: F(column) for name, (column, _) in SHOWN.items()}
        return tasks.annotate(is_covered=Value(False), **columns)
    is_covered = Case(
        When(covered, then=True), default=False, output_field=BooleanField()
    )
    chosen = {
        name: Case(
            When(is_covered=True, then=instead),
            default=F(column),
            output_field=Task._meta.get_field(column.removesuffix("_id")),  # type: ignore[arg-type]
        )
        for name, (column, instead) in SHOWN.items()
    }
    return tasks.annotate(is_covered=is_covered).annotate(**chosen)


def list_children(task: Task, reader: Reader, limit: int = 50) -> list[Task]:
    """Return the tasks that evolved from a task, with the cover applied."""
    children = Task.objects.filter(parent=task).select_related("born_in__run")
    return list(with_cover(children, reader).order_by("pk")[:limit])


def leave_out_covered(
    tasks: QuerySet[Task], reader: Reader, *, text: str = ""
) -> QuerySet[Task]:
    """Return the tasks of which no filter reveals more than the reader may know.

    With a text this leaves out covered tasks that match only by their key.
    """
    covered = find_covered(reader)
    if covered is None:
        return tasks
    return tasks.exclude(covered & ~Q(instruction__icontains=text) if text else covered)


def with_phases(reviews: QuerySet[Review], reader: Reader) -> QuerySet[Review]:
    """Return decisions with `shown_phase` and `shown_key` of their tasks.

    They also have `shown_kind`. Only researchers see it, whether or not gold items are
    mixed in at the moment: they may be mixed in again.
    """
    kind = F("kind") if sees_all(reader) else Value("", CharField())
    reviews = reviews.annotate(shown_kind=kind)
    covered = find_covered(reader, "task__")
    phase, key = F("task__born_in_id"), F("task__key")
    if covered is None:
        return reviews.annotate(shown_phase=phase, shown_key=key)
    digest = Concat(Value("evolved."), Right("task__key", DIGEST))
    return reviews.annotate(
        shown_phase=Case(When(covered, then=Value(None)), default=phase),
        shown_key=Case(When(covered, then=digest), default=key),
    )


def find_covered(reader: Reader, path: str = "") -> Q | None:
    """Return the condition of the tasks under cover for a reader; or None.

    Args:
        reader: The user who reads.
        path: How a row leads to its task: "task__" of a decision.
    """
    if sees_all(reader) or not _mixes_gold():
        return None
    return Q(**{f"{path}origin": Task.Origin.EVOLVED})


def _mixes_gold() -> bool:
    mixing = any(config.gold_rate for config in read_open_reviews().values())
    return mixing and GoldItem.objects.exists()

"""What would tell a gold item from a task that waits, and from whom that is kept.

A gold item was decided before, in another phase. While a review mixes gold items in,
nobody but researchers is told what became of an evolved task, or when and in which
phase it was born: of no such task, because hiding it of the gold ones alone would
give them away, and so would neighbours in a list whose phase is known. What one has
decided oneself changes nothing: it can be taken back.
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

# An evolved task's key ends in this much of its digest, after the phase's id.
DIGEST = 24
# The name under which each column is read, and what stands for it under cover.
SHOWN: dict[str, tuple[str, Any]] = {
    "shown_status": ("status", Value("")),
    "shown_born_in": ("born_in_id", Value(None)),
    "shown_auto": ("was_auto_accepted", Value(False)),
    "shown_birth": ("created_at", Value(None)),
    "shown_key": ("key", Concat(Value("evolved."), Right("key", DIGEST))),
}


def with_cover(tasks: QuerySet[Task], reader: Reader) -> QuerySet[Task]:
    """Return the tasks with `shown_status`..., and `is_covered`, for this reader."""
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
    """Return what evolved from a task, under cover itself."""
    children = Task.objects.filter(parent=task).select_related("born_in__run")
    return list(with_cover(children, reader).order_by("pk")[:limit])


def leave_out_covered(
    tasks: QuerySet[Task], reader: Reader, *, text: str = ""
) -> QuerySet[Task]:
    """Return the tasks that no filter could tell more of than the reader may know.

    With a text these are all but the covered ones that only their key holds it.
    """
    covered = find_covered(reader)
    if covered is None:
        return tasks
    return tasks.exclude(covered & ~Q(instruction__icontains=text) if text else covered)


def with_phases(reviews: QuerySet[Review], reader: Reader) -> QuerySet[Review]:
    """Return decisions with `shown_phase` and `shown_key` of their tasks.

    They come with their `shown_kind`, too. It is for researchers alone, whether or not
    gold items are mixed in at the moment: they may be mixed in again.
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
        reader: Who asks.
        path: How a row leads to its task: "task__" of a decision.
    """
    if sees_all(reader) or not _mixes_gold():
        return None
    return Q(**{f"{path}origin": Task.Origin.EVOLVED})


def _mixes_gold() -> bool:
    mixing = any(config.gold_rate for config in read_open_reviews().values())
    return mixing and GoldItem.objects.exists()

"""A person's decisions, and which of them can still be taken back."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from curriculum.models import Phase, Review
from curriculum.selectors.prepared import PreparedObjects, number
from curriculum.selectors.resources import filter_reviews
from curriculum.selectors.reviewing.gold_cover import find_covered, with_phases

IN_REVIEW = Value(Phase.Status.REVIEW.value)


def list_decisions_of(
    person: User, *, reader: User, **filters: Any
) -> QuerySet[Review]:
    """Return a person's matching decisions, newest first, undone ones included.

    Readers other than the person are researchers, who see everything. Each decision
    comes with its site, `shown_phase` and `undo`: "open" where the person may take it
    back, or why not: "undone" already, decided with a "set", its review is "over", or
    it was "overruled" by a researcher.
    """
    covered = find_covered(reader, "task__")
    reviews = filter_reviews(**filters).filter(reviewer_id=person.pk)
    if filters.get("phase") and covered is not None:
        reviews = reviews.exclude(covered)
    reviews = reviews.select_related("task__site", "task__born_in__run")
    return _with_undo(with_phases(reviews, reader), covered)


def find_last_review(reviewer: User, phase_id: int | None = None) -> Review | None:
    """Return a person's newest standing decision: the one that undo takes back.

    In all phases or in one. Bulk decisions are left out: they are taken back as a set.
    """
    if not phase_id:
        return LAST.first(reviewer=reviewer.pk)
    reviews = _standing_of(reviewer.pk).annotate(of_phase=_of_phase(phase_id))
    return reviews.filter(of_phase=phase_id).first()


def _standing_of(reviewer_id: int) -> QuerySet[Review]:
    """Return a person's standing single decisions, with the desk's fields of each."""
    reviews = Review.objects.filter(
        reviewer_id=reviewer_id, undone_at=None, batch=None
    ).select_related("task")
    shown = ("kind", "decision", "skip_to", "guideline_id")
    return reviews.only(*shown, "task__instruction", "task__born_in_id")


LAST = PreparedObjects(lambda: _standing_of(number("reviewer"))[:1])


def find_last_of_phase(
    reviewer: User, phase_id: int, newest: Review | None
) -> Review | None:
    """Return the newest decision of one phase; `newest` is that of all phases."""
    if newest is None:
        return None
    is_gold = newest.kind == Review.Kind.GOLD
    if not is_gold and newest.task.born_in_id == phase_id:
        return newest
    return find_last_review(reviewer, phase_id)


def _of_phase(phase_id: int) -> Case:
    """Return in which phase's review something was decided.

    A gold item belongs to the review that it was mixed into: that of the person's next
    decision, or any (`phase_id`) while there is none.
    """
    of_id = BigIntegerField()
    next_one = Subquery(_next_ones().values("task__born_in_id")[:1], of_id)
    return Case(
        When(kind=Review.Kind.GOLD, then=Coalesce(next_one, phase_id)),
        default=F("task__born_in_id"),
        output_field=of_id,
    )


def _next_ones() -> QuerySet[Review]:
    """Return the same person's decisions after the one in the outer query."""
    later = Review.objects.filter(
        reviewer=OuterRef("reviewer"), kind=Review.Kind.REVIEW, pk__gt=OuterRef("pk")
    )
    return later.order_by("pk")


def is_phase_covered(reader: User) -> bool:
    """Say whether a person's list hides the phases in which tasks evolved."""
    return find_covered(reader) is not None


def _with_undo(reviews: QuerySet[Review], covered: Q | None) -> QuerySet[Review]:
    """Add `undo`, by the rules of `services.undo_review`."""
    return reviews.annotate(review_status=_review_status()).annotate(
        undo=Case(
            When(undone_at__isnull=False, then=Value("undone")),
            When(batch__isnull=False, then=Value("set")),
            When(~Q(review_status=IN_REVIEW), then=Value("over")),
            When(_is_overruled(covered), then=Value("overruled")),
            default=Value("open"),
        )
    )


def _review_status() -> Case:
    """Return the status of the phase in whose review something was decided.

    A gold item evolved in another phase and could always be taken back, so offering
    that would reveal it. Its review is that of the decision after it, because a task of
    the same review always follows.
    """
    status = _next_ones().values("task__born_in__status")[:1]
    return Case(
        When(kind=Review.Kind.GOLD, then=Coalesce(Subquery(status), IN_REVIEW)),
        default=Coalesce(F("task__born_in__status"), Value("")),
    )


def _is_overruled(covered: Q | None) -> Q:
    """Return the condition that a researcher has decided since; skips are unaffected.

    The status of a covered task is not shown here; an attempt to undo shows it.
    """
    final = Review.objects.filter(
        task=OuterRef("task"), undone_at=None, kind__in=Review.FINAL
    )
    vote = Q(kind=Review.Kind.REVIEW) & ~Q(decision=Review.Decision.SKIP)
    overruled = vote & Q(Exists(final))
    return overruled if covered is None else overruled & ~covered

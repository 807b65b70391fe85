"""How much each person decided, when, and in how much time."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from curriculum.models import Review
from curriculum.selectors.reviewing.desk import FOR_GOOD, IS_RIGHT, gold_decisions


class Decided(NamedTuple):
    """One decision at the desk, as far as it is counted.

    `skip_to` says who got a skipped task; it is empty for other decisions.
    """

    person_id: int
    person: str
    decision: str
    seconds: float | None
    day: dt.date
    skip_to: str = ""

    @property
    def choice(self) -> str:
        """The category in which it is counted; skips differ by `skip_to`."""
        return self.skip_to if self.skip_to in FOR_GOOD else self.decision


def list_decided(since: dt.datetime, reviewer_id: int | None = None) -> list[Decided]:
    """Return the decisions at the desk since a moment, oldest first, in one query.

    A task that was opened and not decided leaves no row; undone decisions do not count.
    """
    rows = Review.objects.filter(
        kind__in=Review.AT_DESK, undone_at=None, created_at__gte=since
    )
    if reviewer_id is not None:
        rows = rows.filter(reviewer_id=reviewer_id)
    found = rows.order_by("id").values_list(
        "reviewer_id",
        "reviewer__username",
        "decision",
        "seconds_spent",
        TruncDate("created_at"),
        "skip_to",
    )
    return [Decided(*row) for row in found]


def count_gold_by_person() -> dict[int, tuple[int, int]]:
    """Return (rightly, of how many) by person id."""
    rows = gold_decisions().order_by().values("reviewer_id")
    counted = rows.annotate(n=Count("pk"), right=Count("pk", filter=Q(IS_RIGHT)))
    return {row["reviewer_id"]: (row["right"], row["n"]) for row in counted}

"""The progress of reviews: the figures above the desk, and the phases in review."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Count
from django.utils import timezone

from curriculum.models import Phase, Review, Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.prepared import Prepared, moment, number
from curriculum.selectors.reviewing.desk import (
    COUNT_S,
    count_by_status,
    count_review,
    read_review_config,
    standing_votes,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import User

REVIEWING = "desk:reviewing"
A_YEAR = dt.timedelta(days=365)


@dataclasses.dataclass(frozen=True, slots=True)
class ReviewProgress:
    """Counts shown above the review desk.

    Attributes:
        waiting: Shortlisted tasks without a decision, held or not.
        disputed: Tasks whose reviewers disagree: they wait for a researcher.
        held_by_others: Waiting tasks that another person is deciding now.
        decided: Tasks of the same phases that are accepted or rejected.
        mine_today: The reviewer's decisions in these phases since midnight, without
            skips.
        mine: Tasks of these phases that the reviewer has decided; None where one person
            decides, or where it would reveal gold items.
    """

    waiting: int
    disputed: int
    held_by_others: int
    decided: int
    mine_today: int
    mine: int | None

    @property
    def total(self) -> int:
        return self.waiting + self.disputed + self.decided


def list_reviewing_phases() -> list[Phase]:
    """Return the phases in review with their runs, oldest first.

    At most `COUNT_S` seconds old: each decision needs them, and they change rarely.
    """
    found: list[Phase] | None = cache.get(REVIEWING)
    if found is None:
        phases = Phase.objects.filter(status=Phase.Status.REVIEW)
        found = list(phases.select_related("run").order_by("id"))
        cache.set(REVIEWING, found, COUNT_S)
    return found


def read_review_progress(
    reviewer: User, phase_id: int | None, reviewing: Sequence[Phase]
) -> ReviewProgress:
    """At most four queries, regardless of the number of tasks.

    `reviewing` are all phases in review.
    """
    if phase_id:
        counted = count_review(phase_id)
    else:
        in_review = Task.objects.filter(born_in__status=Phase.Status.REVIEW)
        counted = count_by_status(in_review)
    # The phase is compared here.
    now = database_now()
    held = HELD.ask(reviewer=reviewer.pk, now=now, latest=now + A_YEAR)
    asked = [phase for phase in reviewing if not phase_id or phase.pk == phase_id]
    return ReviewProgress(
        waiting=counted[Task.Status.SHORTLISTED],
        disputed=counted[Task.Status.DISPUTED],
        held_by_others=sum(not phase_id or pk == phase_id for (pk,) in held),
        decided=sum(counted[status] for status in Task.DECIDED),
        mine_today=_count_today(reviewer),
        mine=_count_mine(reviewer, asked),
    )


def _count_today(reviewer: User) -> int:
    midnight = dt.datetime.combine(
        timezone.localdate(), dt.time(), timezone.get_current_timezone()
    )
    counted = TODAY.ask(reviewer=reviewer.pk, midnight=midnight)
    # A person without decisions has no row.
    return int(counted[0][0]) if counted else 0


# Answered by the leases' own small index. No lease ends as late as `latest`. Without
# that bound PostgreSQL, which has no statistics of new tasks yet, expects a third of
# them to be leased, and reads them all on every page.
HELD = Prepared(
    lambda: (
        Task.objects.filter(leased_until__range=(moment("now"), moment("latest")))
        .exclude(leased_by_id=number("reviewer"))
        .order_by()
        .values_list("born_in_id")
    )
)
TODAY = Prepared(
    lambda: (
        Review.objects.filter(
            reviewer_id=number("reviewer"),
            undone_at__isnull=True,
            kind__in=Review.AT_DESK,
            created_at__gte=moment("midnight"),
        )
        .exclude(decision=Review.Decision.SKIP)
        .order_by()
        .values("reviewer_id")
        .annotate(n=Count("pk"))
        .values_list("n")
    )
)


def _count_mine(reviewer: User, asked: Sequence[Phase]) -> int | None:
    """Return how many tasks of the phases a person decided; see `ReviewProgress`."""
    configs = [read_review_config(phase) for phase in asked]
    is_shared = any(config.reviews_per_task > 1 for config in configs)
    if not is_shared or any(config.gold_rate for config in configs):
        return None
    votes = standing_votes().filter(reviewer=reviewer)
    return votes.filter(task__born_in__in=[phase.pk for phase in asked]).count()

"""How far the reviews are: the figures above the desk, and which phases wait."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.utils import timezone

from curriculum.models import Phase, Review, Task
from curriculum.selectors.database_clock import database_now
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


@dataclasses.dataclass(frozen=True, slots=True)
class ReviewProgress:
    """Counts shown above the review desk.

    Attributes:
        waiting: Shortlisted tasks without a decision, whoever holds them.
        disputed: Tasks whose reviewers disagree: they wait for a researcher.
        held_by_others: Waiting ones that somebody else is deciding now.
        decided: Tasks of the same phases that are accepted or rejected.
        mine_today: Decisions the reviewer took here since midnight, without skips.
        mine: Tasks of these phases that the reviewer has decided; None where one
            person decides, or where it would tell which tasks are gold items.
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

    At most `COUNT_S` seconds old: each decision asks, and they change once an hour.
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
    """Four queries at most, whatever the number of tasks.

    `reviewing` are all phases in review.
    """
    if phase_id:
        counted = count_review(phase_id)
    else:
        in_review = Task.objects.filter(born_in__status=Phase.Status.REVIEW)
        counted = count_by_status(in_review)
    # Asked of the leases' own small index; the phase is compared here.
    leased = Task.objects.filter(leased_until__gt=database_now()).order_by()
    held = leased.exclude(leased_by=reviewer).values_list("born_in_id", flat=True)
    asked = [phase for phase in reviewing if not phase_id or phase.pk == phase_id]
    return ReviewProgress(
        waiting=counted[Task.Status.SHORTLISTED],
        disputed=counted[Task.Status.DISPUTED],
        held_by_others=sum(not phase_id or pk == phase_id for pk in held),
        decided=sum(counted[status] for status in Task.DECIDED),
        mine_today=_count_today(reviewer),
        mine=_count_mine(reviewer, asked),
    )


def _count_today(reviewer: User) -> int:
    midnight = dt.datetime.combine(
        timezone.localdate(), dt.time(), timezone.get_current_timezone()
    )
    mine = Review.objects.filter(
        reviewer=reviewer, undone_at__isnull=True, kind__in=Review.AT_DESK
    ).exclude(decision=Review.Decision.SKIP)
    return mine.filter(created_at__gte=midnight).count()


def _count_mine(reviewer: User, asked: Sequence[Phase]) -> int | None:
    """Return how many tasks of the phases somebody decided; see `ReviewProgress`."""
    configs = [read_review_config(phase) for phase in asked]
    is_shared = any(config.reviews_per_task > 1 for config in configs)
    if not is_shared or any(config.gold_rate for config in configs):
        return None
    votes = standing_votes().filter(reviewer=reviewer)
    return votes.filter(task__born_in__in=[phase.pk for phase in asked]).count()

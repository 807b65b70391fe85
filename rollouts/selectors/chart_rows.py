"""What the charts count: outcomes by what a task asks, endings, calibration.

Phases are named one by one and what is counted is their phase: only then
does every database count from the index alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from django.db.models import (
    Avg,
    Case,
    CharField,
    Count,
    F,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Cast, Floor

from rollouts.models import Trajectory
from rollouts.selectors.pages import MEASURING, WORDS

SOLVED = "solved"
BROKEN = "broken"
CALIBRATION_BINS = 10
# Least and most of each group; None is without end.
STEP_GROUPS = ((1, 3), (4, 5), (6, 8), (9, None))
WORD_GROUPS = ((1, 8), (9, 14), (15, 20), (21, None))
Bounds = tuple[int, int | None]


@dataclasses.dataclass(frozen=True, slots=True)
class PhaseKey:
    """A phase and its run, as charts name them."""

    run_id: int
    run_name: str
    phase_id: int
    phase_number: int


@dataclasses.dataclass(frozen=True, slots=True)
class GroupRow:
    """Judged test episodes of one phase and purpose within one group of tasks."""

    phase: PhaseKey
    purpose: str
    bounds: Bounds
    n: int
    successes: int


@dataclasses.dataclass(frozen=True, slots=True)
class EndingRow:
    """Test episodes of one phase that ended in one way.

    `ending` is `SOLVED`, `BROKEN` (by the site or the browser), or the `ended_by`
    of those that solved nothing.
    """

    phase: PhaseKey
    purpose: str
    ending: str
    n: int


@dataclasses.dataclass(frozen=True, slots=True)
class CalibrationRow:
    """Judged episodes of a run whose P(YES) lies in one of ten equal bins.

    Attributes:
        place: 0 to 9; bin k runs from k / 10 to (k + 1) / 10.
        mean: Mean P(YES).
        n: Episodes; successes: those that the evaluators call a success.
    """

    run_id: int
    run_name: str
    place: int
    mean: float
    n: int
    successes: int


def count_by_steps(phase_ids: Collection[int]) -> list[GroupRow]:
    """Outcomes by the fewest steps that a task takes, in one query."""
    least = STEP_GROUPS[0][0]
    episodes = _judged(phase_ids).filter(task__optimal_steps__gte=least)
    return _count_groups(episodes.annotate(size=F("task__optimal_steps")), STEP_GROUPS)


def count_by_words(phase_ids: Collection[int]) -> list[GroupRow]:
    """Outcomes by the number of words of the instruction, in one query."""
    least = WORD_GROUPS[0][0]
    episodes = _judged(phase_ids).annotate(size=WORDS).filter(size__gte=least)
    return _count_groups(episodes, WORD_GROUPS)


def count_endings(phase_ids: Collection[int]) -> list[EndingRow]:
    """How the test episodes ended, in one query."""
    ending = Case(
        When(status=Trajectory.Status.FAILED, then=Value(BROKEN)),
        When(outcome=True, then=Value(SOLVED)),
        default=F("ended_by"),
        output_field=CharField(),
    )
    ended = (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)
    rows = (
        Trajectory.objects.filter(
            Q(outcome__isnull=False) | Q(status=Trajectory.Status.FAILED),
            phase_id__in=phase_ids,
            purpose__in=MEASURING,
            status__in=ended,
        )
        .annotate(ending=ending)
        .values_list(*_PHASE, "purpose", "ending")
        .annotate(n=Count("phase"))
        .order_by("phase__run_id", "phase__number", "purpose", "ending")
    )
    return [EndingRow(PhaseKey(*row[:4]), *row[4:]) for row in rows]


def count_calibration(phase_ids: Collection[int]) -> list[CalibrationRow]:
    """P(YES) against the evaluators over all of the phases' episodes, one row a run."""
    last = CALIBRATION_BINS - 1
    place = Cast(Floor(F("success_probability") * CALIBRATION_BINS), IntegerField())
    rows = (
        Trajectory.objects.filter(
            phase_id__in=phase_ids,
            outcome__isnull=False,
            success_probability__isnull=False,
        )
        .annotate(
            place=Case(When(success_probability__gte=1, then=last), default=place)
        )
        .values_list("phase__run_id", "phase__run__name", "place")
        .annotate(
            mean=Avg("success_probability"),
            n=Count("phase"),
            successes=Count("phase", filter=Q(outcome=True)),
        )
        .order_by("phase__run_id", "place")
    )
    return [CalibrationRow(*row) for row in rows]


_PHASE = ("phase__run_id", "phase__run__name", "phase_id", "phase__number")


def _judged(phase_ids: Collection[int]) -> QuerySet[Trajectory]:
    return Trajectory.objects.filter(
        phase_id__in=phase_ids, purpose__in=MEASURING, outcome__isnull=False
    )


def _count_groups(
    episodes: QuerySet[Trajectory], groups: Sequence[Bounds]
) -> list[GroupRow]:
    """Count by `size`, which is at least the least of the first group."""
    # The groups follow one another: one comparison each.
    cases = [
        When(size__lte=high, then=Value(at)) for at, (_, high) in enumerate(groups[:-1])
    ]
    last = Value(len(groups) - 1)
    group = Case(*cases, default=last, output_field=IntegerField())
    rows = (
        episodes.annotate(group=group)
        .values_list(*_PHASE, "purpose", "group")
        .annotate(n=Count("phase"), successes=Count("phase", filter=Q(outcome=True)))
        .order_by("phase__run_id", "phase__number", "purpose", "group")
    )
    return [
        GroupRow(PhaseKey(*row[:4]), row[4], groups[row[5]], row[6], row[7])
        for row in rows
    ]

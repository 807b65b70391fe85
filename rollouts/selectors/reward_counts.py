"""The reward model compared with the evaluators, counted once for two charts."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, Sum, When
from django.db.models.functions import Cast, Floor

from rollouts.models import Trajectory
from rollouts.selectors.chart_rows import (
    CALIBRATION_BINS,
    CalibrationRow,
    PhaseKey,
    VerdictRow,
)

LAST = CALIBRATION_BINS - 1
PLACE = Case(
    When(success_probability__gte=1, then=LAST),
    default=Cast(Floor(F("success_probability") * CALIBRATION_BINS), IntegerField()),
)
SAYS_YES = Case(
    When(reward__gt=0, then=1), When(reward__lte=0, then=0), output_field=IntegerField()
)


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedCount:
    """Judged episodes of a phase with equal outcome, reward and bin of P(YES).

    `says_yes` is 1, 0, or None without a reward; `place` is None without P(YES);
    `total` is the sum of P(YES).
    """

    phase: PhaseKey
    outcome: bool
    says_yes: int | None
    place: int | None
    total: float | None
    n: int


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedTasks:
    """How many tasks the judged episodes are of; several may be of one.

    Attributes:
        by_phase: Of scored ones: all, those with a YES, and those with a success.
        by_bin: Of those with P(YES), by run and bin.
    """

    by_phase: dict[int, tuple[int, int, int]]
    by_bin: dict[tuple[int, int], int]


def count_judged(phases: Sequence[PhaseKey]) -> list[JudgedCount]:
    """Count all judged episodes, in one query, in the order of the phases."""
    key_of = {phase.phase_id: phase for phase in phases}
    rows = (
        Trajectory.objects.filter(phase_id__in=key_of, outcome__isnull=False)
        .annotate(says_yes=SAYS_YES, place=PLACE)
        .values_list("phase_id", "outcome", "says_yes", "place")
        .annotate(total=Sum("success_probability"), n=Count("phase"))
        .order_by()
    )
    found = [JudgedCount(key_of[row[0]], *row[1:]) for row in rows]
    place = {phase: number for number, phase in enumerate(phases)}
    return sorted(found, key=lambda count: place[count.phase])


def count_judged_tasks(phases: Sequence[PhaseKey]) -> JudgedTasks:
    """Count the tasks of all judged episodes, in two queries."""
    rows = Trajectory.objects.filter(
        phase_id__in=[phase.phase_id for phase in phases], outcome__isnull=False
    ).order_by()
    by_phase = (
        rows.filter(reward__isnull=False)
        .values_list("phase_id")
        .annotate(tasks=_tasks(), yes=_tasks(reward__gt=0), solved=_tasks(outcome=True))
    )
    by_bin = (
        rows.filter(success_probability__isnull=False)
        .annotate(place=PLACE)
        .values_list("phase__run_id", "place")
        .annotate(tasks=_tasks())
    )
    return JudgedTasks(
        {phase_id: (tasks, yes, solved) for phase_id, tasks, yes, solved in by_phase},
        {(run_id, place): tasks for run_id, place, tasks in by_bin},
    )


def _tasks(**of: Any) -> Count:
    return Count("task_id", distinct=True, filter=Q(**of))


def add_up_verdicts(
    counts: Sequence[JudgedCount], tasks: JudgedTasks
) -> list[VerdictRow]:
    """Return the reward model's hits and misses, one row a phase."""
    sums: dict[PhaseKey, Counter[tuple[int, bool]]] = {}
    for count in counts:
        if count.says_yes is not None:
            found = sums.setdefault(count.phase, Counter())
            found[count.says_yes, count.outcome] += count.n
    return [
        VerdictRow(
            *phase.parts(),
            *(found[1, True], found[1, False]),
            *(found[0, False], found[0, True]),
            *tasks.by_phase[phase.phase_id],
        )
        for phase, found in sums.items()
    ]


def add_up_calibration(
    counts: Sequence[JudgedCount], tasks: JudgedTasks
) -> list[CalibrationRow]:
    """Return P(YES) against the outcomes: a row for each run and bin, in order."""
    sums: dict[tuple[int, str, int], list[JudgedCount]] = {}
    for count in counts:
        if count.place is not None:
            key = (count.phase.run_id, count.phase.run_name, count.place)
            sums.setdefault(key, []).append(count)
    rows = []
    for (run_id, name, place), alike in sorted(sums.items()):
        n = sum(count.n for count in alike)
        mean = sum(count.total or 0.0 for count in alike) / n
        successes = sum(count.n for count in alike if count.outcome)
        shared = tasks.by_bin[run_id, place]
        rows.append(CalibrationRow(run_id, name, place, mean, n, successes, shared))
    return rows

"""The reward model compared with the evaluators, counted once for two charts."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from django.db.models import Case, Count, F, IntegerField, Sum, When
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


def add_up_verdicts(counts: Sequence[JudgedCount]) -> list[VerdictRow]:
    """Return the reward model's hits and misses, one row a phase."""
    sums: dict[PhaseKey, Counter[tuple[int, bool]]] = {}
    for count in counts:
        if count.says_yes is not None:
            found = sums.setdefault(count.phase, Counter())
            found[count.says_yes, count.outcome] += count.n
    cells = ((1, True), (1, False), (0, False), (0, True))
    return [
        VerdictRow(*phase.parts(), *(found[cell] for cell in cells))
        for phase, found in sums.items()
    ]


def add_up_calibration(counts: Sequence[JudgedCount]) -> list[CalibrationRow]:
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
        rows.append(CalibrationRow(run_id, name, place, mean, n, successes))
    return rows

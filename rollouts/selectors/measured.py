"""The results on the test tasks in a run's newest measurement."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, Q

from curriculum.models import Phase
from rollouts.models import Trajectory

Purpose = Trajectory.Purpose


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One measurement of the test tasks: a phase and its purpose."""

    run_id: int
    phase_id: int
    phase_number: int
    purpose: str


@dataclasses.dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The evaluators' outcome of one episode on a test task."""

    trajectory_id: int
    task_id: int
    instruction: str
    is_right: bool


@dataclasses.dataclass(frozen=True, slots=True)
class MeasuredPhase:
    """A phase that has measured its first weights, or with `has_result` those made."""

    phase: Phase
    has_result: bool


def list_measured(run_ids: Collection[int]) -> dict[int, Measured]:
    """Return each run's newest measurement; runs without one are left out."""
    rows = (
        Trajectory.objects.filter(
            phase__run_id__in=run_ids,
            purpose__in=(Purpose.BASELINE, Purpose.EVALUATE),
            outcome__isnull=False,
        )
        .order_by("phase__number", "purpose")
        .values_list("phase__run_id", "phase_id", "phase__number", "purpose")
        .distinct()
    )
    # "baseline" sorts before "evaluate", as in time: the last row is the newest.
    return {row[0]: Measured(*row) for row in rows}


def list_measured_phases(run_ids: Collection[int]) -> list[MeasuredPhase]:
    """Return the phases with judged test episodes, by run and oldest first."""
    judged = Trajectory.objects.filter(phase=OuterRef("pk"), outcome__isnull=False)
    phases = Phase.objects.filter(run_id__in=run_ids).annotate(
        has_start=Exists(judged.filter(purpose=Purpose.BASELINE)),
        has_result=Exists(judged.filter(purpose=Purpose.EVALUATE)),
    )
    measured = phases.filter(Q(has_start=True) | Q(has_result=True))
    return [
        MeasuredPhase(phase, phase.has_result)
        for phase in measured.order_by("run_id", "number")
    ]


def map_test_tasks(measured: Sequence[Measured]) -> dict[Measured, set[int]]:
    """Return the tasks of each measurement, broken episodes too, in one query."""
    rows = Trajectory.objects.filter(_choose(measured)).order_by()
    by_phase = {(one.phase_id, one.purpose): one for one in measured}
    found: dict[Measured, set[int]] = {one: set() for one in measured}
    for phase_id, purpose, task_id in rows.values_list(
        "phase_id", "purpose", "task_id"
    ):
        found[by_phase[phase_id, purpose]].add(task_id)
    return found


def list_task_outcomes(
    measured: Sequence[Measured],
) -> dict[Measured, list[TaskOutcome]]:
    """Return the judged episodes of each measurement, in one query."""
    rows = (
        Trajectory.objects.filter(_choose(measured), outcome__isnull=False)
        .order_by("task_id", "pk")
        .values_list(
            "phase_id", "purpose", "pk", "task_id", "task__instruction", "outcome"
        )
    )
    found: dict[Measured, list[TaskOutcome]] = {one: [] for one in measured}
    by_phase = {(one.phase_id, one.purpose): one for one in measured}
    for phase_id, purpose, pk, task_id, instruction, outcome in rows:
        row = TaskOutcome(pk, task_id, instruction, bool(outcome))
        found[by_phase[phase_id, purpose]].append(row)
    return found


def _choose(measured: Sequence[Measured]) -> Q:
    # Without measurements the filter must match nothing, not everything.
    chosen = Q(pk__in=[])
    for one in measured:
        chosen |= Q(phase_id=one.phase_id, purpose=one.purpose)
    return chosen

"""Where the time of the last closed phase went, and how much is orchestration.

Each status lasts from its event to the next one. Inside it, work is what browser,
model and training report: the time during which at least one episode's steps were
being observed, answered, carried out or settled; the training process's own clock;
for scoring and evolving, the time until the last batch was reported. The rest is
orchestration: claiming, saving, waking, waiting for a worker, opening episodes. An
episode's steps are placed end to end from its start, so time between them also counts
as orchestration unless another episode is working then.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import DatabaseError

from benchmarks.records import Record
from curriculum.models import Phase, PhaseEvent
from rollouts.models import STAGE_PURPOSES, Step, Trajectory
from training.models import TrainingRun

Span = tuple[datetime, datetime]
# In review people take the time; a closed phase takes none.
LEFT_OUT = {Phase.Status.REVIEW, Phase.Status.CLOSED}


class NoPhase(SystemExit):
    """There is no closed phase to measure."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """One stage's share: seconds in all, seconds of work inside, units of work."""

    name: str
    seconds: float
    work: float
    n: int


def run() -> list[Record]:
    """Measure the phase that was closed last."""
    phase = find_phase()
    stages = [measure_stage(phase, name, span) for name, span in list_stages(phase)]
    total = sum(stage.seconds for stage in stages)
    idle = sum(max(0.0, stage.seconds - stage.work) for stage in stages)
    records = [
        Record(stage.name, stage.seconds, total, "s", stage.n) for stage in stages
    ]
    return [
        *records,
        Record("orchestration", idle, total, "s", 1),
        Record("whole phase without review", total, None, "s", 1),
    ]


def find_phase() -> Phase:
    """Return the phase that was closed last.

    Raises:
        NoPhase: There is none, or not even a database.
    """
    closed = Phase.objects.filter(status=Phase.Status.CLOSED).order_by("ended_at")
    with contextlib.suppress(DatabaseError):
        if phase := closed.last():
            return phase
    raise NoPhase("No phase is closed yet; run ./webrl demo first.")


def list_stages(phase: Phase) -> list[tuple[str, Span]]:
    """Return each status with its start and end, without the time of people."""
    events = PhaseEvent.objects.filter(phase=phase, kind="status").order_by("pk")
    return [
        (str(event.data["status"]), (event.created_at, following.created_at))
        for event, following in itertools.pairwise(events)
        if event.data["status"] not in LEFT_OUT
    ]


def measure_stage(phase: Phase, name: str, span: Span) -> Stage:
    """Compare a stage's length with the work done inside it."""
    seconds = (span[1] - span[0]).total_seconds()
    if name in STAGE_PURPOSES:
        spans = list_episodes(phase, STAGE_PURPOSES[name])
        return Stage(name, seconds, cover(spans, span), len(spans))
    if name == Phase.Status.TRAINING:
        return Stage(name, seconds, measure_training(phase), 1)
    return Stage(name, seconds, measure_batches(phase, span), 1)


def list_episodes(phase: Phase, purpose: str) -> list[Span]:
    """Return when each finished episode's steps kept browser or model busy."""
    rows = Trajectory.objects.filter(
        phase=phase, purpose=purpose, status=Trajectory.Status.FINISHED
    )
    busy: dict[tuple[int, int], float] = {}
    steps = Step.objects.filter(trajectory__in=rows)
    for key, attempt, timing in steps.values_list("trajectory_id", "attempt", "timing"):
        spent = sum(timing.values()) / 1000
        busy[key, attempt] = busy.get((key, attempt), 0.0) + spent
    return [
        (row.started_at, row.started_at + timedelta(seconds=spent))
        for row in rows
        if row.started_at and (spent := busy.get((row.pk, row.attempt), 0.0))
    ]


def cover(spans: Iterable[Span], within: Span) -> float:
    """Return how many seconds of `within` at least one span covers."""
    covered, reached = 0.0, within[0]
    for start, end in sorted(spans):
        start, end = max(start, reached), min(end, within[1])
        if end > start:
            covered += (end - start).total_seconds()
            reached = end
    return covered


def measure_training(phase: Phase) -> float:
    """Return how long the training process ran."""
    run = TrainingRun.objects.filter(phase=phase).first()
    if run is None or run.started_at is None or run.ended_at is None:
        return 0.0
    return (run.ended_at - run.started_at).total_seconds()


def measure_batches(phase: Phase, span: Span) -> float:
    """Return the seconds from the stage's start to its last reported batch."""
    last = PhaseEvent.objects.filter(
        phase=phase, kind="progress", created_at__range=span
    ).last()
    return (last.created_at - span[0]).total_seconds() if last else 0.0

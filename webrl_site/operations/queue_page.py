"""Which workers are active, what waits, and when it may begin."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from curriculum.models import Phase
from curriculum.selectors.pages import list_open_phases
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.selectors.pages import count_by_purpose, list_lease_owners
from training.selectors.pages import map_training_runs
from webrl_site.loop.stuck import find_stuck
from webrl_site.loop.wakeups import JOBS
from webrl_site.phases.progress import PhaseFacts, Stage, list_stages
from webrl_site.server.health import check_sweep
from webrl_site.server.workers import count_alive, list_workers

S = Phase.Status
EPISODES = Trajectory.Status


@dataclasses.dataclass(frozen=True, slots=True)
class QueuedWork:
    """One phase's place in the queue.

    Attributes:
        queue: The queue whose workers do its stage; "" if people do it, or nobody.
        position: 1 for the next phase; 0 for one that a worker works on now.
        queued, running: Episodes; 0 in stages without them.
        starts_in_s: Forecast of when its turn comes; None if unknown.
        owner: The worker that holds the stage, if one job does it alone.
    """

    phase: Phase
    stage: Stage | None
    queue: str
    position: int
    queued: int
    running: int
    starts_in_s: float | None
    owner: str
    stuck_since: dt.datetime | None


def describe_queue() -> dict[str, Any]:
    """Return the page's variables with a constant number of queries."""
    phases = sorted(list_open_phases(), key=lambda phase: phase.pk)
    moving = [phase for phase in phases if phase.is_moving]
    workers = list_workers()
    return {
        "workers": [worker for worker in workers if worker.is_alive],
        "silent": [worker for worker in workers if not worker.is_alive],
        "alive": count_alive(workers),
        "sweep": check_sweep(),
        "owners": list_lease_owners(),
        "work": list_work(moving),
        "stopped": [phase for phase in phases if not phase.is_moving],
    }


def list_work(phases: list[Phase]) -> list[QueuedWork]:
    """Return the moving phases' work, each queue in its order of turns."""
    now = timezone.now()
    stages = _find_stages(phases, now)
    counts, stuck = _count_episodes(phases), find_stuck(phases, now)
    work = [_describe(phase, stages, counts, stuck) for phase in phases]
    turns: dict[str, tuple[int, float | None]] = {}
    placed = []
    for one in sorted(work, key=lambda one: (one.queue, not _is_busy(one))):
        position, wait = turns.get(one.queue, (0, 0.0))
        if _is_busy(one) or not one.queue:
            placed.append(dataclasses.replace(one, starts_in_s=0.0))
        else:
            position += 1
            placed.append(dataclasses.replace(one, position=position, starts_in_s=wait))
        left = one.stage.seconds_left if one.stage else None
        wait = None if wait is None or left is None else wait + left
        turns[one.queue] = (position, wait)
    return placed


def _is_busy(work: QueuedWork) -> bool:
    return bool(work.running or work.owner)


def _describe(
    phase: Phase,
    stages: dict[int, Stage | None],
    counts: dict[int, tuple[int, int]],
    stuck: dict[int, dt.datetime],
) -> QueuedWork:
    queued, running = counts.get(phase.pk, (0, 0))
    return QueuedWork(
        phase=phase,
        stage=stages[phase.pk],
        queue=find_queue(phase.status),
        position=0,
        queued=queued,
        running=running,
        starts_in_s=None,
        owner=phase.work_owner if phase.work_leased_until else "",
        stuck_since=stuck.get(phase.pk),
    )


def find_queue(status: str) -> str:
    """Return the queue whose workers do a stage: "" for review."""
    if status == S.EVOLVING:
        return "training"
    job = JOBS.get(S(status), "")
    if status == S.PLANNED:
        return "loop"
    return job.partition(".")[0]


def _find_stages(phases: list[Phase], now: dt.datetime) -> dict[int, Stage | None]:
    """Return the stage that each phase is in, with its forecast."""
    ids = [phase.pk for phase in phases]
    counts, training = count_by_purpose(ids), map_training_runs(ids)
    found: dict[int, Stage | None] = {}
    for phase in phases:
        facts = PhaseFacts(
            phase=phase,
            by_purpose={p: row for (pk, p), row in counts.items() if pk == phase.pk},
            evolved={},
            training=training.get(phase.pk),
            progress={},
            now=now,
        )
        current = [stage for stage in list_stages(facts) if stage.state == "current"]
        found[phase.pk] = current[0] if current else None
    return found


def _count_episodes(phases: list[Phase]) -> dict[int, tuple[int, int]]:
    """Return queued and running episodes of the stages that the phases are in."""
    chosen = Q()
    for phase in phases:
        if phase.status in STAGE_PURPOSES:
            chosen |= Q(phase_id=phase.pk, purpose=STAGE_PURPOSES[phase.status])
    if not chosen:
        return {}
    rows = (
        Trajectory.objects.filter(chosen)
        .order_by()
        .values_list("phase_id")
        .annotate(
            queued=Count("pk", filter=Q(status=EPISODES.QUEUED)),
            running=Count("pk", filter=Q(status=EPISODES.RUNNING)),
        )
    )
    return {phase_id: (queued, running) for phase_id, queued, running in rows}

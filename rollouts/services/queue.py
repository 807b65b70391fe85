"""Episodes as work: queued as rows, claimed under a lease, given back.

`attempt` is the fencing number. Every claim raises it, and a write with an older one
changes nothing, so a worker that was taken for dead can do no harm.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from curriculum.models import Phase, Task
from curriculum.phase_config import CurriculumConfig, RolloutConfig
from curriculum.selectors.pools import list_instances, usable_tasks
from curriculum.selectors.waits import may_call_endpoint
from curriculum.services.lease_watch import LeaseWatch
from curriculum.texts.sentences import Sentence
from rollouts.browser.types import Attempt, EpisodeRequest, TaskSpec
from rollouts.browser.verified.types import tell_format
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.services.site_turns import pick_episodes

Status = Trajectory.Status
Purpose = Trajectory.Purpose

# An episode whose worker died this often is taken to be the cause.
LOST_LIMIT = 20
LEASE_FIELDS = ("attempt", "leased_until", "lost_leases", "phase_id")
# The columns that `build_request` reads.
READ = (
    *("attempt", "seed", "site_instances", "phase__run__config", "task__site__key"),
    *("task__instruction", "task__start_url", "task__spec"),
)
# Of this process.
WATCH: LeaseWatch[Attempt] = LeaseWatch()


def read_rollout_config(phase: Phase) -> RolloutConfig:
    """Return the run's rollout settings, checked when the run was created."""
    return RolloutConfig(**phase.run.config.get("rollout", {}))


def draw_seed(*parts: object) -> int:
    """Return the same number below 2**31 for the same parts, on any machine."""
    text = "/".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) >> 1


@transaction.atomic
def queue_episodes(*, phase: Phase, purpose: str) -> int:
    """Queue the phase's episodes of one purpose, only once; return how many."""
    config = read_rollout_config(phase)
    is_training = purpose == Purpose.COLLECT
    repeats = config.attempts_per_task if is_training else config.evaluation_attempts
    rows = [
        Trajectory(
            phase=phase,
            task_id=task_id,
            purpose=purpose,
            repeat=repeat,
            seed=draw_seed(phase.run.seed, phase.number, task_id, purpose, repeat),
        )
        for repeat in range(repeats)
        for task_id in _list_task_ids(phase, purpose)
    ]
    Trajectory.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    return len(rows)


def _list_task_ids(phase: Phase, purpose: str) -> list[int]:
    """Return what to attempt: the phase's own tasks, or the frozen test split.

    A task may have been found to resemble a new test task since it was chosen. New test
    tasks wait for the next phase: this one measures the same ones before and after.
    """
    if purpose == Purpose.COLLECT:
        chosen = phase.tasks.filter(status=Task.Status.ACCEPTED)
        return list(chosen.order_by("pk").values_list("pk", flat=True))
    if purpose == Purpose.EVALUATE and (measured := _list_measured(phase)):
        return measured
    limit = CurriculumConfig(**phase.run.config.get("curriculum", {})).evaluation_tasks
    rows = usable_tasks(phase.run, Task.Split.TEST)
    keys = sorted(rows.values_list("key", "pk"), key=lambda row: draw_seed(row[0]))
    return sorted(task_id for _, task_id in (keys[:limit] if limit else keys))


def _list_measured(phase: Phase) -> list[int]:
    """Return the tasks of the phase's own baseline; none if it was measured before."""
    rows = Trajectory.objects.filter(phase=phase, purpose=Purpose.BASELINE)
    return sorted(set(rows.values_list("task_id", flat=True)))


@transaction.atomic
def claim_episodes(
    *,
    phase_id: int,
    purpose: str,
    owner: str,
    limit: int,
    lease_s: float,
    acted_by: str = "",
    acted_digest: str = "",
) -> list[EpisodeRequest]:
    """Take up to `limit` queued episodes for `lease_s` seconds.

    Each row notes what acts: the served model or checkpoint, and its digest.

    SQLite holds the write lock from BEGIN IMMEDIATE on; PostgreSQL skips the rows
    that others are taking. Either way no episode goes to two owners.
    """
    if limit <= 0:
        return []
    queued = Trajectory.objects.filter(
        phase_id=phase_id, purpose=purpose, status=Status.QUEUED
    )
    locked = queued.select_for_update(skip_locked=True, of=("self",))
    is_open = may_call_endpoint("phase__") & Q(phase__status__in=tuple(STAGE_PURPOSES))
    pools = list_instances()
    choices: dict[int, dict[str, int]]
    if pools:
        choices = pick_episodes(
            locked.filter(is_open),
            limit,
            pools=pools,
            phase_id=phase_id,
            purpose=purpose,
        )
    else:
        # Reads this table alone: PostgreSQL assumes that a phase which was just queued
        # is empty, and would join all of its episodes before it sorts them.
        oldest = locked.order_by("pk").values_list("pk", flat=True)[:limit]
        choices = {pk: {} for pk in oldest}
    chosen = Trajectory.objects.filter(is_open, pk__in=choices)
    rows = list(_with_tasks(chosen))
    for row in rows:
        row.site_instances = choices[row.pk]
    acting = {"acted_by": acted_by, "acted_digest": acted_digest}
    _claim(rows, owner, lease_s, acting)
    return [build_request(row, pools) for row in rows]


def _with_tasks(rows: QuerySet[Trajectory]) -> QuerySet[Trajectory]:
    """Read the requests' columns, oldest first: composing the query costs most."""
    return rows.select_related("task__site", "phase__run").only(*READ).order_by("pk")


def _claim(
    rows: Sequence[Trajectory], owner: str, lease_s: float, acting: Mapping[str, str]
) -> None:
    """Take the episodes and, in the same update, their instances of sites.

    Raises:
        OperationalError: Another worker has one of them, in spite of the lock.
    """
    now = timezone.now()
    alike: defaultdict[tuple[tuple[str, int], ...], list[int]] = defaultdict(list)
    for row in rows:
        alike[tuple(sorted(row.site_instances.items()))].append(row.pk)
        # As after the update below.
        row.attempt += 1
    for chosen, ids in alike.items():
        free = Trajectory.objects.filter(pk__in=ids, status=Status.QUEUED)
        taken = free.update(
            status=Status.RUNNING,
            attempt=F("attempt") + 1,
            site_instances=dict(chosen),
            lease_owner=owner,
            leased_until=now + timedelta(seconds=lease_s),
            started_at=now,
            failure_class="",
            failure_reason="",
            trace="",
            refused_attempts=[],
            **acting,
        )
        if taken != len(ids):
            raise OperationalError("Somebody else has taken an episode.")


def build_request(
    row: Trajectory, instances: Mapping[str, Mapping[int, str]] | None = None
) -> EpisodeRequest:
    """Return the request that a browser needs for a claimed episode.

    `instances` are the addresses of external sites by key and number.
    """
    config = read_rollout_config(row.phase)
    share = draw_seed("screenshots", row.seed) / 2**31
    return EpisodeRequest(
        trajectory_id=row.pk,
        attempt=row.attempt,
        task=TaskSpec(
            task_id=row.task_id,
            instruction=tell_format(row.task.instruction, row.task.spec),
            start_url=row.task.start_url,
            sites=tuple(row.task.spec.get("sites") or [row.task.site.key]),
            spec=row.task.spec,
            addresses=_find_addresses(row, instances or {}),
        ),
        seed=row.seed,
        step_limit=config.step_limit,
        time_limit_s=config.time_limit_s,
        record_snapshots=config.record_snapshots,
        record_screenshots=share < config.screenshot_share,
        traces=config.traces,
    )


def _find_addresses(
    row: Trajectory, instances: Mapping[str, Mapping[int, str]]
) -> dict[str, str]:
    chosen = row.site_instances.items()
    return {
        key: instances[key][number]
        for key, number in chosen
        if number in instances.get(key, {})
    }


def renew_leases(*, owner: str, trajectory_ids: Collection[int], lease_s: float) -> int:
    """Renew the leases of the owner's running episodes; return how many are left."""
    if not trajectory_ids:
        return 0
    until = timezone.now() + timedelta(seconds=lease_s)
    return _running(trajectory_ids).filter(lease_owner=owner).update(leased_until=until)


def list_held(*, owner: str, trajectory_ids: Collection[int]) -> set[Attempt]:
    """Return the attempts at these episodes that the owner still has."""
    held = _running(trajectory_ids).filter(lease_owner=owner)
    return set(held.values_list("pk", "attempt"))


def release_episodes(*, owner: str, trajectory_ids: Collection[int]) -> int:
    """Queue the owner's unfinished episodes again, as when a worker shuts down."""
    return (
        _running(trajectory_ids)
        .filter(lease_owner=owner)
        .update(status=Status.QUEUED, lease_owner="", leased_until=None)
    )


def requeue_failed(*, phase_id: int, purpose: str) -> int:
    """Queue broken episodes again with all retries, as when a phase is resumed."""
    return Trajectory.objects.filter(
        phase_id=phase_id, purpose=purpose, status=Status.FAILED
    ).update(
        status=Status.QUEUED, lease_owner="", ended_at=None, failures=0, lost_leases=0
    )


@transaction.atomic
def requeue_expired(watch: LeaseWatch[Attempt] = WATCH) -> set[int]:
    """Queue the episodes of owners that fell silent; return the phases concerned.

    Not takeovers: the pages that the person has seen cannot be restored.
    """
    held = Trajectory.objects.exclude(purpose=Purpose.BY_HAND).filter(
        status=Status.RUNNING, leased_until__isnull=False
    )
    rows = {(row.pk, row.attempt): row for row in held.only(*LEASE_FIELDS)}
    marks = {lease: row.leased_until for lease, row in rows.items()}
    concerned = set()
    for lease in sorted(watch.find_silent(marks, settings.LEASE_S)):
        row = rows[lease]
        # A lease that has been renewed since then stays.
        same = _running([row.pk]).filter(
            attempt=row.attempt, leased_until=row.leased_until
        )
        if same.update(lost_leases=F("lost_leases") + 1, **_describe_loss(row)):
            concerned.add(row.phase_id)
    return concerned


def _describe_loss(row: Trajectory) -> dict[str, Any]:
    """Return the new fields of an episode whose owner has fallen silent again."""
    if row.lost_leases + 1 < LOST_LIMIT:
        return {"status": Status.QUEUED, "lease_owner": "", "leased_until": None}
    return {
        "status": Status.FAILED,
        "failure_class": "harness",
        "failure_reason": Sentence("worker_died", count=LOST_LIMIT),
        "leased_until": None,
        "ended_at": timezone.now(),
    }


def note_survivors(ids: Collection[int]) -> int:
    """Take back one loss of each: the owner that was taken for dead is alive."""
    lost = Trajectory.objects.filter(pk__in=list(ids), lost_leases__gt=0)
    return lost.update(lost_leases=F("lost_leases") - 1)


def _running(ids: Collection[int] | Sequence[int]) -> QuerySet[Trajectory]:
    return Trajectory.objects.filter(pk__in=list(ids), status=Status.RUNNING)

"""Evolved tasks on their way to the review desk: proposed, filtered, shortlisted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from curriculum.errors import StageLost
from curriculum.events import tell_phase
from curriculum.evolution.filters import find_value_reason
from curriculum.evolution.types import Feasibility, ProposedTask, digest_task
from curriculum.models import Phase, Site, Task
from curriculum.phase_config import CurriculumConfig
from curriculum.services.leaks import filter_born
from curriculum.services.stage_lease import StageLease

Verdict = tuple[ProposedTask, str, Feasibility | None]


@transaction.atomic
def record_proposals(*, lease: StageLease, verdicts: Sequence[Verdict]) -> int:
    """Write the generator's proposals and the first filters' results.

    Running twice writes the same rows once: their keys come from their content. Returns
    how many have passed so far.

    Raises:
        StageLost: The lease is lost; nothing was written.
    """
    ended = Phase.objects.filter(
        pk=lease.phase_id, status=lease.stage, work_token=lease.token
    ).update(evolved_at=timezone.now(), woken_at=None)
    if not ended:
        raise StageLost("Somebody else evolves this phase's tasks.")
    sites = {site.key: site for site in Site.objects.all()}
    rows = [
        _build_task(lease.phase_id, sites[task.site], task, reason, feasibility)
        for task, reason, feasibility in verdicts
        if task.site in sites
    ]
    Task.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    left = Task.objects.filter(
        born_in_id=lease.phase_id, status=Task.Status.PROPOSED
    ).count()
    tell_phase(lease.phase_id, "proposed", count=len(rows), left=left)
    return left


def _build_task(
    phase_id: int,
    site: Site,
    task: ProposedTask,
    reason: str,
    feasibility: Feasibility | None,
) -> Task:
    digest = digest_task(task.instruction, task.start_url)
    return Task(
        key=f"evolved.{phase_id}.{digest[:24]}",
        site=site,
        instruction=task.instruction,
        start_url=task.start_url,
        spec={**task.spec, "intent": task.instruction},
        template_key=task.template_key,
        split=Task.Split.TRAIN,
        origin=Task.Origin.EVOLVED,
        status=Task.Status.FILTERED if reason else Task.Status.PROPOSED,
        digest=digest,
        optimal_steps=task.optimal_steps,
        parent_id=task.parent_id,
        born_in_id=phase_id,
        is_feasible=feasibility.is_feasible if feasibility else None,
        feasibility_reason=feasibility.reason if feasibility else "",
        filter_reason=reason,
    )


@transaction.atomic
def set_task_values(*, values: Mapping[int, float]) -> None:
    """Store the critic's estimates, each between 0 and 1."""
    tasks = [
        Task(pk=task_id, value_estimate=min(1.0, max(0.0, value)))
        for task_id, value in values.items()
    ]
    Task.objects.bulk_update(tasks, ["value_estimate"], batch_size=500)


@transaction.atomic
def shortlist_tasks(*, phase_id: int, config: CurriculumConfig) -> int:
    """Shortlist the proposed tasks inside the value band; return how many."""
    tasks = list(
        Task.objects.filter(
            born_in_id=phase_id,
            status=Task.Status.PROPOSED,
            value_estimate__isnull=False,
        )
    )
    for task in tasks:
        task.filter_reason = find_value_reason(
            task.value_estimate or 0.0, config.value_low, config.value_high
        )
        task.status = (
            Task.Status.FILTERED if task.filter_reason else Task.Status.SHORTLISTED
        )
    Task.objects.bulk_update(tasks, ["status", "filter_reason"], batch_size=500)
    kept = sum(not task.filter_reason for task in tasks)
    tell_phase(phase_id, "shortlisted", kept=kept, count=len(tasks))
    return kept


@transaction.atomic
def accept_shortlisted(*, phase_id: int) -> int:
    """Accept all waiting tasks without review; each is marked as such.

    As in a review, no task that resembles a test task is accepted.
    """
    filter_born(phase_id)
    count = Task.objects.filter(
        born_in_id=phase_id, status=Task.Status.SHORTLISTED
    ).update(status=Task.Status.ACCEPTED, was_auto_accepted=True)
    if count:
        tell_phase(phase_id, "accepted", count=count)
    return count


def mark_evolved(*, phase_ids: Iterable[int]) -> None:
    """Mark a phase that has nothing to evolve, as without failures or a curriculum."""
    Phase.objects.filter(pk__in=list(phase_ids), evolved_at=None).update(
        evolved_at=timezone.now()
    )

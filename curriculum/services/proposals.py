"""Evolved tasks on their way to the review desk: proposed, filtered, shortlisted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from curriculum.events import tell_phase
from curriculum.evolution.answers import make_storable
from curriculum.evolution.filters import find_value_reason
from curriculum.evolution.types import Feasibility, ProposedTask, digest_task
from curriculum.models import Phase, Site, Task
from curriculum.phase_config import CurriculumConfig
from curriculum.selectors.pools import list_unjudged
from curriculum.services.leaks import filter_born
from curriculum.texts.sentences import Sentence

# Characters of the columns: what is longer is filtered out, and stored cut.
MAX_START_URL, MAX_TEMPLATE_KEY = 2000, 80


@transaction.atomic
def record_proposals(
    *, phase_id: int, found: Sequence[tuple[ProposedTask, str]], is_last: bool
) -> None:
    """Write some of the generator's proposals, each with its reason to be left out.

    Those without a reason wait for the verdict of `record_feasibility`. Writing them
    twice writes the same rows once: their keys come from their content. With `is_last`
    the generator is not asked for more. The caller holds the stage's lease.
    """
    sites = {site.key: site for site in Site.objects.all()}
    rows = [
        _build_task(phase_id, sites[task.site], task, reason) for task, reason in found
    ]
    Task.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    if is_last:
        Phase.objects.filter(pk=phase_id).update(evolved_at=timezone.now())
        _tell_when_judged(phase_id)


@transaction.atomic
def record_feasibility(*, task: Task, feasibility: Feasibility) -> None:
    """Write whether a proposal can be done; one that cannot is filtered out.

    The caller holds the lease of the stage in which the task is born.
    """
    is_feasible, told = feasibility.is_feasible, make_storable(feasibility.reason)
    reason = "" if is_feasible else Sentence("infeasible", reason=told)
    # It may have been found to resemble a new test task meanwhile.
    Task.objects.filter(pk=task.pk, status=Task.Status.PROPOSED).update(
        status=Task.Status.PROPOSED if is_feasible else Task.Status.FILTERED,
        is_feasible=is_feasible,
        feasibility_reason=told,
        filter_reason=reason,
    )
    _tell_when_judged(task.born_in_id or 0)


def _tell_when_judged(phase_id: int) -> None:
    """Once the last proposal is judged, say so and let the next job begin at once."""
    if list_unjudged(phase_id).exists():
        return
    Phase.objects.filter(pk=phase_id).update(woken_at=None)
    born = Task.objects.filter(born_in_id=phase_id)
    left = born.filter(status=Task.Status.PROPOSED).count()
    tell_phase(phase_id, "proposed", count=born.count(), left=left)


def _build_task(
    phase_id: int,
    site: Site,
    task: ProposedTask,
    reason: str,
) -> Task:
    digest = digest_task(task.instruction, task.start_url)
    return Task(
        key=f"evolved.{phase_id}.{digest[:24]}",
        site=site,
        instruction=task.instruction,
        start_url=task.start_url[:MAX_START_URL],
        spec={**task.spec, "intent": task.instruction},
        template_key=task.template_key[:MAX_TEMPLATE_KEY],
        split=Task.Split.TRAIN,
        origin=Task.Origin.EVOLVED,
        status=Task.Status.FILTERED if reason else Task.Status.PROPOSED,
        digest=digest,
        optimal_steps=task.optimal_steps,
        parent_id=task.parent_id,
        born_in_id=phase_id,
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
    # One may have been found to resemble a new test task meanwhile.
    proposed = Task.objects.filter(status=Task.Status.PROPOSED)
    proposed.bulk_update(tasks, ["status", "filter_reason"], batch_size=500)
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

"""The job that evolves instructions. It may run twice, on any worker."""

from __future__ import annotations

from celery import shared_task

from curriculum.services.evolution import evolve_phase
from curriculum.services.stage_guard import failing_phase, name_owner


@shared_task(name="curriculum.tasks.evolve")
def evolve(phase_id: int, seed_task_ids: list[int]) -> int:
    """Propose new tasks from failed ones and run the first filters."""
    with failing_phase(phase_id):
        return evolve_phase(
            phase_id=phase_id, seed_task_ids=seed_task_ids, owner=name_owner()
        )
    return 0

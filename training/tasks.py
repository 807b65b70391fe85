"""The jobs that score, train and value. They may run twice, on any worker."""

from __future__ import annotations

from celery import shared_task

from curriculum.services.stage_guard import failing_phase, name_owner
from training import services


@shared_task(name="training.tasks.score_phase")
def score_phase(phase_id: int) -> int:
    """Let the reward model read what the phase collected."""
    with failing_phase(phase_id):
        return services.score_phase(phase_id=phase_id, owner=name_owner())
    return 0


@shared_task(name="training.tasks.train_phase")
def train_phase(phase_id: int) -> bool:
    """Train critic and policy in a supervised subprocess."""
    with failing_phase(phase_id):
        return services.train_phase(phase_id=phase_id, owner=name_owner())
    return False


@shared_task(name="training.tasks.estimate_values")
def estimate_values(phase_id: int) -> int:
    """Let the critic value the proposed tasks, and shortlist those in the band."""
    with failing_phase(phase_id):
        return services.estimate_values(phase_id=phase_id, owner=name_owner())
    return 0

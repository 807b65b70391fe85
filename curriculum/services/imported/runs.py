"""Runs and phases of imported episodes.

Such a run has closed phases only. Its weights are names and not checkpoints, so no
further phase can be opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from curriculum.models import Phase, Run
from curriculum.services.phases import clean_run_name, require_free_name

# The address of an imported run's weights; no checkpoint is there.
NO_WEIGHTS = "imported"
# A run with the first word is still being written; one with the second is complete.
UNFINISHED, FINISHED = " importing ", " imported "


@transaction.atomic
def begin_imported_run(*, name: str, config: Mapping[str, Any], notes: str) -> Run:
    """Make a run without phases; one that an import left unfinished is replaced.

    Raises:
        WorkbenchError: The name is empty, too long or taken.
    """
    name = clean_run_name(name)
    Run.objects.filter(name=name, tags=UNFINISHED).delete()
    require_free_name(name)
    return Run.objects.create(
        name=name,
        config=dict(config),
        policy_uri=NO_WEIGHTS,
        critic_uri=NO_WEIGHTS,
        orm_uri=NO_WEIGHTS,
        notes=notes,
        tags=UNFINISHED,
    )


def finish_imported_run(*, run_id: int) -> None:
    """Mark a run as complete: all of its episodes are written."""
    Run.objects.filter(pk=run_id, tags=UNFINISHED).update(tags=FINISHED)


def drop_imported_run(*, run_id: int) -> None:
    """Delete a run that an import could not finish."""
    Run.objects.filter(pk=run_id, tags=UNFINISHED).delete()


def make_imported_phase(*, run: Run, number: int) -> Phase:
    """Return the run's closed phase of this number; make it where it is missing."""
    now = timezone.now()
    phase, _ = Phase.objects.get_or_create(
        run=run,
        number=number,
        defaults={
            "status": Phase.Status.CLOSED,
            "policy_uri": NO_WEIGHTS,
            "critic_uri": NO_WEIGHTS,
            "orm_uri": NO_WEIGHTS,
            "stage_started_at": now,
            "ended_at": now,
        },
    )
    return phase


def name_policy(*, phase: Phase, policy: str, is_trained: bool) -> None:
    """Store the policy of a phase: at its beginning, or after training."""
    field = "next_policy_uri" if is_trained else "policy_uri"
    if policy and getattr(phase, field) in ("", NO_WEIGHTS):
        setattr(phase, field, policy[:300])
        phase.save(update_fields=[field])

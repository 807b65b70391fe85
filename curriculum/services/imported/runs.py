"""Runs and phases that stand for what was done elsewhere.

Such a run has closed phases only. Its weights are names and no checkpoints, so that
no further phase can be opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from curriculum.models import Phase, Run
from curriculum.services.phases import clean_run_name, require_free_name

# Where a run's weights are: nothing of ours lies there.
NO_WEIGHTS = "imported"
# A run with the first word is still being written; the second one is whole.
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
    """Say that all of a run's episodes are written."""
    Run.objects.filter(pk=run_id, tags=UNFINISHED).update(tags=FINISHED)


def drop_imported_run(*, run_id: int) -> None:
    """Take back a run that an import could not finish."""
    Run.objects.filter(pk=run_id, tags=UNFINISHED).delete()


def make_imported_phase(*, run: Run, number: int) -> Phase:
    """Return the run's closed phase of this number, making it where it is missing."""
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
    """Write down who acted in a phase: as it began, or once it had trained."""
    field = "next_policy_uri" if is_trained else "policy_uri"
    if policy and getattr(phase, field) in ("", NO_WEIGHTS):
        setattr(phase, field, policy[:300])
        phase.save(update_fields=[field])

"""Runs and phases of imported episodes.

Such a run has closed phases only. Its weights are names and not checkpoints, so no
further phase can be opened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Value
from django.db.models.functions import Replace
from django.utils import timezone

from curriculum.models import Phase, Run
from curriculum.services.phases import clean_run_name, require_free_name

# The address of an imported run's weights; no checkpoint is there.
NO_WEIGHTS = "imported"
# A run with the first word is still being written; one with the second is complete.
UNFINISHED, FINISHED = " importing ", " imported "
# In an unfinished run's settings: keys of the sites that its import made.
SECTION, MADE_SITES = "import", "made_sites"


@transaction.atomic
def begin_imported_run(*, name: str, config: Mapping[str, Any], notes: str) -> Run:
    """Make a run without phases; one that an import left unfinished is replaced.

    Raises:
        WorkbenchError: The name is empty, too long or taken.
    """
    name = clean_run_name(name)
    list_unfinished_runs(name).delete()
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


def list_unfinished_runs(name: str) -> QuerySet[Run]:
    """Return the run of this name if an import was killed before its end."""
    # A run that was not imported may have the same tag from a person.
    return Run.objects.filter(
        name=name, tags__contains=UNFINISHED, policy_uri=NO_WEIGHTS
    )


def list_left_sites(name: str) -> set[str]:
    """Return the keys of the sites that a killed import of this run had made."""
    sections = list_unfinished_runs(name).values_list(f"config__{SECTION}", flat=True)
    return {key for section in sections for key in (section or {}).get(MADE_SITES, ())}


def note_made_sites(*, run: Run, keys: Collection[str]) -> None:
    """Keep with an unfinished run which sites its import has made.

    If the import is killed, the next one of this name can delete them. A finished run
    does not keep them.
    """
    section = dict(run.config.get(SECTION, {}))
    if keys:
        section[MADE_SITES] = sorted(keys)
    Run.objects.filter(pk=run.pk).update(config={**run.config, SECTION: section})


def finish_imported_runs(*, ids: Collection[int]) -> None:
    """Mark runs as complete: all of their episodes are written.

    One statement for all: after a kill between two of them the import could not be
    repeated, since the first would be complete and have its name.
    """
    tags = Replace("tags", Value(UNFINISHED), Value(FINISHED))
    Run.objects.filter(pk__in=ids, policy_uri=NO_WEIGHTS).update(tags=tags)


def drop_imported_runs(*, ids: Collection[int]) -> None:
    """Delete runs that an import could not finish."""
    Run.objects.filter(pk__in=ids, policy_uri=NO_WEIGHTS).delete()


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

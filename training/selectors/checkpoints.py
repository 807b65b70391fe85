"""One checkpoint: its origin, its training data, and its uses."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from django.db.models import Count, Q

from curriculum.errors import CheckpointError
from curriculum.models import Phase, Run
from curriculum.rules.checkpoints import measure_size
from training.models import Checkpoint, Experience, SftTraining

# Enough for every lineage; more would be a circle.
MAX_CHECKPOINTS = 5000


@dataclasses.dataclass(frozen=True, slots=True)
class TrainedOn:
    """What training took from one phase's episodes.

    Attributes:
        episodes, tasks, steps: Only those of which at least one step was used.
    """

    phase_id: int
    phase_number: int
    run_name: str
    source: str
    episodes: int
    tasks: int
    steps: int


@dataclasses.dataclass(frozen=True, slots=True)
class Uses:
    """Everything that names the checkpoint's address now."""

    phases: list[Phase]
    runs: list[Run]
    # Phases after which it judges the next one.
    next_phases: list[Phase] = dataclasses.field(default_factory=list)


def find_checkpoint(checkpoint_id: int) -> Checkpoint | None:
    rows = Checkpoint.objects.select_related("training_run__phase__run", "parent")
    return rows.filter(pk=checkpoint_id).first()


def map_checkpoint_ids(uris: Collection[str]) -> dict[str, int]:
    """Return the ids of registered weights by address."""
    rows = Checkpoint.objects.filter(uri__in=uris)
    return dict(rows.values_list("uri", "pk"))


def list_ancestry(checkpoint: Checkpoint) -> list[Checkpoint]:
    """Return the checkpoint and what it grew from, newest first; one query."""
    older = Checkpoint.objects.filter(kind=checkpoint.kind, pk__lt=checkpoint.pk)
    newest = older.select_related("training_run__phase__run").order_by("-pk")
    known = {row.pk: row for row in newest[:MAX_CHECKPOINTS]}
    line = [checkpoint]
    while (parent := line[-1].parent_id) in known:
        line.append(known[parent])
    return line


def list_trained_on(training_run_id: int) -> list[TrainedOn]:
    """Count the used steps, episodes and tasks by phase, in one query."""
    rows = (
        Experience.objects.filter(training_run_id=training_run_id, was_used=True)
        .order_by()
        .values_list(
            "step__trajectory__phase_id",
            "step__trajectory__phase__number",
            "step__trajectory__phase__run__name",
            "source",
        )
        .annotate(
            episodes=Count("step__trajectory_id", distinct=True),
            tasks=Count("step__trajectory__task_id", distinct=True),
            steps=Count("pk"),
        )
        .order_by("-step__trajectory__phase_id", "source")
    )
    return [TrainedOn(*row) for row in rows]


def find_sft(checkpoint_id: int) -> SftTraining | None:
    """Return the SFT that made a policy, with its demonstrations; two queries."""
    rows = SftTraining.objects.filter(checkpoint_id=checkpoint_id)
    return rows.prefetch_related(
        "trajectories__task", "trajectories__phase__run"
    ).first()


def list_uses(uri: str) -> Uses:
    """Return phases that collect or judge with the weights, runs that start there."""
    named = Q(policy_uri=uri) | Q(critic_uri=uri) | Q(orm_uri=uri)
    phases = Phase.objects.filter(named).select_related("run").order_by("-pk")
    coming = Phase.objects.filter(next_orm_uri=uri).select_related("run")
    return Uses(
        list(phases[:50]),
        list(Run.objects.filter(named)[:50]),
        list(coming.order_by("-pk")[:50]),
    )


def find_size(uri: str) -> int | None:
    """Return the size of the weights in bytes; None if they can no longer be read."""
    try:
        return measure_size(uri)
    except CheckpointError:
        return None


def list_starting_weights() -> list[Checkpoint]:
    """Return weights not made by a phase: imported, shipped, or from demonstrations."""
    return list(Checkpoint.objects.filter(training_run=None).order_by("uri"))

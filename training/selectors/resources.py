"""What the API reads of training runs, metrics and checkpoints."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from training.models import Checkpoint, Metric, TrainingRun


def filter_training_runs(
    *, run: int | None = None, phase: int | None = None, status: str = ""
) -> QuerySet[TrainingRun]:
    """Newest first."""
    exact = {"phase__run_id": run, "phase_id": phase, "status": status}
    rows = TrainingRun.objects.filter(**_given(exact))
    return rows.prefetch_related("checkpoints").order_by("-id")


def filter_metrics(
    *,
    run: int | None = None,
    phase: int | None = None,
    training_run: int | None = None,
    name: str = "",
) -> QuerySet[Metric]:
    """In the order in which they were written down."""
    exact = {
        "training_run__phase__run_id": run,
        "training_run__phase_id": phase,
        "training_run_id": training_run,
        "name": name,
    }
    rows = Metric.objects.select_related("training_run").filter(**_given(exact))
    # A training run's row is large: it has configuration and provenance.
    columns = ("name", "step", "value", "training_run__phase_id")
    return rows.only(*columns).order_by("id")


def filter_checkpoints(
    *, run: int | None = None, phase: int | None = None, kind: str = ""
) -> QuerySet[Checkpoint]:
    """Newest first."""
    exact = {
        "training_run__phase__run_id": run,
        "training_run__phase_id": phase,
        "kind": kind,
    }
    return Checkpoint.objects.filter(**_given(exact)).order_by("-id")


def _given(conditions: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in conditions.items() if v not in ("", None)}

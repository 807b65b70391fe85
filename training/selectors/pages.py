"""What the pages read of training runs, checkpoints, experience and metrics."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection

from django.db.models import Avg, Count, Q, QuerySet

from training.models import Checkpoint, Experience, Metric, TrainingRun


@dataclasses.dataclass(frozen=True, slots=True)
class MetricLine:
    """One number of one phase's training, at each optimiser step that wrote it.

    `steps` ascend; `values` are as many.
    """

    run_id: int
    run_name: str
    phase_id: int
    phase_number: int
    name: str
    steps: list[int]
    values: list[float]


@dataclasses.dataclass(frozen=True, slots=True)
class ExperienceCount:
    """How many steps of one source were used, or left out for one reason."""

    source: str
    was_used: bool
    reason: str
    n: int


def training_runs() -> QuerySet[TrainingRun]:
    return TrainingRun.objects.select_related("phase__run")


def find_training_run(phase_id: int) -> TrainingRun | None:
    return TrainingRun.objects.filter(phase_id=phase_id).first()


def map_training_runs(phase_ids: Collection[int]) -> dict[int, TrainingRun]:
    runs = TrainingRun.objects.filter(phase_id__in=phase_ids)
    return {run.phase_id: run for run in runs}


def list_experiences(step_ids: Collection[int]) -> dict[int, list[Experience]]:
    """What training made of each step, oldest phase first."""
    rows = Experience.objects.filter(step_id__in=step_ids)
    found: dict[int, list[Experience]] = defaultdict(list)
    for row in rows.select_related("training_run__phase").order_by("training_run_id"):
        found[row.step_id].append(row)
    return dict(found)


def count_experiences(training_run_id: int) -> list[ExperienceCount]:
    rows = (
        Experience.objects.filter(training_run_id=training_run_id)
        .values_list("source", "was_used", "left_out_reason")
        .annotate(n=Count("pk"))
        .order_by("source", "-was_used", "-n")
    )
    return [ExperienceCount(*row) for row in rows]


def list_metrics(run_ids: Collection[int], names: Collection[str]) -> list[MetricLine]:
    """The named metrics of whole runs, by name, run and phase; two queries."""
    trainings = TrainingRun.objects.filter(phase__run_id__in=run_ids).order_by(
        "phase__run_id", "phase__number"
    )
    places: list[tuple[int, int, str, int, int]] = list(
        trainings.values_list(
            *("pk", "phase__run_id", "phase__run__name"), "phase_id", "phase__number"
        )
    )
    numbers = _read_numbers([place[0] for place in places], names)
    return [
        MetricLine(*place[1:], name, *numbers[place[0], name])
        for name in sorted(names)
        for place in places
        if (place[0], name) in numbers
    ]


def _read_numbers(
    training_ids: Collection[int], names: Collection[str]
) -> dict[tuple[int, str], tuple[list[int], list[float]]]:
    """Return steps and values of each training and name; thousands of numbers."""
    rows = Metric.objects.filter(training_run_id__in=training_ids, name__in=names)
    found: dict[tuple[int, str], tuple[list[int], list[float]]] = {}
    fields = ("training_run_id", "name", "step", "value")
    for training_id, name, step, value in rows.order_by(*fields[:3]).values_list(
        *fields
    ):
        steps, values = found.setdefault((training_id, name), ([], []))
        steps.append(step)
        values.append(value)
    return found


def average_metrics(run_ids: Collection[int]) -> dict[tuple[int, str], float]:
    """Return each metric's mean over the steps of each run's newest training.

    Keys are run id and metric name; two queries.
    """
    trainings = TrainingRun.objects.filter(phase__run_id__in=run_ids)
    newest = dict(
        trainings.order_by("phase__number").values_list("phase__run_id", "pk")
    )
    runs = {training: run for run, training in newest.items()}
    rows = (
        Metric.objects.filter(training_run_id__in=runs)
        .order_by()
        .values_list("training_run_id", "name")
        .annotate(Avg("value"))
    )
    return {(runs[training], name): mean for training, name, mean in rows}


def list_lineage(uris: Collection[str], run_id: int) -> list[Checkpoint]:
    """Checkpoints a run started from and those it made, oldest first."""
    mine = Q(training_run__phase__run_id=run_id)
    return list(
        Checkpoint.objects.filter(mine | Q(uri__in=uris)).select_related(
            "training_run__phase", "parent"
        )
    )

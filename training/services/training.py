"""One phase's training: rows to files, a supervised subprocess, files to rows."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from curriculum.errors import CheckpointError, StageLost
from curriculum.events import MetricEvent, ProgressEvent, publish, tell_phase
from curriculum.models import Phase
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.rules.checkpoints import ADAPTER, read_digest
from curriculum.services import Heartbeat, set_next_weights, working_on, writing_under
from rollouts.models import Step
from training.models import Experience, Metric, TrainingRun
from training.rl.launch import TrainingStopped
from training.services.checkpoints import register_checkpoint
from training.services.directory import (
    MetricReader,
    draw_training_seed,
    read_result,
    read_scores,
    write_directory,
)
from training.services.named_training import keep_end
from training.services.orm_phase import learn_from_people

Status = TrainingRun.Status
REPORT_EVERY_S = 1.0
# Rows of one transaction.
CHUNK = 500
WEIGHTS = ("policy", "critic")


def train_phase(*, phase_id: int, owner: str) -> bool:
    """Train what the phase collected; True when its next weights are registered.

    May be called twice, and again after a kill: the training then resumes. False if it
    has to stop, or if another job has the stage.

    Raises:
        WorkbenchError: Training failed; the reason is kept with the training run.
    """
    stage = Phase.Status.TRAINING
    with working_on(phase_id=phase_id, stage=stage, owner=owner) as heartbeat:
        if heartbeat is None:
            return False
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        if phase.next_policy_uri:
            return True
        try:
            directory = write_directory(phase, lambda: heartbeat.must_stop)
        except TrainingStopped:
            return False
        run = start_run(phase=phase, directory=directory)
        try:
            _train(directory, run, heartbeat)
            learn_from_people(
                phase, reporter=Reporter(run, directory), heartbeat=heartbeat
            )
        except Exception as error:
            if heartbeat.must_stop or not heartbeat.holds():
                _mark(run, Status.QUEUED)
                return False
            _mark(run, Status.FAILED, failure_reason=keep_end(str(error)))
            raise
        # Only existing folders are published; usually there is no adapter.
        for kind in (ADAPTER, *WEIGHTS):
            publish_checkpoint(name_weights_of(directory, kind))
        store_numbers(run=run, directory=directory, heartbeat=heartbeat)
        with writing_under(heartbeat):
            finish_run(phase=phase, run=run, directory=directory)
        return True


def start_run(*, phase: Phase, directory: Path) -> TrainingRun:
    """Create the phase's training run, or resume it.

    Metrics of a training with other settings are deleted, like its files.
    """
    config = phase.run.config.get("algorithm", {})
    for old in TrainingRun.objects.filter(phase=phase).exclude(config=config):
        old.metrics.all().delete()
        old.experiences.all().delete()
        TrainingRun.objects.filter(pk=old.pk).update(progress={})
    run, _ = TrainingRun.objects.update_or_create(
        phase=phase,
        defaults={
            "status": Status.RUNNING,
            "config": config,
            "seed": draw_training_seed(phase),
            "directory": str(directory),
            "failure_reason": "",
            "heartbeat_at": timezone.now(),
        },
        create_defaults={
            "status": Status.RUNNING,
            "config": config,
            "seed": draw_training_seed(phase),
            "directory": str(directory),
            "heartbeat_at": timezone.now(),
            "started_at": timezone.now(),
        },
    )
    return run


def _train(directory: Path, run: TrainingRun, heartbeat: Heartbeat) -> None:
    """Block until the trainer is done, and write its numbers as rows meanwhile."""
    trainer = import_string(settings.PHASE_TRAINER)
    reporter = Reporter(run, directory)
    trainer(
        directory,
        threads=settings.TRAINING_THREADS,
        on_progress=reporter.report,
        should_stop=lambda: heartbeat.must_stop,
    )
    if heartbeat.must_stop:
        raise StageLost("Training was interrupted.")


class Reporter:
    """Turns the trainer's progress and metrics into rows, about once a second."""

    def __init__(self, run: TrainingRun, directory: Path) -> None:
        self._run = run
        self._metrics = MetricReader(directory)
        self._last = 0.0
        self._told: ProgressEvent | None = None

    def report(self, progress: dict[str, Any]) -> None:
        if "kills" in progress:
            tell_phase(
                self._run.phase_id,
                "training_was_killed",
                reason=progress["reason"],
                count=progress["kills"],
                most=progress["max_kills"],
            )
            return
        if time.monotonic() - self._last < REPORT_EVERY_S:
            return
        self._last = time.monotonic()
        with transaction.atomic():
            record_metrics(run=self._run, lines=self._metrics.read())
            TrainingRun.objects.filter(pk=self._run.pk).update(
                progress=progress, heartbeat_at=timezone.now()
            )
            event = ProgressEvent(
                stage=f"training: {progress.get('stage', '')}",
                done=progress.get("done", 0),
                total=progress.get("total", 0),
                seconds_left=progress.get("seconds_left"),
            )
            # A step of a large model takes minutes, and events stay for good.
            if event != self._told:
                publish(self._run.phase_id, event)
        self._told = event


@transaction.atomic
def record_metrics(*, run: TrainingRun, lines: list[dict[str, Any]]) -> int:
    """Record numbers, except those that exist already or are not finite."""
    rows = [
        Metric(
            training_run=run,
            name=str(line["name"])[:60],
            step=int(line["step"]),
            value=float(line["value"]),
        )
        for line in lines
        if math.isfinite(float(line["value"]))
    ]
    Metric.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    if rows:
        last = rows[-1]
        event = MetricEvent(name=last.name, step=last.step, value=last.value)
        publish(run.phase_id, event)
    return len(rows)


@transaction.atomic
def finish_run(*, phase: Phase, run: TrainingRun, directory: Path) -> None:
    """Record the weights, and pass them on to the run.

    Raises:
        CheckpointError: The new weights are not what the trainer says it wrote.
    """
    result = read_result(directory)
    uris = {}
    for kind, parent in zip(WEIGHTS, (phase.policy_uri, phase.critic_uri), strict=True):
        uri = name_weights_of(directory, kind)
        expected = result.get(f"{kind}_digest")
        if expected and read_digest(uri) != expected:
            raise CheckpointError(f"{uri} is not what training wrote.")
        register_checkpoint(
            uri=uri,
            kind=kind,
            training_run=run,
            parent_uri=parent,
            # The trainer has counted the policy; the critic is counted in its files.
            parameter_count=result.get("parameter_count") if kind == "policy" else None,
        )
        uris[f"{kind}_uri"] = uri
    _mark(
        run,
        Status.FINISHED,
        provenance=result.get("provenance", {}),
        ended_at=timezone.now(),
    )
    if not set_next_weights(phase_id=phase.pk, **uris):
        raise StageLost("The phase is no longer training.")


def name_weights_of(directory: Path, kind: str) -> str:
    """Return the address of a training directory's weights of one kind."""
    folder = directory.relative_to(settings.CHECKPOINTS_DIR)
    return (folder / kind).as_posix()


def store_numbers(*, run: TrainingRun, directory: Path, heartbeat: Heartbeat) -> None:
    """Record the metrics, and what training made of each step.

    Some rows at a time: the sweep and people's pages wait for the phase's row, which
    each transaction holds. Those that exist already are left as they are.

    Raises:
        StageLost: Another job holds the stage, or it is over.
    """
    for lines in _cut(MetricReader(directory).read()):
        with writing_under(heartbeat):
            record_metrics(run=run, lines=lines)
    for lines in _cut(read_scores(directory)):
        with writing_under(heartbeat):
            _store_experience(run, lines)


def _cut(lines: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    left = iter(lines)
    while chunk := list(itertools.islice(left, CHUNK)):
        yield chunk


def _store_experience(run: TrainingRun, lines: list[dict[str, Any]]) -> None:
    ids = [line["step_id"] for line in lines]
    known = set(Step.objects.filter(pk__in=ids).values_list("pk", flat=True))
    rows = [_build_experience(run, line) for line in lines if line["step_id"] in known]
    Experience.objects.bulk_create(rows, ignore_conflicts=True)


def _build_experience(run: TrainingRun, line: dict[str, Any]) -> Experience:
    was_used = bool(line["was_used"])
    reason = str(line.get("left_out_reason") or "")[:200]
    return Experience(
        training_run=run,
        step_id=line["step_id"],
        source=line["source"],
        value=_finite(line.get("value")),
        advantage=_finite(line.get("advantage")),
        perplexity=_finite(line.get("perplexity")),
        log_ratio=_finite(line.get("log_ratio")),
        was_used=was_used,
        left_out_reason="" if was_used else reason or "Not used",
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _mark(run: TrainingRun, status: str, **fields: object) -> None:
    TrainingRun.objects.filter(pk=run.pk).update(status=status, **fields)

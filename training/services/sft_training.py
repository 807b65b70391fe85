"""A policy learns from kept demonstrations: rows to files, a subprocess, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Run
from curriculum.rules.checkpoints import resolve_checkpoint
from rollouts.policies.trained_prompts import read_prompt
from training.models import Checkpoint, SftTraining
from training.rl.sft.config import SftConfig
from training.rl.sft.data import LEFT_OUT, ROWS, WEIGHTS
from training.rl.training_data import SPEC, name_weights
from training.selectors.demonstrations import (
    list_demonstration_ids,
    read_demonstrations,
)
from training.services.directory import read_result
from training.services.named_training import (
    carry_out,
    check_base,
    fill_folder,
    find_training,
    register_trained,
)

Status = SftTraining.Status


class NoDemonstrations(WorkbenchError):
    """Nobody has demonstrated anything that was kept."""


def train_on_demonstrations(
    *,
    name: str,
    run_id: int,
    base_uri: str,
    sft: SftConfig,
    algorithm: dict[str, Any],
    seed: int = 0,
    on_progress: Callable[[dict[str, Any]], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> SftTraining:
    """Train `sft-NAME/policy` from the base on a run's demonstrations; blocks.

    Called again after a kill, it resumes with the same episodes.

    Raises:
        NoDemonstrations: The run has none that was kept.
        WorkbenchError: The name is taken, or the base cannot be trained.
    """
    config = {"sft": dataclasses.asdict(sft), "algorithm": algorithm, "run": run_id}
    row = find_training(SftTraining, name, base_uri, config)
    if row is None or not (find_folder(row) / SPEC).exists():
        row = _begin(name, run_id, base_uri, config, seed)
    return finish_training(row, on_progress, should_stop)


def finish_training(
    row: SftTraining,
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> SftTraining:
    """Train the row's folder, unless that is done, and record the result."""
    if row.status == Status.FINISHED:
        return row
    return carry_out(
        row,
        find_folder(row),
        trainer=settings.SFT_TRAINER,
        weights=_name_weights(row),
        finish=_finish,
        on_progress=on_progress,
        should_stop=should_stop,
    )


def count_left_out(row: SftTraining) -> int:
    """Return how many demonstrated steps a finished training left out as too long."""
    return int(read_result(find_folder(row)).get(LEFT_OUT, 0))


def find_folder(row: SftTraining) -> Path:
    """Return the folder of the training, in which its weights stay."""
    return Path(settings.CHECKPOINTS_DIR) / f"sft-{row.name}"


def _name_weights(row: SftTraining) -> str:
    return f"sft-{row.name}/{WEIGHTS}"


def _begin(
    name: str, run_id: int, base_uri: str, config: dict[str, Any], seed: int
) -> SftTraining:
    """Freeze the episodes as rows and as files; the specification comes last."""
    check_base(base_uri)
    base = resolve_checkpoint(base_uri)
    ids = list_demonstration_ids(run_id)
    if not ids:
        text = gettext(
            "Run %(run)s has no demonstration; keep one in the replay first."
        )
        raise NoDemonstrations(text % {"run": run_id})
    row = write_training(name, base_uri, config, seed, ids)
    rows = map(dataclasses.asdict, read_demonstrations(run_id))
    numbers = {"sft": config["sft"], "algorithm": config["algorithm"]}
    told = Run.objects.get(pk=run_id).config.get("rollout", {})
    spec = {
        "base": name_weights(find_folder(row), base),
        "seed": seed,
        # In the form in which the run's policy reads pages.
        "prompt": dataclasses.asdict(read_prompt(told)),
        **numbers,
    }
    fill_folder(find_folder(row), ROWS, rows, spec)
    return row


@transaction.atomic
def write_training(
    name: str, base_uri: str, config: dict[str, Any], seed: int, ids: list[int]
) -> SftTraining:
    """Write the row of a new training; `ids` are the episodes that it learns from."""
    SftTraining.objects.filter(name=name).delete()
    row = SftTraining.objects.create(
        name=name, base_uri=base_uri, config=config, seed=seed
    )
    row.trajectories.set(ids)
    return row


@transaction.atomic
def _finish(row: SftTraining) -> None:
    """Record the weights with their lineage.

    Raises:
        CheckpointError: The new weights are not what the trainer says it wrote.
    """
    result, uri = read_result(find_folder(row)), _name_weights(row)
    checkpoint = register_trained(row, uri, Checkpoint.Kind.POLICY, result)
    SftTraining.objects.filter(pk=row.pk).update(
        status=Status.FINISHED,
        failure_reason="",
        step_count=result.get("steps", 0),
        losses=result.get("losses", []),
        provenance=result.get("provenance", {}),
        checkpoint=checkpoint,
        ended_at=timezone.now(),
    )

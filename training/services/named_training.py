"""The steps of a training that has a name: find it again, run it, record it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext

from curriculum.errors import CheckpointError, WorkbenchError
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.rules.checkpoints import is_served, read_digest
from training.models import Checkpoint
from training.named_training import NamedTraining
from training.rl.training_data import SPEC, write_lines, write_text
from training.services.checkpoints import register_checkpoint

N = TypeVar("N", bound=NamedTraining)
Status = NamedTraining.Status
MAX_REASON = 4000


def find_training(
    model: type[N], name: str, base_uri: str, config: dict[str, Any]
) -> N | None:
    """Return the training to resume; one with other settings only if it is done.

    Raises:
        WorkbenchError: A finished one of that name has other settings.
    """
    row: N | None = model._default_manager.filter(name=name).first()
    if row is None or (row.base_uri, row.config) == (base_uri, config):
        return row
    if row.status != Status.FINISHED:
        return None
    text = gettext(
        "A training named %(name)s with other settings exists; choose another name."
    )
    raise WorkbenchError(text % {"name": name})


def check_base(base_uri: str) -> None:
    """Refuse weights that are not here.

    Raises:
        CheckpointError: They are served elsewhere.
    """
    if is_served(base_uri):
        text = gettext("%(uri)s is served elsewhere; it cannot be trained here.")
        raise CheckpointError(text % {"uri": base_uri})


def fill_folder(
    folder: Path, name: str, rows: Iterable[dict[str, Any]], spec: dict[str, Any]
) -> None:
    """Write the training data as lines under the name; the specification last."""
    # A folder of that name may be left from a database that no longer exists.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_lines(folder / name, rows)
    write_text(folder / SPEC, json.dumps(spec, indent=1))


def register_trained(
    row: NamedTraining, uri: str, kind: Checkpoint.Kind, result: Mapping[str, Any]
) -> Checkpoint:
    """Register the weights at `uri` as trained from the row's base.

    Raises:
        CheckpointError: They are not what the trainer's `result` says it wrote.
    """
    expected = result.get(f"{kind.value}_digest")
    if expected and read_digest(uri) != expected:
        raise CheckpointError(f"{uri} is not what training wrote.")
    register_checkpoint(uri=row.base_uri, kind=kind)
    return register_checkpoint(
        uri=uri,
        kind=kind,
        parent_uri=row.base_uri,
        parameter_count=result.get("parameter_count"),
    )


def keep_end(reason: str) -> str:
    """Return the end of a reason: its last line has the error."""
    return reason[-MAX_REASON:]


def carry_out(
    row: N,
    folder: Path,
    *,
    trainer: str,
    weights: str,
    finish: Callable[[N], None],
    on_progress: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> N:
    """Train the folder with the trainer at that dotted path, and record the result.

    `weights` is the address of the trained weights, at which other machines find them.

    Any error is kept as the row's reason, and raised.
    """
    rows = type(row)._default_manager.filter(pk=row.pk)
    rows.update(status=Status.RUNNING)
    try:
        import_string(trainer)(
            folder,
            threads=settings.TRAINING_THREADS,
            on_progress=on_progress,
            should_stop=should_stop,
        )
        publish_checkpoint(weights)
        finish(row)
    except Exception as error:
        rows.update(status=Status.FAILED, failure_reason=keep_end(str(error)))
        raise
    row.refresh_from_db()
    return row

"""A policy learns from the rows of a file, as WebRL publishes them for SFT."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curriculum.errors import WorkbenchError
from curriculum.rules.checkpoints import resolve_checkpoint
from rollouts.interchange.episodes import EpisodeFileError
from rollouts.interchange.sft import PromptRow, check_prompt, read_prompts
from training.models import SftTraining
from training.rl.sft.config import SftConfig
from training.rl.sft.data import PROMPTS
from training.rl.training_data import SPEC, name_weights
from training.services.named_training import check_base, fill_folder, find_training
from training.services.sft_training import find_folder, finish_training, write_training


class BadRows(WorkbenchError):
    """The file holds a row that nothing can be learnt from; the line is named."""


def train_on_rows(
    *,
    name: str,
    path: Path,
    base_uri: str,
    sft: SftConfig,
    algorithm: dict[str, Any],
    seed: int = 0,
    on_progress: Callable[[dict[str, Any]], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> SftTraining:
    """Train `sft-NAME/policy` from the base on a file's rows; blocks.

    The prompts are those of the file, byte for byte. Called again after a kill, it
    resumes with the same rows.

    Raises:
        BadRows: The file cannot be read, or a row of it cannot be learnt.
        WorkbenchError: The name is taken, or the base cannot be trained.
    """
    rows = _read(path)
    config = {
        "sft": dataclasses.asdict(sft),
        "algorithm": algorithm,
        "rows": {"file": path.name, "sha256": _digest(rows), "count": len(rows)},
    }
    row = find_training(SftTraining, name, base_uri, config)
    if row is None or not (find_folder(row) / SPEC).exists():
        check_base(base_uri)
        base = resolve_checkpoint(base_uri)
        row = write_training(name, base_uri, config, seed, [])
        numbers = {"sft": config["sft"], "algorithm": algorithm, "seed": seed}
        spec = {"base": name_weights(find_folder(row), base), **numbers}
        fill_folder(find_folder(row), PROMPTS, map(dataclasses.asdict, rows), spec)
    return finish_training(row, on_progress, should_stop)


def _read(path: Path) -> list[PromptRow]:
    """Return the file's rows; all are checked before anything is trained."""
    try:
        rows = [
            dataclasses.replace(row, place=row.place.replace(str(path), path.name, 1))
            for row in read_prompts(path)
        ]
        for row in rows:
            check_prompt(row)
    except EpisodeFileError as error:
        raise BadRows(str(error)) from None
    if not rows:
        raise BadRows(f"{path} holds no row.")
    for row in rows:
        _check_texts(row)
    return rows


def _check_texts(row: PromptRow) -> None:
    if not row.output.strip():
        raise BadRows(f"{row.place}: the answer of `gpt` is empty.")
    try:
        f"{row.prompt}{row.output}".encode()
    except UnicodeEncodeError:
        # JSON can write half a character; no tokenizer reads one.
        raise BadRows(f"{row.place}: a text is no whole Unicode.") from None


def _digest(rows: Sequence[PromptRow]) -> str:
    found = hashlib.sha256()
    for row in rows:
        found.update(f"{row.prompt}\0{row.output}\0".encode())
    return found.hexdigest()

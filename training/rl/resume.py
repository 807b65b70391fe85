"""Checkpoints of a running training: complete or absent.

A checkpoint is written under another name, sealed with the SHA-256 of each file, and
then renamed, so that a kill at any moment leaves the last one untouched. Resuming takes
the newest undamaged one and logs why it skipped others. If there is none, the part
starts from the beginning.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
from pathlib import Path

from torch import nn
from transformers import Trainer

from training.rl.training_data import sync

SEAL = "sha256.json"  # file name to digest
STAGING = ".saving"  # where a checkpoint grows before its rename
# The newest, and the one before it in case the newest is damaged.
KEPT = 2
NAME = re.compile(r"checkpoint-(\d+)")

log = logging.getLogger(__name__)


class SafeCheckpoints(Trainer):  # transformers has no types
    """Makes a trainer's checkpoints atomic; list it before the trainer as a base."""

    _staging: Path | None = None

    def _get_output_dir(self, trial: object) -> str:
        return str(self._staging or self.args.output_dir)

    def _save_checkpoint(self, model: nn.Module, trial: object) -> None:
        work = Path(self.args.output_dir)
        self._staging = work / STAGING
        if self.args.should_save:
            shutil.rmtree(self._staging, ignore_errors=True)
        self.accelerator.wait_for_everyone()
        try:
            super()._save_checkpoint(model, trial)
        finally:
            self._staging = None
        # Each process writes its own part of the state: no rename before all have.
        self.accelerator.wait_for_everyone()
        if self.args.should_save:
            publish(work / STAGING / f"checkpoint-{self.state.global_step}", work)
        self.accelerator.wait_for_everyone()


def publish(staged: Path, work: Path) -> None:
    """Seal a checkpoint, move it into `work`, and keep the newest few."""
    seal(staged)
    target = work / staged.name
    shutil.rmtree(target, ignore_errors=True)
    staged.rename(target)
    # A rename is on disk only once its folder is.
    sync(work)
    shutil.rmtree(work / STAGING, ignore_errors=True)
    for old in _list_newest_first(work)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def seal(directory: Path) -> None:
    """Record the digest of every file below `directory`, and sync all of them."""
    digests = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.name != SEAL:
            sync(path)
            digests[str(path.relative_to(directory))] = _digest(path)
    with (directory / SEAL).open("w") as handle:
        json.dump(digests, handle)
        handle.flush()
        os.fsync(handle.fileno())
    sync(directory)


def find_damage(directory: Path) -> str:
    """Return why a checkpoint cannot be trusted, or ""."""
    try:
        digests = dict(json.loads((directory / SEAL).read_text()))
    except (OSError, ValueError, TypeError):
        return "its digests are not readable"
    for name, expected in digests.items():
        path = directory / name
        if not path.is_file():
            return f"{name} is missing"
        if _digest(path) != expected:
            return f"{name} has changed since it was saved"
    return ""


def find_newest(work: Path) -> str | None:
    """Return the newest undamaged checkpoint of `work`; None to start from scratch."""
    for directory in _list_newest_first(work):
        damage = find_damage(directory)
        if not damage:
            return str(directory)
        log.warning("%s is not resumed from: %s.", directory.name, damage)
    return None


def drop_checkpoints(directory: Path) -> None:
    """Remove the checkpoints in the folders of `directory`: its training is done.

    They hold weights and moments of all parts, which only an unfinished one reads.
    """
    for work in directory.iterdir():
        for old in (*_list_newest_first(work), work / STAGING):
            shutil.rmtree(old, ignore_errors=True)


def _list_newest_first(work: Path) -> list[Path]:
    found = {
        int(match[1]): path
        for path in (work.iterdir() if work.is_dir() else ())
        if (match := NAME.fullmatch(path.name)) and path.is_dir()
    }
    return [found[step] for step in sorted(found, reverse=True)]


def _digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()

"""One critic for all methods that would train the same one.

The critic is fitted to a phase's own episodes before the policy is trained. Methods
that share these episodes would train the same critic: the second one takes a copy.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.learning.methods import METHODS
from training.rl.training_data import FRESH, SPEC

CRITIC = "critic"
# The methods' own settings, and this one, affect only the policy's update.
OF_POLICY = frozenset(
    {name for method in METHODS for name in method.settings}
    | {"min_advantage", "use_demonstrations"}
    | {"augmented_copies", "skip_familiar_copies"}
)


def copy_same_critic(runs: Path, folder: Path) -> None:
    """Copy the critic of another training with equal inputs, before training begins.

    Args:
        runs: The folder of all runs: METHOD/SEED/PHASE below it.
        folder: The training's directory, with its episodes and its specification.
    """
    if (folder / CRITIC).exists():
        return
    for other in sorted(runs.glob(f"*/{folder.parent.name}/{folder.name}")):
        is_trained = (other / SPEC).exists() and (other / CRITIC).exists()
        if is_trained and _is_same(other, folder):
            # The digest detects a truncated copy, which is made again.
            shutil.copytree(other / CRITIC, folder / CRITIC)
            return


def _is_same(other: Path, folder: Path) -> bool:
    if _read_inputs(other) != _read_inputs(folder):
        return False
    return (other / FRESH).read_bytes() == (folder / FRESH).read_bytes()


def _read_inputs(folder: Path) -> Mapping[str, Any]:
    """What a critic is trained from, in addition to the episodes."""
    spec = json.loads((folder / SPEC).read_text())
    config = spec["config"].items()
    return {**spec, "config": {k: v for k, v in config if k not in OF_POLICY}}

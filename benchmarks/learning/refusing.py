"""Checks that a folder's training is the one that is requested.

A finished training is not repeated. If its settings, weights or episodes differed from
those requested, its results would be reported under a wrong name.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import digest_weights, refusal
from training.rl.training_data import RESULT, SPEC, write_lines, write_text
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

Lines = Sequence[dict[str, Any]]
# Digests of the weights that a training began with, by their names in its spec.
BEGUN_WITH = "begun_with.json"
WEIGHTS = ("policy", "critic", "first")


def keep_or_refuse(
    folder: Path, spec: Mapping[str, Any], files: Mapping[str, Lines]
) -> None:
    """Write what a training reads, and check that the folder holds no other one.

    Args:
        folder: The training's.
        spec: Its settings, its seed, and the paths of its weights.
        files: Rows of JSON by the names of their files.

    Raises:
        ValueError: The folder holds another training.
    """
    weights = {name: digest_weights(Path(spec[name])) for name in WEIGHTS}
    if (folder / SPEC).exists():
        told = [
            *_compare_settings(json.loads((folder / SPEC).read_text()), spec),
            *_compare_weights(folder, weights),
            *_compare_files(folder, files),
        ]
        if told:
            raise refusal(folder, f"a training with other {', '.join(told)}")
    if (folder / RESULT).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        write_lines(folder / name, rows)
    write_text(folder / BEGUN_WITH, json.dumps(weights))
    # Written last: it marks that the other files are complete.
    write_text(folder / SPEC, json.dumps(spec))


def _compare_settings(found: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Names of the settings that differ, with their values in the folder."""
    was, now = (_read_settings(spec["config"]) for spec in (found, asked))
    told = [f"{name} ({was[name]})" for name in was if was[name] != now[name]]
    if found["seed"] != asked["seed"]:
        told.append(f"seed ({found['seed']})")
    return told


def _read_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, with defaults: an earlier version may have left some out."""
    return dataclasses.asdict(WebRLConfig(**upgrade_algorithm(config)))


def _compare_weights(folder: Path, weights: Mapping[str, str]) -> list[str]:
    """Compare digests, since folders may be moved; an earlier version wrote none."""
    file = folder / BEGUN_WITH
    found = json.loads(file.read_text()) if file.exists() else {}
    names = [
        name for name in WEIGHTS if found.get(name, weights[name]) != weights[name]
    ]
    return [f"weights ({', '.join(names)})"] if names else []


def _compare_files(folder: Path, files: Mapping[str, Lines]) -> list[str]:
    names = [
        name
        for name, rows in files.items()
        if (folder / name).exists() and list(_read_lines(folder / name)) != list(rows)
    ]
    return [f"episodes ({', '.join(names)})"] if names else []


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open() as lines:
        yield from map(json.loads, lines)

"""Cloning of careful demonstrations: `python -m training.rl.sft.careful DIRECTORY`.

A scripted solver plays training tasks of the sandbox's sites in the real browser; what
the evaluators call a success is learnt from. Episodes are kept as they end, and the
training has checkpoints, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from training.rl.process import (
    Reporter,
    leave,
    make_callbacks,
    run_main,
    work_through,
)
from training.rl.sft.careful_config import CarefulConfig

EPISODES = "episodes.jsonl"
STEP_LIMIT = 14
# Episodes between two checks whether to stop.
EPISODES_AT_ONCE = 24


def train(directory: Path) -> None:
    """Record, then clone; writes `result.json` last."""
    work_through(directory, _train)


def _train(directory: Path, reporter: Reporter) -> dict[str, Any]:
    from transformers import set_seed

    from training.rl.sft.data import read_sft_spec
    from training.rl.sft.trainer import train_on_demonstrations

    config = _read_config(directory)
    _record(directory, config, reporter)
    spec = read_sft_spec(directory)
    set_seed(spec.seed % 2**32)
    return train_on_demonstrations(
        directory,
        spec,
        make_callbacks(reporter, "sft", spec.algorithm.save_every_s),
        reporter.metric,
    )


def _read_config(directory: Path) -> CarefulConfig:
    from training.rl.training_data import SPEC, TrainingDataError

    try:
        raw = json.loads((directory / SPEC).read_text())["demonstrations"]
        return CarefulConfig(**{**raw, "sites": tuple(raw["sites"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(f"{directory / SPEC}: {error}") from error


def _record(directory: Path, config: CarefulConfig, reporter: Reporter) -> None:
    """Play the tasks not yet played, a few at a time; then write the successes."""
    from rollouts.sites.sandbox.catalog import load_tasks
    from rollouts.sites.sandbox.oracle import OraclePolicy
    from training.rl.sft.data import ROWS
    from training.rl.starter.episodes import (
        collect_episodes,
        load_episodes,
        sandbox_server,
    )
    from training.rl.training_data import write_lines

    if (directory / ROWS).exists():
        return
    path = directory / EPISODES
    _drop_half_a_line(path)
    tasks = choose_tasks(load_tasks("train"), config)
    known = load_episodes(path) if path.exists() else []
    left = find_unplayed(tasks, {episode.key for episode in known})
    with sandbox_server() as control_url, path.open("a") as file:
        for start in range(0, len(left), EPISODES_AT_ONCE):
            reporter.progress(
                "demonstrations", len(tasks) - len(left) + start, len(tasks)
            )
            part = left[start : start + EPISODES_AT_ONCE]
            collect_episodes(
                OraclePolicy(part),
                part,
                control_url=control_url,
                step_limit=STEP_LIMIT,
                seeds=[config.seed] * len(part),
                contexts=config.contexts,
                on_end=lambda one: _append(file, dataclasses.asdict(one)),
            )
    solved = [one.trajectory for one in load_episodes(path) if one.outcome]
    write_lines(directory / ROWS, map(dataclasses.asdict, solved))


def choose_tasks(
    tasks: Sequence[dict[str, Any]], config: CarefulConfig
) -> list[dict[str, Any]]:
    """Return the first training tasks of each template on the chosen sites."""
    seen: Counter[str] = Counter()
    chosen = []
    for task in tasks:
        template = task["template_key"]
        is_wanted = set(task["sites"]) <= set(config.sites)
        if is_wanted and task["optimal_steps"] <= config.max_steps:
            seen[template] += 1
            if seen[template] <= config.per_template:
                chosen.append(task)
    return chosen


def find_unplayed(
    tasks: Sequence[dict[str, Any]], played: Collection[str]
) -> list[dict[str, Any]]:
    """The tasks that have no episode yet."""
    return [task for task in tasks if task["key"] not in played]


def _append(file: Any, row: dict[str, Any]) -> None:
    file.write(json.dumps(row) + "\n")
    file.flush()


def _drop_half_a_line(path: Path) -> None:
    """Remove the episode that a kill left half written."""
    if path.exists():
        whole = path.read_bytes()
        path.write_bytes(whole[: whole.rfind(b"\n") + 1])


if __name__ == "__main__":
    leave(run_main(train, __doc__))

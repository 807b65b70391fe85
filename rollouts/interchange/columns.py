"""The tables of a dataset: episodes and their steps as rows of plain columns."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
from collections.abc import Mapping
from typing import Any, Literal

from rollouts.interchange.episodes import (
    MAX_TEXT,
    EpisodeFileError,
    FileEpisode,
    FileStep,
    FileTask,
)

Kind = Literal[
    "text", "integer", "number", "flag", "time", "json", "integers", "numbers"
]
Row = dict[str, Any]
# Levels of lists and objects that a JSON value may have.
MAX_DEPTH = 50


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One column: what it holds, and what that means."""

    name: str
    kind: Kind
    meaning: str


TRAJECTORIES = (
    Column("episode", "integer", "number of the episode in this dataset"),
    Column("run", "text", "run that it belongs to"),
    Column("phase", "integer", "number of the run's phase"),
    Column("policy", "text", "address or name of who acted"),
    Column("task", "text", "key of the task"),
    Column("site", "text", "key of its site"),
    Column("instruction", "text", "what the agent was asked to do"),
    Column("start_url", "text", "where it began; a site's origin is a placeholder"),
    Column("split", "text", "of the task: train, validation or test"),
    Column("template", "text", "key of the task's template"),
    Column("optimal_steps", "integer", "fewest steps, where they are known"),
    Column("spec", "json", "the task object in WebArena's format"),
    Column("purpose", "text", "baseline, collect, evaluate or by_hand"),
    Column("repeat", "integer", "which attempt at the task"),
    Column("seed", "integer", "of the policy's sampling"),
    Column("ended_by", "text", "why the episode ended"),
    Column("answer", "text", "the agent's answer"),
    Column("outcome", "flag", "what the evaluators say; null without evaluators"),
    Column("checks", "json", "each check of the evaluators"),
    Column("success_probability", "number", "the reward model's P(YES)"),
    Column("reward", "number", "1 where YES is likelier than NO"),
    Column("final_observation", "text", "the last page as the policy reads it"),
    Column("final_url", "text", "address of the last page"),
    Column("observation_form", "text", "how pages are written"),
    Column("action_dialect", "text", "how actions are written"),
    Column("started_at", "time", "when it began"),
    Column("ended_at", "time", "when it ended"),
)
STEPS = (
    Column("episode", "integer", "number of the episode in this dataset"),
    Column("index", "integer", "number of the step in its episode, from 0"),
    Column("url", "text", "address of the page"),
    Column("title", "text", "title of the page"),
    Column("observation", "text", "the page as the policy read it"),
    Column("output", "text", "the policy's answer, word for word"),
    Column("action", "json", "the action that it was read as; {} if it was none"),
    Column(
        "error", "text", "why the action could not be carried out, or what came of it"
    ),
    Column("target_box", "numbers", "x, y, width, height of the element in pixels"),
    Column("timing", "json", "milliseconds by part"),
    Column("log_probability", "number", "sum over the output's tokens"),
    Column("token_count", "integer", "tokens of the output"),
    Column("token_ids", "integers", "the sampled tokens"),
    Column("token_log_probabilities", "numbers", "log-probability of each of them"),
)
# Fields whose name in `FileTask` differs from the table's.
_OF_TASK = {
    "task": "key",
    "site": "site",
    "instruction": "instruction",
    "start_url": "start_url",
    "split": "split",
    "template": "template_key",
    "optimal_steps": "optimal_steps",
    "spec": "spec",
}
_OF_EPISODE = [
    one.name
    for one in TRAJECTORIES
    if one.name not in _OF_TASK and one.name != "episode"
]
_OF_STEP = [one.name for one in STEPS if one.name not in ("episode", "index")]


def write_trajectory(number: int, episode: FileEpisode) -> Row:
    """Return an episode's row without its steps."""
    values = {name: getattr(episode.task, field) for name, field in _OF_TASK.items()}
    values |= {name: getattr(episode, name) for name in _OF_EPISODE}
    return _pack(TRAJECTORIES, {"episode": number, **values})


def write_step(number: int, index: int, step: FileStep) -> Row:
    """Return a step's row."""
    values = {name: getattr(step, name) for name in _OF_STEP}
    return _pack(STEPS, {"episode": number, "index": index, **values})


def read_trajectory(row: Row, steps: tuple[FileStep, ...]) -> FileEpisode:
    """Return the episode of a row.

    Raises:
        EpisodeFileError: A value is not one that an export writes.
    """
    values = _unpack(TRAJECTORIES, row)
    task = FileTask(
        known_as=(values["task"],),
        **{field: values[name] for name, field in _OF_TASK.items()},
    )
    rest = {name: values[name] for name in _OF_EPISODE}
    rest["checks"] = tuple(rest["checks"])
    return FileEpisode(task=task, steps=steps, **rest)


def read_step(row: Row) -> FileStep:
    """Return the step of a row.

    Raises:
        EpisodeFileError: A value is none that an export writes.
    """
    values = _unpack(STEPS, row)
    return FileStep(**{name: values[name] for name in _OF_STEP})


def _pack(columns: tuple[Column, ...], values: Mapping[str, Any]) -> Row:
    return {one.name: _pack_value(one.kind, values[one.name]) for one in columns}


def _pack_value(kind: Kind, value: Any) -> object:
    if kind == "json":
        return json.dumps(value, ensure_ascii=False)
    return list(value) if kind in ("integers", "numbers") else value


def _unpack(columns: tuple[Column, ...], row: Row) -> Row:
    return {one.name: _unpack_value(one, row[one.name]) for one in columns}


def _unpack_value(column: Column, value: Any) -> object:
    """Return a value of the table in the type that the record has."""
    match column.kind:
        case "text":
            return (value or "")[:MAX_TEXT]
        case "json":
            return _read_json(column.name, value)
        case "integers" | "numbers":
            return _read_numbers(column.name, value)
        case "time" if isinstance(value, dt.datetime) and value.tzinfo is None:
            return value.replace(tzinfo=dt.UTC)
        case _:
            return value


def _read_json(name: str, text: str | None) -> object:
    kind = list if name == "checks" else dict
    try:
        found = json.loads(text or "null") or kind()
    except (ValueError, RecursionError):
        raise EpisodeFileError(f"The column {name} holds what is no JSON.") from None
    if not isinstance(found, kind):
        raise EpisodeFileError(f"The column {name} holds what is no {kind.__name__}.")
    if not _is_storable(found):
        told = "a number that is not finite, or is nested too deeply"
        raise EpisodeFileError(f"The column {name} holds {told}.")
    return found


def _read_numbers(name: str, values: list[float | None] | None) -> tuple[float, ...]:
    found = tuple(one for one in values or () if one is not None)
    if len(found) != len(values or ()) or not all(map(math.isfinite, found)):
        raise EpisodeFileError(f"The column {name} holds what is no finite number.")
    return found


def _is_storable(value: object, depth: int = 0) -> bool:
    """Say whether a database takes the value as JSON: Python also reads NaN."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return True
    return depth < MAX_DEPTH and all(_is_storable(one, depth + 1) for one in value)

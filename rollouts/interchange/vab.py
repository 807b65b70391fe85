"""Result folders of VisualAgentBench's WebArena-Lite runner, WebRL's traces among them.

    FOLDER/actions/TASK.json     task_id, score, actions as texts
    FOLDER/traces/TASK.jsonl     a step a line: html, response, target; text runner only
    FOLDER/fixed_traces/         the same after WebRL's `process_data.py`, with `score`
    FOLDER/screehshots/TASK/N.png     one picture a step; the runner spells it so

The runner's own code writes them in `run.py` (commit 9055fc2).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollouts.browser.actions.webrl import parse_action
from rollouts.browser.types import Action
from rollouts.interchange.episodes import (
    MAX_STEPS,
    EpisodeFileError,
    FileEpisode,
    FileStep,
    FileTask,
    as_number,
    as_text,
    read_json,
    read_json_lines,
    read_picture,
)

TRACES = ("traces", "fixed_traces")
PICTURES = "screehshots"
# What the runner writes as the last action when it stops an agent.
_STOPPED = (
    ("reach max steps", "step_limit"),
    ("same action", "repeated"),
    ("same typing action", "repeated"),
    ("failed to parse", "invalid"),
)
_NAME = re.compile(r"[\w.-]{1,80}\Z")


def is_vab(folder: Path) -> bool:
    """Say whether the folder looks like one of the runner's."""
    return any((folder / name).is_dir() for name in ("actions", *TRACES))


def read_vab(folder: Path, policy: str = "") -> Iterator[FileEpisode]:
    """Yield an episode for each task of a result folder, by rising number.

    Raises:
        EpisodeFileError: A file is not the runner's.
    """
    for name in _list_names(folder):
        yield _read_episode(folder, name, policy)


def _list_names(folder: Path) -> list[str]:
    found: set[str] = set()
    for kind, suffix in (("actions", ".json"), *((one, ".jsonl") for one in TRACES)):
        names = (path.stem for path in (folder / kind).glob(f"*{suffix}"))
        found |= {name for name in names if _NAME.match(name)}
    return sorted(found, key=lambda name: (not name.isdigit(), len(name), name))


def _read_episode(folder: Path, name: str, policy: str) -> FileEpisode:
    path = folder / "actions" / f"{name}.json"
    said = read_json(path) if path.exists() else {}
    if not isinstance(said, dict):
        raise EpisodeFileError(f"{path} is no object.")
    lines = _read_lines(folder, name)
    told = _read_actions(said)
    outputs = [as_text(line.get("response")) for line in lines] or told
    pages = [as_text(line.get("html")) for line in lines] or [""] * len(outputs)
    final = pages[-1] if pages else ""
    if lines and not outputs[-1]:
        # The runner's own stop: a page without an answer of the model.
        del outputs[-1], pages[-1]
    steps = tuple(
        _make_step(folder / PICTURES / name / f"{index}.png", output, page)
        for index, (output, page) in enumerate(zip(outputs, pages, strict=True))
    )
    number = as_text(str(said.get("task_id", name)))
    score = _read_score(said, lines)
    last = parse_action(outputs[-1]) if outputs else Action("")
    return FileEpisode(
        task=FileTask(
            key=f"vab.{number}",
            instruction=as_text(lines[0].get("target")) if lines else "",
            known_as=(f"webarena-lite.{number}",),
        ),
        steps=steps,
        policy=policy,
        ended_by=_find_ending(told, last),
        answer=last.argument if last.name == "Exit" else "",
        outcome=None if score is None else score >= 1,
        checks=() if score is None else (_make_check(score),),
        final_observation=final,
        observation_form="webrl" if lines else "",
        action_dialect="webrl",
        ended_at=_find_time(folder, name),
    )


def _read_actions(said: dict[str, Any]) -> list[str]:
    found = said.get("actions")
    texts = found[:MAX_STEPS] if isinstance(found, list) else []
    return [as_text(one) for one in texts if isinstance(one, str)]


def _read_lines(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the steps of a task's trace; [] where the runner wrote none."""
    for kind in TRACES:
        path = folder / kind / f"{name}.jsonl"
        if path.exists():
            lines = list(read_json_lines(path))
            if len(lines) > MAX_STEPS:
                raise EpisodeFileError(f"{path} has more than {MAX_STEPS} steps.")
            return lines
    return []


def _make_step(picture: Path, output: str, page: str) -> FileStep:
    action = parse_action(output)
    return FileStep(
        observation=page,
        output=output,
        action=_store(action) if action.name else {},
        error=action.error,
        screenshot=read_picture(picture),
    )


def _store(action: Action) -> dict[str, Any]:
    return {
        "name": action.name,
        "element": action.element,
        "argument": action.argument,
    }


def _read_score(said: dict[str, Any], lines: list[dict[str, Any]]) -> float | None:
    score = as_number(said.get("score"))
    if score is None and lines:
        score = as_number(lines[-1].get("score"))
    # The runner writes -0.1 while a task is running.
    return None if score is None or score < 0 else score


def _make_check(score: float) -> dict[str, Any]:
    return {
        "name": "score",
        "passed": score >= 1,
        "expected": "1",
        "got": f"{score:g}",
        "why": "The score in VisualAgentBench's file; nothing was checked here.",
    }


def _find_ending(told: list[str], last: Action) -> str:
    stopped = told[-1].lower() if told else ""
    for text, ending in _STOPPED:
        if "early stop" in stopped and text in stopped:
            return ending
    return "exit" if last.name == "Exit" or not told else "step_limit"


def _find_time(folder: Path, name: str) -> dt.datetime | None:
    for path in (
        folder / "actions" / f"{name}.json",
        *(folder / kind / f"{name}.jsonl" for kind in TRACES),
    ):
        if path.exists():
            return dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
    return None

"""Result folders of BrowserGym's experiments, of which AgentLab's studies consist.

    EPISODE/summary_info.json          steps, reward, how it ended
    EPISODE/screenshot_step_N.png      one picture a step
    EPISODE/experiment.log             what was logged, the actions among it
    EPISODE/exp_args.pkl, step_N.pkl.gz, goal_object.pkl.gz     pickles

Loading a pickle can run any code of its author, so the pickles are never opened here.
What only they contain (goal, pages, prompts) comes from `episode.json`, which
`browsergym_episodes.py` writes next to them where the experiments were run.
BrowserGym's own code writes the folder in `experiments/loop.py` (commit 9e779f0).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollouts.browser.actions.browsergym import parse_browsergym
from rollouts.interchange.episodes import (
    MAX_STEPS,
    EpisodeFileError,
    FileEpisode,
    FileStep,
    FileTask,
    as_number,
    as_text,
    read_json,
    read_picture,
)

SUMMARY = "summary_info.json"
PLAIN = "episode.json"
PLAIN_FORMAT = "browsergym-episode-1"
MAX_LOG_BYTES = 32 * 2**20
MAX_DEPTH = 4
_FOLDER = re.compile(
    r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_(?P<agent>.{1,200})_on_(?P<task>.{1,200})"
    r"_(?P<seed>\d{1,12})(?:_\d{1,3})?\Z"
)
# A record of the log begins with its time; an action comes after the thoughts.
_RECORD = re.compile(rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - \d+ - ", re.MULTILINE)
_ACTION = b"\naction:\n"
# BrowserGym's names of suites, and ours.
_SUITES = {"webarenalite": "webarena-lite", "webarena_verified": "webarena-verified"}


def is_browsergym(folder: Path) -> bool:
    """Say whether the folder, or one below it, has episodes of BrowserGym."""
    return next(_list_folders(folder), None) is not None


def read_browsergym(folder: Path, policy: str = "") -> Iterator[FileEpisode]:
    """Yield an episode for each finished experiment in the folder or below it.

    Raises:
        EpisodeFileError: A file is not BrowserGym's.
    """
    for place in _list_folders(folder):
        if (place / SUMMARY).stat().st_size:
            yield _read_episode(place, policy)


def _list_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders of experiments; hidden and replaced ones are left out."""
    for depth in range(MAX_DEPTH + 1):
        for path in sorted(folder.glob("/".join(["*"] * depth + [SUMMARY]))):
            if not path.parent.name.startswith(("_", ".")):
                yield path.parent


def _read_episode(folder: Path, policy: str) -> FileEpisode:
    summary = read_json(folder / SUMMARY)
    plain = _read_plain(folder)
    named = _FOLDER.match(folder.name)
    if not isinstance(summary, dict):
        raise EpisodeFileError(f"{folder / SUMMARY} is no object.")
    name = as_text(plain.get("task")) or (named["task"] if named else folder.name)
    agent = as_text(plain.get("agent")) or (named["agent"] if named else "")
    seed = as_number(plain.get("seed")) or float(named["seed"] if named else 0)
    steps = _read_steps(folder, plain)
    reward = as_number(summary.get("cum_reward"))
    is_broken = bool(summary.get("err_msg"))
    return FileEpisode(
        task=_name_task(name, int(seed), as_text(plain.get("goal"))),
        steps=steps,
        policy=policy or agent,
        seed=int(seed),
        ended_by=_find_ending(summary, steps),
        answer=_find_answer(steps),
        outcome=None if reward is None or is_broken else reward > 0,
        checks=(_make_check(summary, reward),),
        final_observation=as_text(plain.get("final_page")),
        final_url=as_text(plain.get("final_url")),
        action_dialect="browsergym",
        ended_at=dt.datetime.fromtimestamp((folder / SUMMARY).stat().st_mtime, dt.UTC),
    )


def _read_plain(folder: Path) -> dict[str, Any]:
    """Return what the script has written; {} where it was not run."""
    path = folder / PLAIN
    if not path.exists():
        return {}
    found = read_json(path)
    if not isinstance(found, dict) or found.get("format") != PLAIN_FORMAT:
        raise EpisodeFileError(f"{path} has another format than {PLAIN_FORMAT}.")
    return found


def _name_task(name: str, seed: int, goal: str) -> FileTask:
    suite, _, rest = name.partition(".")
    known = f"{_SUITES.get(suite, suite)}.{rest}"
    return FileTask(
        key=f"{name}.{seed}",
        instruction=goal,
        known_as=(known, rest),
    )


def _read_steps(folder: Path, plain: dict[str, Any]) -> tuple[FileStep, ...]:
    if not plain:
        actions = _read_log(folder / "experiment.log")
        return tuple(
            _make_step(folder, index, {"action": action})
            for index, action in enumerate(actions)
        )
    rows = plain.get("steps")
    if not isinstance(rows, list) or len(rows) > MAX_STEPS:
        told = f"{folder / PLAIN} has no list of at most {MAX_STEPS} steps."
        raise EpisodeFileError(told)
    return tuple(
        _make_step(folder, index, row if isinstance(row, dict) else {})
        for index, row in enumerate(rows)
    )


def _make_step(folder: Path, index: int, row: dict[str, Any]) -> FileStep:
    call = as_text(row.get("action"))
    return FileStep(
        observation=as_text(row.get("page")),
        output=as_text(row.get("output")) or call,
        action=_parse(call),
        url=as_text(row.get("url")),
        title=as_text(row.get("title")),
        error=as_text(row.get("error")),
        screenshot=read_picture(folder / f"screenshot_step_{index}.png"),
    )


def _parse(call: str) -> dict[str, Any]:
    """Return the action; for an unknown call only its text."""
    action = parse_browsergym(call)
    if action.name:
        return {
            "name": action.name,
            "element": action.element,
            "argument": action.argument,
        }
    # Elements of frames are called "a12" there, which is not an id here.
    return {"name": call, "element": None, "argument": ""} if call.strip() else {}


def _read_log(path: Path) -> list[str]:
    """Return the actions that were logged, in order; [] without a log."""
    try:
        if path.is_symlink() or path.stat().st_size > MAX_LOG_BYTES:
            return []
        data = path.read_bytes()
    except OSError:
        return []
    starts = [found.start() for found in _RECORD.finditer(data)]
    records = [data[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
    found = []
    for record in records[: 100 * MAX_STEPS]:
        # Without thoughts the record's own line ends before the word.
        _, sign, call = record.replace(b" - action:\n", _ACTION, 1).rpartition(_ACTION)
        if sign:
            found.append(call.decode("utf-8", "replace").strip())
    return found[:MAX_STEPS]


def _find_ending(summary: dict[str, Any], steps: tuple[FileStep, ...]) -> str:
    last = steps[-1].action.get("name") if steps else ""
    if last == "Exit":
        return "exit"
    if summary.get("terminated"):
        return "page"
    return "step_limit" if summary.get("truncated") else "left"


def _find_answer(steps: tuple[FileStep, ...]) -> str:
    action = steps[-1].action if steps else {}
    return str(action["argument"]) if action.get("name") == "Exit" else ""


def _make_check(summary: dict[str, Any], reward: float | None) -> dict[str, Any]:
    broken = as_text(summary.get("err_msg"))[:2000]
    return {
        "name": "cum_reward",
        "passed": None if reward is None or broken else reward > 0,
        "expected": "above 0",
        "got": "" if reward is None else f"{reward:g}",
        "why": broken or "The reward in BrowserGym's file; nothing was checked here.",
    }

"""One episode as read from or written to files of any format."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Limits of a file that is read whole, and of one text in it.
MAX_FILE_BYTES = 256 * 2**20
MAX_TEXT = 4_000_000
MAX_STEPS = 10_000
MAX_PICTURE_BYTES = 16 * 2**20
PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"


class EpisodeFileError(ValueError):
    """A file or folder cannot be read as episodes; the message is a whole sentence."""


@dataclasses.dataclass(frozen=True, slots=True)
class FileStep:
    """One exchange; the fields are those of a recorded step.

    Attributes:
        observation: The page as the agent read it, "" where the files do not say.
        output: What the agent wrote, or its action where only that is known.
        action: Name, element and argument; {} where it was not understood.
        screenshot: PNG or JPEG bytes of the page before the action, or b"".
    """

    observation: str
    output: str
    action: dict[str, Any]
    url: str = ""
    title: str = ""
    error: str = ""
    target_box: tuple[float, ...] = ()
    timing: dict[str, float] = dataclasses.field(default_factory=dict)
    log_probability: float | None = None
    token_count: int | None = None
    token_ids: tuple[int, ...] = ()
    token_log_probabilities: tuple[float, ...] = ()
    screenshot: bytes = b""


@dataclasses.dataclass(frozen=True, slots=True)
class FileTask:
    """What an episode was asked to do.

    Attributes:
        key: Its name in the files.
        instruction: "" where the files do not say.
        known_as: Names that the same task may have in the database.
        site: Key of its site, "" where the files do not say.
        spec: The task object in WebArena's JSON format, {} where it is not known.
    """

    key: str
    instruction: str
    known_as: tuple[str, ...] = ()
    site: str = ""
    start_url: str = ""
    split: str = "test"
    template_key: str = ""
    optimal_steps: int | None = None
    spec: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class FileEpisode:
    """One finished episode.

    Attributes:
        task: What was asked.
        steps: All exchanges, in order.
        run: Name of the run that it belongs to, "" where the files give none.
        phase: Number of the run's phase, from 1.
        policy: Who acted: an address of weights or a name.
        purpose: A trajectory's purpose: baseline, collect, evaluate or by_hand.
        outcome: Success or failure as the files say, None where they give none.
        checks: Where the outcome comes from, as an evaluator's checks are stored.
        observation_form: The form of the observations; "" where it is none of ours.
    """

    task: FileTask
    steps: tuple[FileStep, ...]
    run: str = ""
    phase: int = 1
    policy: str = ""
    purpose: str = "evaluate"
    repeat: int = 0
    seed: int = 0
    ended_by: str = "exit"
    answer: str = ""
    outcome: bool | None = None
    checks: tuple[dict[str, Any], ...] = ()
    success_probability: float | None = None
    reward: float | None = None
    final_observation: str = ""
    final_url: str = ""
    observation_form: str = ""
    action_dialect: str = ""
    started_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None


def read_json(path: Path) -> Any:
    """Return a JSON file's content.

    Raises:
        EpisodeFileError: Missing, too large, or not JSON.
    """
    try:
        return json.loads(_read_bytes(path, MAX_FILE_BYTES))
    except (ValueError, RecursionError) as error:
        raise EpisodeFileError(f"{path} is not JSON: {_short(error)}.") from None


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file with one per line; empty lines are skipped.

    Raises:
        EpisodeFileError: Missing, too large, or a line is not a JSON object.
    """
    for _, found in number_json_lines(path):
        yield found


def number_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the same objects with the numbers of their lines, from 1."""
    data = _read_bytes(path, MAX_FILE_BYTES)
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            told = f"{path}, line {number}, is not JSON: {_short(error)}."
            raise EpisodeFileError(told) from None
        if not isinstance(found, dict):
            raise EpisodeFileError(f"{path}, line {number}, is no object.")
        yield number, found


def read_picture(path: Path) -> bytes:
    """Return a PNG or JPEG as it is; b"" for anything else and for a large one."""
    try:
        if path.is_symlink() or path.stat().st_size > MAX_PICTURE_BYTES:
            return b""
        data = path.read_bytes()
    except OSError:
        return b""
    return data if data.startswith((PNG, JPEG)) else b""


def as_text(value: object) -> str:
    """Return a text of a file, cut to the stored length; "" for anything else."""
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def as_number(value: object) -> float | None:
    """Return a finite number of a file; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer of hundreds of digits
        return None
    return number if math.isfinite(number) else None


def _read_bytes(path: Path, limit: int) -> bytes:
    try:
        if path.is_symlink() or not path.is_file():
            raise EpisodeFileError(f"{path} is no file.")
        if path.stat().st_size > limit:
            raise EpisodeFileError(f"{path} is larger than {limit // 2**20} MiB.")
        return path.read_bytes()
    except OSError as error:
        raise EpisodeFileError(f"{path} cannot be read: {error.strerror}.") from None


def _short(error: Exception) -> str:
    return str(error)[:200].rstrip(".") or "nested too deeply"

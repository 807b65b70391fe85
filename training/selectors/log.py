"""The end of a training process's log."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path

LOG = "train.log"
# How much of the file's end is looked through, and how many lines are shown.
LOOKED_AT = 2**19
SHOWN = 200
MAX_LINE_LENGTH = 500
# Colours and cursor movements of terminals.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclasses.dataclass(frozen=True, slots=True)
class LogTail:
    """The newest lines, oldest first.

    Attributes:
        found: How many lines of the searched part hold the text.
        is_whole: Whether that part is the whole file.
    """

    lines: tuple[str, ...]
    found: int
    is_whole: bool


def read_log(directory: Path, text: str = "") -> LogTail | None:
    """Return the newest lines that hold the text, in any case; None without a log."""
    try:
        with (directory / LOG).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOOKED_AT))
            data = file.read(LOOKED_AT)
    except OSError:
        return None
    # The first line of a file's end has no beginning.
    whole = data if size <= LOOKED_AT else data.partition(b"\n")[2]
    lines = _split(whole)
    found = [line for line in lines if text.lower() in line.lower()]
    return LogTail(tuple(found[-SHOWN:]), len(found), size <= LOOKED_AT)


def _split(data: bytes) -> list[str]:
    """Return the lines; a progress bar that redraws itself has only its last state."""
    lines = data.decode(errors="replace").split("\n")
    shown = (ESCAPES.sub("", line.rstrip("\r").rpartition("\r")[2]) for line in lines)
    return [line[:MAX_LINE_LENGTH] for line in shown if line.strip()]

"""What the commands share that train something under a name."""

from __future__ import annotations

from typing import Any, TextIO

from django.core.management.base import CommandError


def check_name(name: str) -> str:
    """Return the name, which is one folder's.

    Raises:
        CommandError: It could lead elsewhere, or be a phase's.
    """
    # A slug cannot lead out of the folder, and "phase-7" is that phase's.
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise CommandError("A name is made of letters, digits, - and _.")
    if name.startswith("phase-"):
        raise CommandError("Names that begin with phase- belong to phases.")
    return name


class ShowProgress:
    """Says on the terminal how far the trainer is; in a file, a line per stage."""

    def __init__(self, output: TextIO) -> None:
        """`output` is where it is said."""
        self._output = output
        self._stage = ""

    def __call__(self, progress: dict[str, Any]) -> None:
        """Take the trainer's newest progress; it comes about four times a second."""
        stage = str(progress.get("stage", ""))
        done, total = progress.get("done", 0), progress.get("total", 0)
        text = f"{stage} {done} of {total}" if total else stage
        if self._output.isatty():
            self._output.write(f"\r{text:<40}")
        elif stage != self._stage:
            self._output.write(f"{text}\n")
        self._stage = stage

    def end(self) -> None:
        """Leave the line, where it is one."""
        if self._stage and self._output.isatty():
            self._output.write("\n")

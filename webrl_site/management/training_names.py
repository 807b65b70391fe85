"""Shared parts of the commands that train something under a name."""

from __future__ import annotations

from typing import Any, TextIO

from django.core.management.base import CommandError

from webrl_site.templatetags.workbench import duration


def check_name(name: str) -> str:
    """Return the name, which must be a single folder's.

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
    """Prints the trainer's progress: one line in a terminal, ten lines in a file."""

    def __init__(self, output: TextIO) -> None:
        """`output` is where it is printed."""
        self._output = output
        # The stage and its tenths that were printed last.
        self._said = ("", 0)

    def __call__(self, progress: dict[str, Any]) -> None:
        """Take the trainer's newest progress; it comes about four times a second."""
        done, total = progress.get("done", 0), progress.get("total", 0)
        now = (str(progress.get("stage", "")), 10 * done // total if total else 0)
        if self._output.isatty():
            self._output.write(f"\r{_describe(progress):<60}")
        elif now != self._said:
            self._output.write(f"{_describe(progress)}\n")
            self._output.flush()
        self._said = now

    def end(self) -> None:
        """End the line, if there is one."""
        if self._said[0] and self._output.isatty():
            self._output.write("\n")


def _describe(progress: dict[str, Any]) -> str:
    """Return "sft 84 of 842, about 42 min left"."""
    text, total = str(progress.get("stage", "")), progress.get("total", 0)
    if total:
        text += f" {progress.get('done', 0)} of {total}"
    left = progress.get("seconds_left")
    return f"{text}, about {duration(left)} left" if left else text

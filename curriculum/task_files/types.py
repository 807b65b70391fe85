"""Tasks as they come from files: each with the place that a mistake is named by."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.utils.translation import gettext


class TaskFileError(ValueError):
    """The file cannot be read; the message says where and why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One task of a file, not yet checked.

    Attributes:
        number: Its place among the tasks, from 1.
        line: The line that it begins on, from 1; 0 where there are no lines.
        item: Whatever stands there.
    """

    number: int
    line: int
    item: Any

    @property
    def place(self) -> str:
        """What messages begin with: "Line 12, task 3" or "Task 3"."""
        figures = {"line": self.line, "number": self.number}
        if self.line:
            return gettext("Line %(line)s, task %(number)s") % figures
        return gettext("Task %(number)s") % figures

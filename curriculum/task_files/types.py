"""Tasks as read from files, and their errors by place."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.utils.translation import gettext

# Mistakes of one file that are reported; the rest is counted.
MAX_TOLD = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """One mistake of a task file.

    Attributes:
        message: What is wrong, where, and what is allowed, in a sentence.
        number: The task's place in the file, from 1; 0 where a line is no task.
        line: From 1; 0 where there are no lines.
        field: "" where the task as a whole is wrong.
    """

    message: str
    number: int = 0
    line: int = 0
    field: str = ""


class Refusals:
    """The mistakes of one file in the order they were found, the first ones kept."""

    def __init__(self) -> None:
        self.told: list[Refusal] = []
        self.count = 0

    def add(self, refusal: Refusal) -> None:
        self.count += 1
        if len(self.told) < MAX_TOLD:
            self.told.append(refusal)

    @property
    def left_out(self) -> int:
        """How many are not reported."""
        return self.count - len(self.told)


class TaskFileError(ValueError):
    """The file cannot be read; the message says where and why.

    `refusals` has every wrong line, where the file has separate lines.
    """

    def __init__(self, message: str, refusals: Refusals | None = None) -> None:
        super().__init__(message)
        self.refusals = refusals or Refusals()


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One task of a file, not yet checked.

    Attributes:
        number: Its place among the tasks, from 1.
        line: The line that it begins on, from 1; 0 where there are no lines.
        item: The value in the file, of any type.
    """

    number: int
    line: int
    item: Any

    @property
    def place(self) -> str:
        """The beginning of messages: "Line 12, task 3" or "Task 3"."""
        figures = {"line": self.line, "number": self.number}
        if self.line:
            return gettext("Line %(line)s, task %(number)s") % figures
        return gettext("Task %(number)s") % figures

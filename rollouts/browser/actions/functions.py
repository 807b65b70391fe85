"""Shared code of the dialects that call functions by name."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping

from rollouts.browser.types import Action

# Literals of the dialect, by the names of the parameters.
Given = Mapping[str, object]
_ELEMENT = re.compile(r"\d{1,6}\Z")


class InvalidCall(Exception):
    """The answer does not follow the grammar; the text says where."""


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """One function: its parameters, how many must be given, how the manual shows it."""

    example: str
    help: str
    parameters: tuple[str, ...]
    required: int
    build: Callable[[Given], Action]

    @property
    def name(self) -> str:
        """The function's name, as in its example."""
        return self.example.partition("(")[0]

    def require(self, given: Given) -> None:
        """Refuse a call without its required parameters.

        Raises:
            InvalidCall: One is missing; the text names the first.
        """
        for name in self.parameters[: self.required]:
            if name not in given:
                raise InvalidCall(f"{self.name}() needs {name}, as in {self.example}.")


def write_manual(functions: Iterable[Function]) -> str:
    """Return the list of functions as it is shown to a prompted model."""
    return "\n".join(f"{one.example}  # {one.help}" for one in functions)


def read_element(given: Given, name: str) -> int:
    """The number of an element of the page.

    Raises:
        InvalidCall: It is none.
    """
    number = str(given[name]).strip()
    if not (number.isascii() and _ELEMENT.match(number)):
        raise InvalidCall(f"{name} must be an id from the page, not {number[:30]!r}.")
    return int(number)


def read_text(given: Given, name: str) -> str:
    """A text.

    Raises:
        InvalidCall: It is none.
    """
    value = given[name]
    if not isinstance(value, str):
        raise InvalidCall(f"{name} must be a text in quotes, not {value!r}."[:200])
    return value

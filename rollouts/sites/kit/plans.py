"""A task's shortest plan, as steps that name elements by their visible text."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Click:
    """Click the element that is called `label`."""

    label: str


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """Replace the text of the field `label`."""

    label: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Search:
    """Replace the text of the field `label` and press Enter."""

    label: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Select:
    """Choose `option` of the drop-down list `label`."""

    label: str
    option: str


@dataclasses.dataclass(frozen=True, slots=True)
class Switch:
    """Go to another tab; the first is 0."""

    tab: int


@dataclasses.dataclass(frozen=True, slots=True)
class Scroll:
    """Scroll down one screen, to read what the next steps or the answer need."""


@dataclasses.dataclass(frozen=True, slots=True)
class Exit:
    """End: with the answer, or with nothing when the task asks for none."""

    answer: str = ""


Step = Click | Type | Search | Select | Scroll | Switch | Exit
Plan = tuple[Step, ...]

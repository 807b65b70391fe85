"""A policy's answers, made from elements and texts."""

from __future__ import annotations

from rollouts.sites.miniwob.solutions.reading import Item

SCROLL_DOWN = 'do(action="Scroll Down")'
REST = 'do(action="Wait", argument="0")'
GIVE_UP = 'exit(message="N/A")'


def click(item: Item | None) -> str:
    """Click it, or scroll down where it is not visible."""
    return f'do(action="Click", element="{item.id}")' if item else SCROLL_DOWN


def write(item: Item | None, text: str) -> str:
    """Type into it."""
    return _with_text("Type", item, text)


def choose(item: Item | None, option: str) -> str:
    """Choose an option of a drop-down list."""
    return _with_text("Select Dropdown Option", item, option)


def wait(seconds: float) -> str:
    """Wait for a time."""
    return f'do(action="Wait", argument="{seconds:g}")'


def _with_text(action: str, item: Item | None, text: str) -> str:
    if item is None:
        return SCROLL_DOWN
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'do(action="{action}", argument="{quoted}", element="{item.id}")'

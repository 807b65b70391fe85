"""How actions are carried out: fast, or as in the published runners."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from playwright.async_api import Page

    from rollouts.browser.actions.in_page import Found
    from rollouts.browser.types import Action

Typing = Literal["insert", "keys"]
# WebArena-Lite's wait between the last letter of a search and Enter.
MAX_ENTER_WAIT_S = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class ActingOptions:
    """How actions are carried out.

    Attributes:
        typing: How a text is entered: set at once, which only a field takes, or with a
            click on any element, the old text selected and removed, and one key after
            the other into what has the focus.
        enter_wait_s: Wait between the last letter of a search and Enter.
    """

    typing: Typing = "insert"
    enter_wait_s: float = 0.0


class Tabs(Protocol):
    """The tabs of an episode, as an action uses them.

    Attributes:
        page: The active tab.
        origins: The origins of the task's sites, by their keys.
    """

    page: Page
    origins: Mapping[str, str]

    @property
    def pages(self) -> list[Page]:
        """The open tabs, oldest first."""
        ...

    async def in_page(self, name: str, action: Action, *arguments: object) -> Found:
        """Do something with the action's element."""
        ...

    def use_last_tab(self) -> None:
        """Make the newest tab the active one."""
        ...

    def note_tabs(self) -> None:
        """Note the open tabs as known: only a later one is followed."""
        ...

    async def open_tab(self) -> Page:
        """Return a new empty tab."""
        ...

    async def visit(self, url: str) -> None:
        """Go to an address."""
        ...

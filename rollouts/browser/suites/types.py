"""The environment's interface to pages that begin and end episodes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from rollouts.browser.types import PageEnding, TaskSpec

if TYPE_CHECKING:
    from playwright.async_api import Page


class PageSuite(Protocol):
    """One published collection of such pages; keeps no state of episodes."""

    async def begin(self, page: Page, task: TaskSpec) -> None:
        """Begin the task on its page, which is loading, before the first observation.

        Raises:
            SiteBroken: The page does not begin, or asks for something else.
        """
        ...

    def parse_ending(self, told: Mapping[str, Any] | None) -> PageEnding | None:
        """Return the ending that `window.__webrlEnding` reported at the last look."""
        ...

    async def read_ending(self, page: Page) -> PageEnding | None:
        """Return how the page has ended the episode; None while it goes on."""
        ...

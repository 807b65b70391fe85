"""Waiting for the tab that a page has opened.

The page's script knows that a tab was requested; the browser makes it; Playwright
reports it last, after exchanges of its own, which take long on a busy machine.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Set
from typing import TYPE_CHECKING

from rollouts.browser.observation.page_calls import calls_of

if TYPE_CHECKING:
    from playwright.async_api import Page

# The page's request may fail: the browser then makes no tab.
GRACE_S = 0.5
# Longest wait for a tab that the browser has made.
PATIENCE_S = 10.0
# A tab is blank until the first answer to its navigation, or until its file comes. The
# full wait is spent only on one that is meant to stay blank.
BLANK_S = 5.0


async def wait_for_tab(
    page: Page,
    known: Set[Page],
    is_over: Callable[[Page], bool] = lambda _: False,
    *,
    patience_s: float = PATIENCE_S,
) -> Page | None:
    """Wait for a tab of `page`'s context that is not `known`; return the newest.

    None where no tab was made, and where the browser did not finish it in time.
    `is_over` says whether a tab will never show a page. `patience_s` is the longest
    wait for a tab that the browser has made; it is reported once its address answers.
    """

    def list_new() -> list[Page]:
        return [tab for tab in page.context.pages if tab not in known]

    async def is_coming() -> bool:
        return await _count_tabs(page) > len(known & set(page.context.pages))

    if not await arrives(lambda: bool(list_new()), is_coming, patience_s=patience_s):
        return None
    newest = list_new()[-1]
    await _soon(
        lambda: newest.url not in ("", "about:blank") or is_over(newest), BLANK_S
    )
    return newest


async def arrives(
    is_here: Callable[[], bool],
    is_coming: Callable[[], Awaitable[bool]],
    grace_s: float = GRACE_S,
    patience_s: float = PATIENCE_S,
) -> bool:
    """Always wait for the grace time; wait for the longer one while a tab is coming."""
    end = time.monotonic() + patience_s
    while not await _soon(is_here, grace_s):
        if time.monotonic() >= end or not await is_coming():
            return is_here()
    return True


async def _count_tabs(page: Page) -> int:
    """Return how many tabs of the page's context the browser itself knows."""
    session = (await calls_of(page)).session
    own = (await session.send("Target.getTargetInfo"))["targetInfo"]
    known = (await session.send("Target.getTargets"))["targetInfos"]
    context = own["browserContextId"]
    return sum(
        one["type"] == "page" and one["browserContextId"] == context for one in known
    )


async def _soon(is_so: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds or the time is over; return whether it holds."""
    for _ in range(round(seconds / 0.01)):
        if is_so():
            return True
        await asyncio.sleep(0.01)
    return is_so()

"""Calls of the installed script over the browser's own protocol.

`page.evaluate` puts a library of Playwright's into every new document before its
first call; on a page that has just loaded that takes longer than our own script.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

CRASHED = "The page crashed."


class PageCalls:
    """One page's protocol session, and the calls that wait for an answer."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        """A call to a page that crashes would wait forever; this makes it fail."""
        self.session = session
        self._waiting: set[asyncio.Future[Any]] = set()
        self._has_crashed = False
        page.on("crash", self._fail)

    async def evaluate(self, expression: str) -> Any:
        """Return the JSON value of an expression, once its promise is resolved.

        Raises:
            Error: The page navigated to another, was closed, crashed, or threw.
        """
        answer = await self._wait_for(
            self.session.send(
                "Runtime.evaluate",
                {
                    "expression": expression,
                    "awaitPromise": True,
                    "returnByValue": True,
                },
            )
        )
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            raise Error(str(thrown.get("description") or "The page's script failed."))
        return answer["result"].get("value")

    async def _wait_for(
        self, call: Coroutine[Any, Any, dict[str, Any]]
    ) -> dict[str, Any]:
        waiting = asyncio.ensure_future(call)
        self._waiting.add(waiting)
        if self._has_crashed:
            waiting.cancel()
        try:
            return await waiting
        except asyncio.CancelledError:
            if self._has_crashed:
                raise Error(CRASHED) from None
            raise
        finally:
            self._waiting.discard(waiting)

    def _fail(self, page: Page) -> None:
        self._has_crashed = True
        for waiting in self._waiting:
            waiting.cancel()


# The page itself keeps its calls. A table of all pages would keep every page forever,
# even one with weak keys: a session references its context, and that its pages.
KEPT_AS = "_workbench_calls"


async def calls_of(page: Page) -> PageCalls:
    """Return the page's session, opened at the first call."""
    known: PageCalls | None = getattr(page, KEPT_AS, None)
    if known is not None:
        return known
    session = await page.context.new_cdp_session(page)
    # Another call may have opened it meanwhile.
    made: PageCalls = getattr(page, KEPT_AS, None) or PageCalls(page, session)
    setattr(page, KEPT_AS, made)
    return made


async def call_script(page: Page, name: str, *arguments: object) -> Any:
    """Call a function of the installed script; None where it is not installed yet."""
    values = ",".join(json.dumps(value) for value in arguments)
    calls = await calls_of(page)
    return await calls.evaluate(
        f"window.__webrl ? window.__webrl.{name}({values}) : null"
    )

"""Carries out actions on a page; a failure is an explanation, not an exception.

The hit test runs inside the page, on the element that the last observation
numbered; then the mouse and the keyboard do what a person's would.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Literal

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.actions import keys, tab_actions
from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.in_page import Found, scroll, use_element
from rollouts.browser.actions.outcomes import ActOutcome, done
from rollouts.browser.downloads import Downloads
from rollouts.browser.errors import SiteBroken
from rollouts.browser.new_tabs import wait_for_tab
from rollouts.browser.observation.cross_origin_frames import ApartFrame
from rollouts.browser.observation.observations import NAVIGATION_MS
from rollouts.browser.observation.page_calls import calls_of
from rollouts.browser.observation.recorded_sheets import RecordedSheets
from rollouts.browser.types import Action

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

MAX_WAIT_S = 10.0
# The browser's error for a page of the history that it would have to send a form for.
NOT_KEPT = "net::ERR_CACHE_MISS"


class Executor:
    """Acts on the active tab of one browser context."""

    def __init__(
        self,
        context: BrowserContext,
        page: Page,
        home_url: str,
        origins: Mapping[str, str],
        acting: ActingOptions | None = None,
        navigation_ms: float = NAVIGATION_MS,
    ) -> None:
        """`home_url` is where "Go Home" leads, `origins` are the task's sites.

        `navigation_ms` is the longest wait for the first answer to a navigation.
        """
        self.acting = acting or ActingOptions()
        self.navigation_ms = navigation_ms
        self._context = context
        self._home_url = home_url
        self.origins = origins
        self.page = page
        # As of the last observation; see `follow_new_tab`.
        self._known_tabs = frozenset(context.pages)
        # As of the last observation; see `cross_origin_frames`.
        self.frames: tuple[ApartFrame | None, ...] = ()
        self.sheets = RecordedSheets()
        self.downloads = Downloads(context)

    async def carry_out(self, action: Action) -> ActOutcome:
        """Carry out a valid action."""
        return await _HANDLERS[action.name](self, action)

    @property
    def pages(self) -> list[Page]:
        """The open tabs, oldest first."""
        return self._context.pages

    def use_last_tab(self) -> None:
        """Go on with the newest tab after the active one was closed."""
        if not self.pages:
            raise SiteBroken(Sentence("last_tab_closed"))
        self.page = self.pages[-1]

    def note_tabs(self) -> None:
        """Note the open tabs as known: a later one is new."""
        self._known_tabs = frozenset(self.pages)

    def has_new_tab(self) -> bool:
        """Whether another tab than the active one has come since `note_tabs`."""
        return bool(set(self.pages) - self._known_tabs - {self.page})

    async def follow_new_tab(self) -> bool:
        """Make the newest tab since `note_tabs` the active one, if there is one."""
        newest = await wait_for_tab(
            self.page,
            self._known_tabs,
            self.downloads.left_blank,
            patience_s=self.navigation_ms / 1000,
        )
        if newest is None:
            return False
        if self.downloads.left_blank(newest):
            await newest.close()
            return False
        self.page = newest
        self.note_tabs()
        return True

    async def drop_new_tab(self) -> bool:
        """Close the active tab if it never showed a page; True when it was closed."""
        if len(self.pages) < 2 or await self._history_url(-1):
            return False
        await self.page.close()
        self.use_last_tab()
        return True

    async def in_page(self, name: str, action: Action, *arguments: object) -> Found:
        """Do something with the action's element, in any frame."""
        asked = [name, action.element, *arguments]
        return await use_element(self.page.main_frame, self.frames, asked)

    async def _click(self, action: Action) -> ActOutcome:
        return await self._press_mouse(action, "left")

    async def _right_click(self, action: Action) -> ActOutcome:
        return await self._press_mouse(action, "right")

    async def _double_click(self, action: Action) -> ActOutcome:
        return await self._press_mouse(action, "left", times=2)

    async def _press_mouse(
        self, action: Action, button: Literal["left", "right"], *, times: int = 1
    ) -> ActOutcome:
        found = await self.in_page("pointAt", action, True)
        if "error" in found:
            return ActOutcome(found["error"])
        await self.page.mouse.click(
            found["x"], found["y"], button=button, click_count=times
        )
        return done(found)

    async def _hover(self, action: Action) -> ActOutcome:
        found = await self.in_page("pointAt", action, False)
        if "error" in found:
            return ActOutcome(found["error"])
        await self.page.mouse.move(found["x"], found["y"])
        return done(found)

    async def _type(self, action: Action) -> ActOutcome:
        is_by_keys = self.acting.typing == "keys"
        found = await self.in_page("edit", action, action.argument, is_by_keys)
        if "error" in found:
            return ActOutcome(found["error"])
        if found.get("isDone"):
            return done(found)
        if is_by_keys:
            return await self._type_keys(action)
        if action.argument:
            await self.page.keyboard.insert_text(action.argument)
        else:
            await self.page.keyboard.press("Delete")
        return done(found)

    async def _type_keys(self, action: Action) -> ActOutcome:
        """Click, select, remove and press key after key, as WebArena-Lite does.

        What the click gives the focus takes the text, as a label's field does.
        """
        outcome = await self._press_mouse(action, "left")
        if not outcome.error:
            await self.page.keyboard.press("Control+a")
            await self.page.keyboard.press("Backspace")
            await self.page.keyboard.type(action.argument)
        return outcome

    async def _search(self, action: Action) -> ActOutcome:
        outcome = await self._type(action)
        if not outcome.error:
            await asyncio.sleep(self.acting.enter_wait_s)
            await self.page.keyboard.press("Enter")
        return outcome

    async def _select(self, action: Action) -> ActOutcome:
        found = await self.in_page("select", action, action.argument)
        return ActOutcome(found["error"]) if "error" in found else done(found)

    async def _scroll_down(self, action: Action) -> ActOutcome:
        return await self._scroll({"x": 0, "y": 1, "screens": 2 / 3})

    async def _scroll_up(self, action: Action) -> ActOutcome:
        return await self._scroll({"x": 0, "y": -1, "screens": 2 / 3})

    async def _scroll_by(self, action: Action) -> ActOutcome:
        x, y = map(float, action.argument.split())
        if not x and not y:
            return ActOutcome("To scroll takes a distance other than 0 in pixels.")
        return await self._scroll({"x": x, "y": y})

    async def _scroll(self, by: dict[str, float]) -> ActOutcome:
        found = await scroll(self.page.main_frame, self.frames, by)
        return ActOutcome(found.get("error", ""))

    async def _press_enter(self, action: Action) -> ActOutcome:
        await self.page.keyboard.press("Enter")
        return ActOutcome()

    async def _wait(self, action: Action) -> ActOutcome:
        try:
            seconds = float(action.argument or 1)
        except ValueError:
            return ActOutcome(
                f"Wait takes a number of seconds, not {action.argument!r}."
            )
        if not 0 <= seconds <= MAX_WAIT_S:
            return ActOutcome(f"Wait takes 0 to {MAX_WAIT_S:.0f} seconds.")
        return ActOutcome(least_ms=round(seconds * 1000))

    async def _go_backward(self, action: Action) -> ActOutcome:
        return await self._travel(-1, "There is no page to go back to.")

    async def _go_forward(self, action: Action) -> ActOutcome:
        return await self._travel(1, "There is no page to go forward to.")

    async def return_to(self, url: str) -> None:
        """Go back from an error page to the page before it."""
        if await self._history_url(-1) != url:
            await self.page.goto(url, wait_until="commit")
            return
        try:
            await self.page.go_back(wait_until="commit")
        except Error as error:
            if NOT_KEPT not in error.message:
                raise
            # It was the answer to a form, which the browser does not send again. Its
            # own page about that is on the way, and would interrupt `goto`.
            session = (await calls_of(self.page)).session
            await session.send("Page.navigate", {"url": url})

    async def stop_loading(self) -> None:
        """Cancel the navigation that the active tab is waiting for."""
        await (await calls_of(self.page)).session.send("Page.stopLoading")

    async def _history_url(self, by: int) -> str:
        """Return the address so many pages back or forward, "" when there is none."""
        return (await self._find_entry(by))[1]

    async def _find_entry(self, by: int) -> tuple[int, str]:
        """Return an entry of the history: its number and address, "" for none."""
        session = (await calls_of(self.page)).session
        history = await session.send("Page.getNavigationHistory")
        index = history["currentIndex"] + by
        entries = history["entries"]
        if not 0 <= index < len(entries):
            return 0, ""
        url = str(entries[index]["url"])
        return entries[index]["id"], "" if url == "about:blank" else url

    async def _travel(self, by: int, nowhere: str) -> ActOutcome:
        number, url = await self._find_entry(by)
        if not url:
            return ActOutcome(nowhere)
        if url == self.page.url:
            # Perhaps only a frame changes, and `go_back` would wait for the page.
            session = (await calls_of(self.page)).session
            wait_ms = self.navigation_ms
            async with self.page.expect_event("framenavigated", timeout=wait_ms):
                await session.send("Page.navigateToHistoryEntry", {"entryId": number})
        elif by < 0:
            await self.page.go_back(wait_until="commit", timeout=self.navigation_ms)
        else:
            await self.page.go_forward(wait_until="commit", timeout=self.navigation_ms)
        return ActOutcome()

    async def open_tab(self) -> Page:
        """Return a new empty tab."""
        return await self._context.new_page()

    async def visit(self, url: str) -> None:
        """Go to an address; waits for its first answer only."""
        await self.page.goto(url, wait_until="commit", timeout=self.navigation_ms)

    async def _go_home(self, action: Action) -> ActOutcome:
        await self.visit(self._home_url)
        return ActOutcome()


_Handler = Callable[[Executor, Action], Awaitable[ActOutcome]]
# The closed list of actions ("Exit" ends the episode instead).
_HANDLERS: dict[str, _Handler] = {
    "Click": Executor._click,
    "Right Click": Executor._right_click,
    "Type": Executor._type,
    "Search": Executor._search,
    "Select Dropdown Option": Executor._select,
    "Hover": Executor._hover,
    "Scroll Down": Executor._scroll_down,
    "Scroll Up": Executor._scroll_up,
    "Press Enter": Executor._press_enter,
    "Wait": Executor._wait,
    "Switch Tab": tab_actions.switch_tab,
    "Go Backward": Executor._go_backward,
    "Go Forward": Executor._go_forward,
    "Go Home": Executor._go_home,
    # Actions that only BrowserGym's calls have.
    "Double Click": Executor._double_click,
    "Focus": keys.focus,
    "Press": keys.press,
    "Press Key": keys.press_key,
    "Scroll": Executor._scroll_by,
    "Go To": tab_actions.go_to,
    "New Tab": tab_actions.new_tab,
    "Close Tab": tab_actions.close_tab,
}
CARRIED_OUT = frozenset(_HANDLERS)

"""Observes an episode's active tab: new tabs are followed, error pages are left."""

from __future__ import annotations

import asyncio
import dataclasses
import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.actions.executor import Executor
from rollouts.browser.episode import Episode
from rollouts.browser.errors import SiteBroken, first_line
from rollouts.browser.hosting.hosts import start_urls
from rollouts.browser.observation.observations import Look, PageBlocked, look
from rollouts.browser.observation.page_script import Form
from rollouts.browser.types import Observation

if TYPE_CHECKING:
    from playwright.async_api import Page

TITLE_LIMIT = 80
# Another tab may hang; the active one does not wait for it.
TITLE_DEADLINE_S = 1.0
# Seconds beyond the limits of the observing script itself.
PATIENCE_S = 1.0


async def look_at_tabs(episode: Episode, options: dict[str, Any]) -> Look | None:
    """Give the episode its next observation; `options` are those of `look_options`.

    Returns:
        What was seen, or None when the page could not be reached and was left.

    Raises:
        SiteBroken: The site answered 5xx, or no page is left to observe.
    """
    is_reached = True
    try:
        seen = await _look_at_tabs(episode, options)
    except PageBlocked:
        is_reached = False
        await _leave_error_page(episode)
        seen = await _look_again(episode, options)
    if seen.status >= 500:
        url, status = seen.observation.url, seen.status
        raise SiteBroken(Sentence("page_answered", url=url, status=status))
    _count_late(episode, seen)
    episode.told = seen.told
    episode.executor.note_tabs()
    named = await _with_tabs(episode, seen.observation, options["form"])
    episode.observation = await _with_screenshot(episode, named)
    return seen if is_reached else None


async def _look_again(episode: Episode, options: dict[str, Any]) -> Look:
    """Observe the page to which an error page was left.

    A page that goes elsewhere by itself is seen before it does so again.

    Raises:
        SiteBroken: It cannot be seen.
    """
    shown, limits = episode.observation.url, options["limits"] | {"least": 0}
    try:
        return await _look(episode.executor, options | {"limits": limits}, shown)
    except PageBlocked:
        told = Sentence("start_not_reached", url=shown)
        raise SiteBroken(told, url=shown) from None


def _count_late(episode: Episode, seen: Look) -> None:
    """One error page may be the agent's own choice; after two the site is down."""
    if "late" in seen.notes:
        episode.late += 1
        if episode.late > 1 or not episode.observation.url:
            raise SiteBroken(Sentence("redirects_forever", url=seen.observation.url))


async def _look_at_tabs(episode: Episode, options: dict[str, Any]) -> Look:
    executor = episode.executor
    try:
        seen = await _look(executor, options, episode.observation.url)
    except Error:
        if not executor.page.is_closed() or not executor.pages:
            raise
        executor.use_last_tab()
        return await _look_at_tabs(episode, options)
    # The count restarts with each page that the tab shows.
    known = episode.opened_by.get(executor.page, 0)
    episode.opened_by[executor.page] = seen.opened
    is_opened = seen.opened > known or executor.has_new_tab()
    if is_opened and await executor.follow_new_tab():
        return await _look_at_tabs(episode, options)
    return seen


async def _look(executor: Executor, options: dict[str, Any], shown: str) -> Look:
    """Observe the active tab, which has `shown`; give up a navigation without answer.

    Until then the browser delays every call to the page.
    """
    limits = options["limits"].values()
    try:
        async with asyncio.timeout(sum(limits) / 1000 + PATIENCE_S):
            seen = await look(executor.page, options, executor.sheets)
    except TimeoutError:
        await executor.stop_loading()
        seen = await look(executor.page, options, executor.sheets)
        # Another page has begun to load; otherwise none has.
        note = "late" if seen.observation.url == shown else "slow"
        seen = dataclasses.replace(seen, notes=seen.notes | {note})
    if "late" in seen.notes:
        await executor.stop_loading()
    executor.frames = seen.frames
    return seen


async def _leave_error_page(episode: Episode) -> None:
    executor = episode.executor
    if await executor.drop_new_tab():
        return
    if not episode.observation.url:
        start = start_urls(episode.task)[0]
        told = Sentence("start_not_reached", url=episode.task.start_url)
        raise SiteBroken(told, url=start)
    try:
        await executor.return_to(episode.observation.url)
    except Error as error:
        raise SiteBroken(first_line(error.message)) from error


async def _with_tabs(
    episode: Episode, observation: Observation, form: Form
) -> Observation:
    """Name the open tabs above the page's text, where there are several."""
    executor = episode.executor
    pages = executor.pages
    if len(pages) < 2 or form == "webrl":
        return observation  # WebRL's released observer names no tabs.
    titles = [
        observation.title if page is executor.page else await _title(page)
        for page in pages
    ]
    tabs = write_tabs(titles, pages.index(executor.page), form)
    return dataclasses.replace(observation, text=tabs + observation.text)


async def _title(page: Page) -> str:
    try:
        async with asyncio.timeout(TITLE_DEADLINE_S):
            return await page.title()
    except (TimeoutError, Error):
        return ""  # It is on its way to another page, or hangs.


def write_tabs(titles: Sequence[str], active: int, form: Form) -> str:
    """Return an observation's list of tabs, numbered as "Switch Tab" counts them."""
    cut = [title[:TITLE_LIMIT] for title in titles]
    if form == "accessibility_tree":
        return "".join(
            f"Tab {number}{' (active)' if number == active else ''}: {title!r}\n"
            for number, title in enumerate(cut)
        )
    tabs = [
        f'<tab number="{number}"{" active" if number == active else ""}>'
        f"{html.escape(title, quote=False)}</tab>"
        for number, title in enumerate(cut)
    ]
    return f"<tabs>{''.join(tabs)}</tabs>"


async def _with_screenshot(episode: Episode, observation: Observation) -> Observation:
    if not episode.recording.screenshots:
        return observation
    page: Page = episode.executor.page
    image = await page.screenshot(type="jpeg", quality=60)
    return dataclasses.replace(observation, screenshot=image)

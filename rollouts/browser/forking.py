"""Snapshots of an episode, from which it can be continued any number of times.

A snapshot keeps the sites' state (a fork of the sandbox's episode), cookies and local
storage, and each tab with its address and scroll position. It does not keep what was
typed into a form and not sent, nor what a page's scripts hold in memory.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from rollouts.browser.errors import CannotFork, SiteBroken, first_line
from rollouts.browser.hosting.hosts import OpenSites, SiteHost

if TYPE_CHECKING:
    from playwright.async_api import Page

    from rollouts.browser.episode import Episode

_SCROLL = "([x, y]) => window.scrollTo({left: x, top: y, behavior: 'instant'})"
_STORE = "items => items.forEach(({name, value}) => localStorage.setItem(name, value))"


@dataclasses.dataclass(frozen=True, slots=True)
class TabSnapshot:
    """One tab: its address and how far it is scrolled, in CSS pixels."""

    url: str
    scroll: tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeSnapshot:
    """A snapshot of an episode. Its sites stay open until it is forgotten.

    Attributes:
        opened: A fork of the episode's sites that no episode uses.
        state_at_start: The sites' state when the episode began, for evaluators.
        storage: Cookies and local storage, as Playwright writes them.
        tabs: The open tabs, oldest first.
        active: Which of them is the active one.
    """

    opened: OpenSites
    state_at_start: dict[str, Any]
    storage: dict[str, Any]
    tabs: tuple[TabSnapshot, ...]
    active: int


async def take_snapshot(host: SiteHost, episode: Episode) -> EpisodeSnapshot:
    """Return a snapshot of the episode; the episode goes on.

    Raises:
        CannotFork: A site is external, or the page holds its episode in memory.
    """
    if episode.suite is not None:
        raise CannotFork("The page holds its episode in memory.")
    pages = episode.executor.pages
    tabs = [TabSnapshot(page.url, await _read_scroll(page)) for page in pages]
    storage = await episode.lease.context.storage_state()
    opened = await host.fork(episode.opened)
    return EpisodeSnapshot(
        opened=opened,
        state_at_start=episode.state_at_start,
        storage=_move(dict(storage), episode.opened, opened),
        tabs=tuple(_move_tab(tab, episode.opened, opened) for tab in tabs),
        active=pages.index(episode.executor.page),
    )


async def restore_tabs(episode: Episode, snapshot: EpisodeSnapshot) -> None:
    """Bring an episode that was just opened on a fork to the snapshot's position.

    Raises:
        SiteBroken: A page can no longer be reached.
    """
    context, executor = episode.lease.context, episode.executor
    storage = _move(snapshot.storage, snapshot.opened, episode.opened)
    await context.add_cookies(storage.get("cookies", []))
    kept = {one["origin"]: one["localStorage"] for one in storage.get("origins", [])}
    for index, tab in enumerate(snapshot.tabs):
        page = executor.page if index == 0 else await context.new_page()
        url = _move_tab(tab, snapshot.opened, episode.opened).url
        try:
            await _visit(page, url, kept)
            await page.evaluate(_SCROLL, list(tab.scroll))
        except Error as error:
            raise SiteBroken(first_line(error.message)) from error
    executor.page = executor.pages[snapshot.active]
    if len(snapshot.tabs) > 1:
        await executor.page.bring_to_front()


async def _visit(page: Page, url: str, kept: dict[str, Any]) -> None:
    await page.goto(url, wait_until="load")
    origin = "/".join(url.split("/")[:3])
    if kept.get(origin):
        await page.evaluate(_STORE, kept[origin])
        await page.reload(wait_until="load")


async def _read_scroll(page: Page) -> tuple[int, int]:
    x, y = await page.evaluate("[Math.round(scrollX), Math.round(scrollY)]")
    return int(x), int(y)


def _move_tab(tab: TabSnapshot, old: OpenSites, new: OpenSites) -> TabSnapshot:
    return dataclasses.replace(tab, url=_move(tab.url, old, new))


def _move(value: Any, old: OpenSites, new: OpenSites) -> Any:
    """Write the new episode's host names in place of the old one's."""
    text = json.dumps(value)
    return json.loads(text.replace(old.token, new.token) if old.token else text)

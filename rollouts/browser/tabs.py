"""Observes an episode's active tab: new tabs are followed, error pages are left."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from rollouts.browser.episode import Episode
from rollouts.browser.errors import SiteBroken, first_line
from rollouts.browser.observations import Look, PageBlocked, look
from rollouts.browser.types import Observation

if TYPE_CHECKING:
    from playwright.async_api import Page


async def look_at_tabs(episode: Episode, options: dict[str, Any]) -> Look | None:
    """Give the episode its next observation; `options` are those of `look_options`.

    Returns:
        What was seen, or None when the page could not be reached and was left.

    Raises:
        SiteBroken: The site answered 5xx, or nothing is left to look at.
    """
    is_reached = True
    try:
        seen = await _look_at_tabs(episode, options)
    except PageBlocked:
        is_reached = False
        await _leave_error_page(episode)
        seen = await look(episode.executor.page, options)
    if seen.status >= 500:
        raise SiteBroken(f"{seen.observation.url} answered {seen.status}.")
    episode.told = seen.told
    episode.observation = await _with_screenshot(episode, seen.observation)
    return seen if is_reached else None


async def _look_at_tabs(episode: Episode, options: dict[str, Any]) -> Look:
    executor = episode.executor
    before = len(executor.pages)
    try:
        seen = await look(executor.page, options)
    except Error:
        if not executor.page.is_closed() or not executor.pages:
            raise
        executor.use_last_tab()
        return await _look_at_tabs(episode, options)
    known = episode.opened_by.get(executor.page, 0)
    if seen.opened > known:
        episode.opened_by[executor.page] = seen.opened
        if await executor.follow_new_tab(before):
            return await _look_at_tabs(episode, options)
    return seen


async def _leave_error_page(episode: Episode) -> None:
    executor = episode.executor
    if await executor.drop_new_tab():
        return
    if not episode.observation.url:
        raise SiteBroken(f"{episode.task.start_url} was not reached.")
    try:
        await executor.return_to(episode.observation.url)
    except Error as error:
        raise SiteBroken(first_line(error.message)) from error


async def _with_screenshot(episode: Episode, observation: Observation) -> Observation:
    if not episode.recording.screenshots:
        return observation
    page: Page = episode.executor.page
    image = await page.screenshot(type="jpeg", quality=60)
    return dataclasses.replace(observation, screenshot=image)

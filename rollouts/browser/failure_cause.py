"""Whose failure it is when an episode cannot go on: the site's or the harness's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.episode import Episode
from rollouts.browser.errors import (
    EpisodeBroken,
    HarnessBroken,
    SiteBroken,
    first_line,
)
from rollouts.browser.hosting.hosts import find_site

if TYPE_CHECKING:
    from playwright.async_api import Page


def check_pages(episode: Episode) -> None:
    """Break an episode if one of its pages was ended, the active one or another."""
    if episode.lease.why_broken:
        raise HarnessBroken(episode.lease.why_broken)


def explain_break(error: Exception, episode: Episode, seconds: float) -> EpisodeBroken:
    """Say whose failure it is that an exchange of `seconds` failed."""
    if episode.lease.why_broken:
        return HarnessBroken(episode.lease.why_broken)
    if isinstance(error, TimeoutError):
        error = SiteBroken(Sentence("page_silent", seconds=f"{seconds:g}"))
    if not isinstance(error, EpisodeBroken):
        return HarnessBroken(first_line(str(error)))
    _name_site(error, episode)
    return error


def _name_site(broken: EpisodeBroken, episode: Episode) -> None:
    """Return the site that failed: the one that the episode was on, or went to."""
    if not isinstance(broken, SiteBroken) or broken.site:
        return
    urls = (broken.url, episode.executor.page.url, episode.observation.url)
    found = (find_site(url, episode.opened) for url in (*urls, episode.task.start_url))
    broken.site = next(filter(None, found), "")


async def visit(page: Page, url: str) -> None:
    """Open a start address.

    Raises:
        SiteBroken: It does not answer, or answers 5xx.
    """
    try:
        response = await page.goto(url, wait_until="commit")
    except Error as error:
        raise SiteBroken(first_line(error.message), url=url) from error
    if response is not None and response.status >= 500:
        raise SiteBroken(Sentence("site_answered", status=response.status), url=url)

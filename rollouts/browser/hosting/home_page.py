"""Where "Go Home" leads: a site's start page, or links to all of the task's sites."""

from __future__ import annotations

import html
from collections.abc import Sequence
from urllib.parse import quote

from rollouts.browser.hosting.hosts import OpenSites, find_site, home_of

_PREFIX = "data:text/html;charset=utf-8,"
_PAGE = "<!doctype html><title>Home</title><h1>Sites</h1><ul>{links}</ul>"
_LINK = '<li><a href="{url}">{name}</a></li>'


def find_home_page(starts: Sequence[str], opened: OpenSites) -> str:
    """Return the address of an episode's home page; `starts` are where its tabs begin.

    It is the start page of the first tab's site. Where a site of the task has no tab,
    it is a page of links to all of them, as WebArena's homepage has: a dialect without
    addresses could not get there otherwise.
    """
    started = {find_site(url, opened) for url in starts}
    if len(opened.origins) < 2 or started >= set(opened.origins):
        return home_of(starts[0], opened)
    links = "".join(
        _LINK.format(
            url=html.escape(home_of(origin, opened)),
            name=html.escape(site.replace("_", " ")),
        )
        for site, origin in opened.origins.items()
    )
    return _PREFIX + quote(_PAGE.format(links=links))

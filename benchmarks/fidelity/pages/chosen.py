"""Pages on which two observers are compared: our own, MiniWoB++'s, published ones."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fidelity.pages.odd import ODD_PAGES
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.observation.observations import (
    ObservationOptions,
    SettleLimits,
    look,
    look_options,
)
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.suites.miniwob import begin_page
from rollouts.sites.kit.sites import SITES

if TYPE_CHECKING:
    from playwright.async_api import Page

OPTIONS = look_options(
    ObservationOptions(form="webrl"), SettleLimits(), with_snapshot=False
)
SAMPLES = "WebRL/webrl/data/htmls.json"


@dataclasses.dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that is open and settled."""

    name: str
    page: Page


OWN_SITES = tuple(site.key for site in SITES)


async def open_site_pages(
    pool: BrowserPool, control_url: str, sites: Sequence[str], count: int
) -> AsyncIterator[OpenPage]:
    """Yield pages of each site, reached by its links, then scrolled."""
    host = SandboxHost(control_url)
    for site in sites:
        opened = await host.open([site])
        pool.allow(host.allowed(opened))
        lease = await pool.open_page()
        waiting, known = [opened.origins[site] + "/"], set[str]()
        while waiting and len(known) < count:
            url = waiting.pop(0)
            if url in known:
                continue
            known.add(url)
            await lease.page.goto(url)
            await look(lease.page, OPTIONS)
            links = await lease.page.evaluate(_LINKS)
            waiting += [link for link in links if link not in known]
            path = url.removeprefix(opened.origins[site])
            yield OpenPage(f"{site} {path}", lease.page)
            if await lease.page.evaluate("scrollBy(0, 480), scrollY > 0"):
                yield OpenPage(f"{site} {path}, scrolled", lease.page)
        await pool.give_back(lease)
        await host.close(opened)
    await host.aclose()


_LINKS = """() => [...new Set([...document.links].map((a) => a.href.split("#")[0]))]
  .filter((url) => url.startsWith(location.origin + "/"))"""


async def open_miniwob_pages(
    pool: BrowserPool, control_url: str, names: list[str], seed: int
) -> AsyncIterator[OpenPage]:
    """Yield pages of MiniWoB++ whose episode has begun."""
    host = SandboxHost(control_url)
    opened = await host.open(["miniwob"])
    pool.allow(host.allowed(opened))
    for name in names:
        lease = await pool.open_page()
        await lease.page.goto(f"{opened.origins['miniwob']}/miniwob/{name}.html")
        await begin_page(lease.page, seed)
        yield OpenPage(f"miniwob {name}", lease.page)
        await pool.give_back(lease)
    await host.close(opened)
    await host.aclose()


async def open_odd_pages(pool: BrowserPool) -> AsyncIterator[OpenPage]:
    """Yield pages whose markup is unusual; see `odd`."""
    for name, text in ODD_PAGES.items():
        lease = await pool.open_page()
        await lease.page.set_content(text)
        yield OpenPage(f"odd {name}", lease.page)
        await pool.give_back(lease)


async def open_samples(pool: BrowserPool, originals: Path) -> AsyncIterator[OpenPage]:
    """Yield WebRL's published samples of simplified HTML, each shown as a page."""
    samples = json.loads((originals / SAMPLES).read_text(encoding="utf-8"))
    for site, text in samples[0].items():
        lease = await pool.open_page()
        await lease.page.set_content(text)
        yield OpenPage(f"sample {site}", lease.page)
        await pool.give_back(lease)

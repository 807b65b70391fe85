"""Checks instances of external sites before episodes: do they answer, and sign in."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import EpisodeBroken, SiteBroken, first_line
from rollouts.browser.hosting.hosts import OpenSites
from rollouts.browser.hosting.signing_in import SignIns
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.pool import BrowserPool, PageLease, PoolOptions
from rollouts.browser.types import SignIn

if TYPE_CHECKING:
    from playwright.async_api import Page, Request

# Longest wait for a page, and for the whole check of one instance.
ANSWER_MS = 15_000
DEADLINE_S = 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """The findings about one instance; None where unknown.

    Attributes:
        answers: Its start page loads, from its own address.
        is_signed_in: That page shows what only a person who is signed in sees.
        answers_why: What is wrong with that; where it answers, what its page asked
            for and could not reach.
        cookies: Name and path of each cookie that it has set.
    """

    answers: bool | None
    answers_why: str = ""
    is_signed_in: bool | None = None
    signed_in_why: str = ""
    cookies: tuple[tuple[str, str], ...] = ()


def check_addresses(
    site: str,
    addresses: Sequence[str],
    recipes: Mapping[str, SignIn],
    further: Sequence[AllowedHost] = (),
    executable: str | None = None,
) -> list[Finding]:
    """Check the instances of a site, one after another, with a browser of its own.

    `further` are other hosts that its pages may reach.

    Raises:
        HarnessBroken: There is no browser.
    """
    return asyncio.run(_check_all(site, addresses, recipes, further, executable))


async def _check_all(
    site: str,
    addresses: Sequence[str],
    recipes: Mapping[str, SignIn],
    further: Sequence[AllowedHost],
    executable: str | None,
) -> list[Finding]:
    pool = BrowserPool(PoolOptions(executable=executable, prepared=0))
    pool.allow([*map(AllowedHost.of_url, addresses), *further])
    sign_ins = SignIns(pool, recipes, patience_ms=ANSWER_MS)
    try:
        return [
            await check_address(pool, sign_ins, site, url.rstrip("/"), site in recipes)
            for url in addresses
        ]
    finally:
        await pool.close()


async def check_address(
    pool: BrowserPool, sign_ins: SignIns, site: str, origin: str, signs_in: bool
) -> Finding:
    """Check one instance; `origin` has no trailing slash."""
    lease = await pool.open_page((site,))
    opened = OpenSites("", {site: origin})
    try:
        async with asyncio.timeout(DEADLINE_S):
            why = await _visit(lease.page, origin)
            if why:
                return Finding(False, why)
            if signs_in:
                found = await _sign_in(lease.page, sign_ins, opened)
            else:
                found = Finding(True, cookies=await _read_cookies(lease.page))
            return dataclasses.replace(found, answers_why=_name_refused(lease))
    except TimeoutError:
        told = Sentence("page_silent", seconds=f"{DEADLINE_S:g}")
        return Finding(False, Sentence("instance_silent", reason=told))
    finally:
        await pool.give_back(lease)


async def _sign_in(page: Page, sign_ins: SignIns, opened: OpenSites) -> Finding:
    """Sign in as an episode does, and check the start page."""
    (origin,) = opened.origins.values()
    why = ""
    try:
        given = await sign_ins.prepare(page.context, opened, opened.origins)
        await page.goto(origin, wait_until="load", timeout=ANSWER_MS)
        await sign_ins.check(page, origin, opened, given)
    except EpisodeBroken as broken:
        if not isinstance(broken, SiteBroken):
            raise
        why = Sentence("instance_not_signed_in", reason=str(broken))
    except Error as error:
        reason = first_line(error.message)
        why = Sentence("instance_not_signed_in", reason=reason)
    return Finding(True, "", not why, why, await _read_cookies(page))


async def _visit(page: Page, origin: str) -> str:
    """Open the start page; return what is wrong with it, or ""."""
    last = [origin]

    def follow(request: Request) -> None:
        if request.is_navigation_request() and request.frame == page.main_frame:
            last.append(request.url)

    page.on("request", follow)
    try:
        response = await page.goto(origin, wait_until="load", timeout=ANSWER_MS)
    except Error as error:
        if _place(last[-1]) != _place(origin):
            return _leads_away(last[-1])
        return Sentence("instance_silent", reason=f"{first_line(error.message)}.")
    finally:
        page.remove_listener("request", follow)
    if _place(page.url) != _place(origin):
        return _leads_away(page.url)
    if response is not None and response.status >= 500:
        return Sentence("instance_answered", status=response.status)
    return ""


def _name_refused(lease: PageLease) -> str:
    """Name the hosts that the instance's pages asked for and could not reach, or ""."""
    hosts = {f"{one.host}:{one.port}" for one in lease.list_refused()}
    if not hosts:
        return ""
    return Sentence("instance_refused", hosts=", ".join(sorted(hosts)))


def _leads_away(url: str) -> str:
    parts = urlsplit(url)
    return Sentence("instance_leads_away", address=f"{parts.scheme}://{parts.netloc}")


def _place(url: str) -> tuple[str, AllowedHost]:
    return urlsplit(url).scheme, AllowedHost.of_url(url)


async def _read_cookies(page: Page) -> tuple[tuple[str, str], ...]:
    cookies = await page.context.cookies()
    return tuple(sorted((one.get("name", ""), one.get("path", "/")) for one in cookies))

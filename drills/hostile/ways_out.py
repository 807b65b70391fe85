"""S2: a page tries every channel out of its site, in real Chromium."""

from __future__ import annotations

import asyncio

from drills.outcome import Outcome
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.process.probes import PAGE, PROBES, Forbidden, listen
from tests.rollouts.browser.tiny_site import TinySite, redirect, task

MIN_PROBES = 25
# Of the probes, as many must arrive where they may, or they would show nothing.
MIN_ARRIVING = 20
# The other half of the promise: attempts fail when the browser resolves the name,
# and nothing counts them there.
IS_LOGGED = False


def measure() -> Outcome:
    """Try every channel twice: with the listener forbidden, and with it allowed."""
    hits, arrived = asyncio.run(_try_both())
    text = (
        f"{len(PROBES)} channels: {len(hits)} reached a forbidden listener; "
        f"{len(arrived)} reach one that is allowed; attempts are logged: {IS_LOGGED}"
    )
    is_shown = len(PROBES) >= MIN_PROBES and len(arrived) >= MIN_ARRIVING
    return Outcome(text, not hits and is_shown and IS_LOGGED, "; ".join(hits[:3]))


async def _try_both() -> tuple[list[str], list[str]]:
    async with TinySite({}) as site, listen() as forbidden:
        inside = {"shop": site.url}
        outside = {"other": f"http://127.0.0.1:{forbidden.port}"}
        hits = await _try_all(site, forbidden, inside)
        arrived = await _try_all(site, forbidden, inside | outside)
    return hits, arrived


async def _try_all(
    site: TinySite, listener: Forbidden, addresses: dict[str, str]
) -> list[str]:
    """Return which probes reach the listener from a browser for these addresses."""
    pool = BrowserPool(PoolOptions(prepared=1))
    environment = BrowserEnvironment(pool, ExternalHost(addresses))
    try:
        return [
            name
            for name, probe in PROBES.items()
            if await _reaches(environment, site, listener, probe)
        ]
    finally:
        await environment.close()
        await pool.close()


async def _reaches(
    environment: BrowserEnvironment, site: TinySite, listener: Forbidden, probe: str
) -> bool:
    away = redirect(f"http://127.0.0.1:{listener.port}/")
    script = probe.format(b=listener.port)
    site.pages = {"/": PAGE.format(probe=script), "/away": away}
    listener.hits.clear()
    await environment.reset(task())
    await environment.step('do(action="Click", element="0")')
    await environment.step('do(action="Wait", argument="0.2")')
    return bool(listener.hits)

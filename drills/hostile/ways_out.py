"""S2: a page tries every channel out of its site, in real Chromium."""

from __future__ import annotations

import asyncio
import dataclasses

from drills.outcome import Outcome
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.process.probes import PAGE, PROBES, Forbidden, listen
from tests.rollouts.browser.tiny_site import TinySite, redirect, task

MIN_PROBES = 25
# Number of probes that must arrive where allowed, or the drill would show nothing.
MIN_ARRIVING = 20


@dataclasses.dataclass(slots=True)
class Trial:
    """Which probes reached the listener, and which are in their episode's record."""

    reaching: list[str] = dataclasses.field(default_factory=list)
    recorded: list[str] = dataclasses.field(default_factory=list)


def measure() -> Outcome:
    """Try every channel twice: with the listener forbidden, and with it allowed."""
    forbidden, allowed = asyncio.run(_try_both())
    # A channel that sends nothing where allowed would send nothing here either.
    silent = [name for name in allowed.reaching if name not in forbidden.recorded]
    false = [name for name in allowed.recorded if name in allowed.reaching]
    text = (
        f"{len(PROBES)} channels: {len(forbidden.reaching)} reached a forbidden "
        f"listener, {len(forbidden.recorded)} are in the episode's record; where it is "
        f"allowed {len(allowed.reaching)} reach it, and of these {len(silent)} were "
        f"not recorded when it was forbidden; {len(false)} recorded although allowed"
    )
    is_shown = len(PROBES) >= MIN_PROBES and len(allowed.reaching) >= MIN_ARRIVING
    wrong = forbidden.reaching + silent + false
    return Outcome(text, not wrong and is_shown, "; ".join(wrong[:3]))


async def _try_both() -> tuple[Trial, Trial]:
    async with TinySite({}) as site, listen() as listener:
        inside = {"shop": site.url}
        outside = {
            "other": f"http://127.0.0.1:{listener.port}",
            "by_name": f"http://localhost:{listener.port}",
            "other_port": f"http://shop.test.localhost:{listener.port}",
        }
        forbidden = await _try_all(site, listener, inside)
        allowed = await _try_all(site, listener, inside | outside)
    return forbidden, allowed


async def _try_all(
    site: TinySite, listener: Forbidden, addresses: dict[str, str]
) -> Trial:
    """Try each probe in an episode of its own, in a browser with these addresses."""
    pool = BrowserPool(PoolOptions(prepared=1))
    environment = BrowserEnvironment(pool, ExternalHost(addresses))
    trial = Trial()
    try:
        for name, probe in PROBES.items():
            is_recorded = await _play(environment, site, listener, probe)
            trial.reaching += [name] if listener.hits else []
            trial.recorded += [name] if is_recorded else []
    finally:
        await environment.close()
        await pool.close()
    return trial


async def _play(
    environment: BrowserEnvironment, site: TinySite, listener: Forbidden, probe: str
) -> bool:
    """Play an episode that tries one probe; return whether its record names it."""
    away = redirect(f"http://127.0.0.1:{listener.port}/")
    script = probe.format(b=listener.port)
    site.pages = {"/": PAGE.format(probe=script), "/away": away}
    listener.hits.clear()
    await environment.reset(task())
    await environment.step('do(action="Click", element="0")')
    await environment.step('do(action="Wait", argument="0.2")')
    *_, info = await environment.step('exit(message="")')
    return any(attempt.port == listener.port for attempt in info["refused"])

"""A page reaches its own site and nothing else, by whatever channel it tries."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import RefusedAttempt
from tests.rollouts.browser.process.probes import PAGE, PROBES, Forbidden, listen
from tests.rollouts.browser.tiny_site import TinySite, redirect, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def forbidden() -> AsyncIterator[Forbidden]:
    async with listen() as listener:
        yield listener


@pytest.mark.parametrize("probe", PROBES.values(), ids=PROBES)
async def test_a_page_cannot_leave_its_site(environment, serve, forbidden, probe):
    script = probe.format(b=forbidden.port).replace('"', "&quot;")
    page = PAGE.format(probe=script.replace("&quot;", '"'))
    serve(page, away=redirect(f"http://127.0.0.1:{forbidden.port}/"))
    await environment.reset(task())
    await environment.step('do(action="Click", element="0")')
    await environment.step('do(action="Wait", argument="0.2")')
    assert forbidden.hits == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fetch by address", "fetch"),
        ("websocket", "websocket"),
        ("top navigation through a redirect", "document"),
        ("turn over TCP and stun", "connection"),
    ],
)
async def test_a_refused_attempt_is_in_the_episodes_record(
    environment, serve, forbidden, name, kind
):
    url = f"http://127.0.0.1:{forbidden.port}/"
    page = PAGE.format(probe=PROBES[name].format(b=forbidden.port))
    serve(page, away=redirect(url))
    await environment.reset(task())
    await environment.step('do(action="Click", element="0")')
    await environment.step('do(action="Wait", argument="0.2")')
    *_, info = await environment.step('exit(message="")')
    assert RefusedAttempt("127.0.0.1", forbidden.port, kind, 1) in info["refused"]


async def test_an_episode_that_stays_in_its_site_has_nothing_refused(
    environment, serve
):
    serve("<a href=/next>Next</a>", next="there")
    await environment.reset(task())
    *_, info = await environment.step('exit(message="")')
    assert info["refused"] == ()


async def test_a_service_worker_cannot_be_installed(environment, serve):
    site = serve("<script>navigator.serviceWorker.register('/worker')</script>")
    await environment.reset(task())
    await environment.step('do(action="Wait", argument="0.2")')
    assert site.requests == ["GET /"]


async def test_the_probes_do_reach_a_site_that_is_allowed(pool, site, serve):
    async with TinySite({}) as other:
        host = ExternalHost(
            {"shop": site.url, "other": f"http://127.0.0.1:{other.port}"}
        )
        pool = BrowserPool(pool._options)
        environment = BrowserEnvironment(pool, host)
        for name in ("fetch by address", "frame", "post", "beacon"):
            other.requests.clear()
            serve(PAGE.format(probe=PROBES[name].format(b=other.port)))
            await environment.reset(task())
            await environment.step('do(action="Click", element="0")')
            await environment.step('do(action="Wait", argument="0.2")')
            assert other.requests, name
        await environment.close()
        await pool.close()

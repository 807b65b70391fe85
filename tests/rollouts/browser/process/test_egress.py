"""A page reaches its own site and nothing else, by whatever channel it tries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import RefusedAttempt, TaskSpec
from tests.ipv6 import needs_ipv6
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


MAP = TaskSpec(2, "Find the way", "__MAP__/", ("map",), {})


@pytest_asyncio.fixture(loop_scope="session")
async def with_router(
    pool: BrowserPool, site: TinySite, forbidden: Forbidden
) -> AsyncIterator[BrowserEnvironment]:
    """Shop and map are one server; only the map may reach the router."""
    own = BrowserPool(pool._options)
    router = AllowedHost("127.0.0.1", forbidden.port, site="map")
    origin = f"http://map.test.localhost:{site.port}"
    host = ExternalHost({"shop": site.url, "map": origin}, further=[router])
    environment = BrowserEnvironment(own, host)
    yield environment
    await environment.close()
    await own.close()


async def run_probe(environment: BrowserEnvironment, opened: TaskSpec) -> None:
    await environment.reset(opened)
    await environment.step('do(action="Click", element="0")')
    await environment.step('do(action="Wait", argument="0.2")')


def give_probe(serve: Callable[..., TinySite], name: str, port: int) -> None:
    script = PROBES[name].format(b=port).replace('"', "&quot;")
    page = PAGE.format(probe=script.replace("&quot;", '"'))
    serve(page, away=redirect(f"http://127.0.0.1:{port}/"))


async def test_a_map_reaches_the_router_that_the_operator_names(
    with_router, serve, forbidden
):
    give_probe(serve, "fetch by address", forbidden.port)
    await run_probe(with_router, MAP)
    *_, info = await with_router.step('exit(message="")')
    assert forbidden.hits
    assert info["refused"] == ()


async def test_pages_of_other_sites_do_not_reach_it_in_the_same_browser(
    with_router, serve, forbidden
):
    await with_router.reset(MAP)
    browser = with_router._pool.process_id
    for name in PROBES:
        give_probe(serve, name, forbidden.port)
        await run_probe(with_router, task())
        assert forbidden.hits == [], name
    assert with_router._pool.process_id == browser


async def test_other_hosts_stay_out_of_reach_of_the_map(with_router, serve, forbidden):
    async with listen() as another:
        give_probe(serve, "fetch by address", another.port)
        await run_probe(with_router, MAP)
        assert another.hits == []


@needs_ipv6
async def test_a_site_at_an_address_of_ipv6_is_reached(pool: BrowserPool):
    own = BrowserPool(pool._options)
    async with TinySite({"/": "<h1>Found</h1>"}, "::1") as site:
        url = f"http://[::1]:{site.port}"
        environment = BrowserEnvironment(own, ExternalHost({"shop": url}))
        observation, _ = await environment.reset(task())
        await environment.close()
    await own.close()
    assert "Found" in observation.text
    assert observation.url == f"{url}/"

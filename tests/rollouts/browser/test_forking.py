"""Episodes kept at a step and taken up again, in real Chromium on the sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.errors import CannotFork
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import Observation, TaskSpec
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.oracle import find_elements
from rollouts.sites.shop import data
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MUG = next(p for p in data.PRODUCTS.values() if p.stock)
RULES = {
    "eval_types": ["state_match"],
    "reference_state": [{"site": "shop", "path": "cart", "equals": {MUG.slug: 1}}],
}
BUY = TaskSpec(
    1,
    "Buy",
    f"__SHOP__/product/{MUG.slug}",
    ("shop",),
    {"intent": "Buy", "eval": RULES},
)


@pytest_asyncio.fixture(loop_scope="session")
async def shop(pool: BrowserPool) -> AsyncIterator[BrowserEnvironment]:
    with running_sandbox() as sandbox:
        host = SandboxHost(sandbox.control_url)
        environment = BrowserEnvironment(pool, host)
        yield environment
        await environment.close()
        await host.aclose()


async def click(shop: BrowserEnvironment, seen: Observation, label: str) -> Observation:
    element = find_elements(seen.text, label)[0]
    observation, *_ = await shop.step(do("Click", element))
    return observation


async def finish(shop: BrowserEnvironment) -> bool | None:
    *_, info = await shop.step("exit()")
    return info["outcome"]


async def test_an_episode_goes_on_from_where_it_was_kept(shop):
    observation, _ = await shop.reset(BUY)
    seen = await click(shop, observation, "Add to cart")
    kept = await shop.snapshot()
    again, _ = await shop.reset(BUY, start=kept)
    assert again.text == seen.text
    assert await finish(shop) is True
    await shop.forget(kept)


async def test_each_fork_goes_its_own_way(shop):
    observation, _ = await shop.reset(BUY)
    kept = await shop.snapshot()
    first, _ = await shop.reset(BUY, start=kept)
    await click(shop, first, "Add to cart")
    assert await finish(shop) is True
    second, _ = await shop.reset(BUY, start=kept)
    assert second.text == observation.text
    assert await finish(shop) is False
    await shop.forget(kept)


async def test_tabs_and_the_active_one_are_kept(shop):
    several = TaskSpec(1, "Look", "__SHOP__/ |AND| __SHOP__/cart", ("shop",), {})
    await shop.reset(several)
    cart, *_ = await shop.step(do("Switch Tab", argument="1"))
    kept = await shop.snapshot()
    again, _ = await shop.reset(several, start=kept)
    assert again.text == cart.text
    home, *_ = await shop.step(do("Switch Tab", argument="0"))
    assert home.title != cart.title
    await shop.forget(kept)


async def test_an_external_site_cannot_be_kept(environment, serve):
    serve("<h1>Hi</h1>")
    await environment.reset(task())
    with pytest.raises(CannotFork, match="shop runs elsewhere"):
        await environment.snapshot()


async def test_keeping_needs_an_episode(pool, environment):
    with pytest.raises(RuntimeError, match="reset"):
        await environment.snapshot()

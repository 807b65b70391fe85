"""A remote site with sessions that expire, played by the tiny site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.errors import SiteBroken
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.hosting.signing_in import SEEN_MS, SignIns
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import SignIn, TaskSpec
from tests.rollouts.browser.tiny_site import (
    Page,
    TinySite,
    redirect,
    respond,
    status,
    task,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FORM = (
    "<form method=post action=/enter><input id=user name=user>"
    "<input id=password name=password type=password><button>Sign in</button></form>"
)
RECIPE = SignIn("/login", (("#user", "emma"), ("#password", "s3cret")), "button", ".me")


class RemoteSite:
    """Lets emma in; a session is good until it is forgotten."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self.sign_ins = 0
        self.lasts = True

    def home(self, head: str, body: str) -> bytes:
        known = any(f"session={one}" in head for one in self.sessions)
        return respond("<p class=me>Hello emma</p>" if known else "<p>Who are you?</p>")

    def enter(self, head: str, body: str) -> bytes:
        if "password=s3cret" not in body:
            return respond("<p>Wrong password</p>")
        self.sign_ins += 1
        session = f"s{self.sign_ins}"
        if self.lasts:
            self.sessions.add(session)
        cookie = f"Set-Cookie: session={session}; Path=/"
        return respond("<p class=me>Welcome</p>", cookie)

    def pages(self) -> dict[str, Page]:
        return {"/": self.home, "/login": FORM, "/enter": self.enter}


@pytest.fixture
def remote(site: TinySite) -> RemoteSite:
    remote = RemoteSite()
    site.pages = remote.pages()
    return remote


@pytest_asyncio.fixture(loop_scope="session")
async def sign_ins(pool: BrowserPool) -> SignIns:
    return SignIns(pool, {"shop": RECIPE}, seen_ms=500)


@pytest_asyncio.fixture(loop_scope="session")
async def signed(
    pool: BrowserPool, site: TinySite, sign_ins: SignIns
) -> AsyncIterator[BrowserEnvironment]:
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, sign_ins=sign_ins)
    yield environment
    await environment.close()


async def test_an_episode_starts_signed_in(signed, remote):
    observation, _ = await signed.reset(task())
    assert "Hello emma" in observation.text


async def test_one_sign_in_serves_many_episodes(signed, remote):
    for _ in range(3):
        await signed.reset(task())
    assert remote.sign_ins == 1


async def test_a_session_that_has_expired_is_renewed(signed, remote):
    await signed.reset(task())
    remote.sessions.clear()
    observation, _ = await signed.reset(task())
    assert "Hello emma" in observation.text
    assert remote.sign_ins == 2


async def test_a_session_that_does_not_last_is_the_sites_failure(signed, remote):
    remote.lasts = False
    with pytest.raises(SiteBroken, match="The session on shop did not last") as broken:
        await signed.reset(task())
    assert broken.value.site == "shop"


async def test_an_episode_begins_where_its_task_says_after_a_renewal(
    signed, remote, site
):
    def orders(head: str, body: str) -> bytes:
        known = any(f"session={one}" in head for one in remote.sessions)
        return respond("<p class=me>Orders</p>") if known else redirect("/login")

    site.pages["/orders"] = orders
    await signed.reset(task("/orders"))
    remote.sessions.clear()
    observation, _ = await signed.reset(task("/orders"))
    assert observation.url == f"{site.url}/orders"
    assert "Orders" in observation.text


@pytest.mark.parametrize("start", ["__SHOP__/", "__SHOP__/ |AND| __FORUM__/"])
async def test_each_site_of_a_task_is_checked(pool, site, remote, start):
    async with TinySite({}) as other:
        forum = RemoteSite()
        other.pages = forum.pages()
        address = f"http://forum.test.localhost:{other.port}"
        environment = BrowserEnvironment(
            pool,
            ExternalHost({"shop": site.url, "forum": address}),
            sign_ins=SignIns(pool, {"shop": RECIPE, "forum": RECIPE}, seen_ms=500),
        )
        on_both = TaskSpec(1, "Try it", start, ("shop", "forum"), {})
        await environment.reset(on_both)
        forum.sessions.clear()
        await environment.reset(on_both)
        await environment.close()
    assert (remote.sign_ins, forum.sign_ins) == (1, 2)


async def test_a_refused_password_is_said_without_telling_it(pool, site, remote):
    wrong = SignIn(
        "/login", (("#user", "emma"), ("#password", "0ther")), "button", ".me"
    )
    host = ExternalHost({"shop": site.url})
    sign_ins = SignIns(pool, {"shop": wrong}, patience_ms=500)
    environment = BrowserEnvironment(pool, host, sign_ins=sign_ins)
    with pytest.raises(SiteBroken, match="Signing in to shop failed") as caught:
        await environment.reset(task())
    assert "0ther" not in str(caught.value)
    await environment.close()


async def test_a_sign_in_ends_at_a_deadline_of_its_own(pool, site, remote):
    site.pages["/login"] = b""
    sign_ins = SignIns(pool, {"shop": RECIPE}, deadline_s=0.5)
    environment = BrowserEnvironment(
        pool, ExternalHost({"shop": site.url}), sign_ins=sign_ins
    )
    with pytest.raises(SiteBroken, match="The page did not answer for") as broken:
        await environment.reset(task())
    assert broken.value.site == "shop"


async def test_episodes_that_wait_for_the_same_sign_in_share_its_failure(
    pool, site, remote
):
    site.pages["/login"], site.requests = "<p>No form today</p>", []
    sign_ins = SignIns(pool, {"shop": RECIPE}, patience_ms=500)
    asked = [sign_ins.find_session("shop", site.url, old=None) for _ in range(3)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in told] == [SiteBroken] * 3
    assert site.requests.count("GET /login") == 1


async def test_a_site_that_fails_at_the_form_says_what_it_answered(
    signed, remote, site
):
    site.pages["/login"] = status(502)
    with pytest.raises(SiteBroken, match="shop failed: it answered 502") as broken:
        await signed.reset(task())
    assert broken.value.site == "shop"


async def test_a_site_without_a_recipe_is_left_alone(environment, remote):
    observation, _ = await environment.reset(task())
    assert "Who are you?" in observation.text
    assert remote.sign_ins == 0


def who(head: str, body: str) -> bytes:
    """Greet whoever a proxy's header names."""
    named = "x-user: emma" in head.lower()
    return respond("<p class=me>Hello emma</p>" if named else "<p>Who are you?</p>")


APP = (
    "<p>Who are you?</p><script>if (localStorage.getItem('token') === 's3cret')"
    " document.body.innerHTML = '<p class=me>Hello emma</p>';</script>"
)
BY_HEADER = SignIn("/", (), "", ".me", headers=(("X-User", "emma"),))
BY_STORAGE = SignIn("/", (), "", ".me", storage=(("token", "s3cret"),))


async def read_start(
    pool: BrowserPool,
    site: TinySite,
    recipe: SignIn,
    pages: dict[str, Page],
    seen_ms: float = SEEN_MS,
) -> str:
    """Return what an episode reads first."""
    site.pages = pages
    sign_ins = SignIns(pool, {"shop": recipe}, seen_ms=seen_ms)
    environment = BrowserEnvironment(
        pool, ExternalHost({"shop": site.url}), sign_ins=sign_ins
    )
    try:
        observation, _ = await environment.reset(task())
    finally:
        await environment.close()
    return observation.text


async def test_a_header_signs_in(pool, site):
    assert "Hello emma" in await read_start(pool, site, BY_HEADER, {"/": who})


async def test_an_entry_of_local_storage_signs_in(pool, site):
    site.requests.clear()
    assert "Hello emma" in await read_start(pool, site, BY_STORAGE, {"/": APP})
    assert [line for line in site.requests if "favicon" not in line] == ["GET /"]


async def test_a_page_that_asks_late_who_is_signed_in_is_waited_for(pool, site):
    late = (
        "<p>Who are you?</p><script>setTimeout(() => fetch('/api').then(() => {"
        " if (localStorage.getItem('token') === 's3cret')"
        " document.body.innerHTML = '<p class=me>Hello emma</p>'; }), 300);</script>"
    )
    pages: dict[str, Page] = {"/": late, "/api": "ok"}
    assert "Hello emma" in await read_start(pool, site, BY_STORAGE, pages)


async def test_what_a_form_leaves_in_local_storage_is_kept(pool, site):
    welcome = "<p class=me>Hi</p><script>localStorage.setItem('token', 's3cret')"
    pages: dict[str, Page] = {"/": APP, "/login": FORM, "/enter": f"{welcome}</script>"}
    assert "Hello emma" in await read_start(pool, site, RECIPE, pages)


async def test_a_header_that_the_site_does_not_take_is_the_sites_failure(pool, site):
    with pytest.raises(SiteBroken, match="The session on shop did not last"):
        await read_start(pool, site, BY_HEADER, {"/": "<p>Who are you?</p>"}, 500)


async def test_headers_go_to_their_own_site_alone(pool, site):
    async with TinySite({"/": "<p>Another site</p>"}) as other:
        heads: list[str] = []

        def look(head: str, body: str) -> bytes:
            heads.append(head.lower())
            return respond("<p>Another site</p>")

        other.pages["/seen"] = look
        address = f"http://forum.test.localhost:{other.port}"
        site.pages = {"/": f"<p class=me><img src='{address}/seen'></p>"}
        host = ExternalHost({"shop": site.url, "forum": address})
        environment = BrowserEnvironment(
            pool, host, sign_ins=SignIns(pool, {"shop": BY_HEADER})
        )
        await environment.reset(task())
        await environment.close()
    assert heads
    assert not any("x-user" in head for head in heads)

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from rollouts.browser.errors import CannotFork, SiteBroken
from rollouts.browser.hosting.hosts import (
    ExternalHost,
    MixedHost,
    OpenSites,
    SandboxHost,
    hide_origins,
    home_of,
    locate_task,
)
from rollouts.browser.hosting.sandbox_client import SandboxClient
from rollouts.browser.process.egress import (
    AllowedHost,
    egress_arguments,
    resolver_rules,
    sandbox_host,
)
from rollouts.browser.types import TaskSpec
from rollouts.sites.sandbox.background import running_sandbox


def test_placeholders_are_replaced_everywhere_in_a_task():
    spec = {"eval": {"reference_url": "__SHOP__/cart", "deep": ["x __SHOP__"]}}
    task = TaskSpec(1, "Buy", "__SHOP__/", ("shop",), spec)
    located = locate_task(task, OpenSites("t", {"shop": "http://shop.t.localhost:8"}))
    assert located.start_url == "http://shop.t.localhost:8/"
    assert located.spec["eval"] == {
        "reference_url": "http://shop.t.localhost:8/cart",
        "deep": ["x http://shop.t.localhost:8"],
    }
    assert task.spec["eval"]["reference_url"] == "__SHOP__/cart"


async def test_an_external_host_knows_its_sites_only():
    host = ExternalHost({"shop": "https://shop.example/"})
    opened = await host.open(["shop"])
    assert opened.origins == {"shop": "https://shop.example"}
    assert host.allowed(opened) == [AllowedHost("shop.example", 443)]
    assert await host.state(opened) == {}
    with pytest.raises(SiteBroken, match="wiki"):
        await host.open(["wiki"])
    await host.close(opened)
    await host.aclose()


async def test_an_episode_on_another_instance_finds_its_sites_there():
    host = ExternalHost({"shop": "http://one.lab/"}, ["http://two.lab:81/"])
    opened = (await host.open(["shop"])).moved({"shop": "http://two.lab:81/"})
    assert opened.origins == {"shop": "http://two.lab:81"}
    assert set(host.allowed(opened)) == {
        AllowedHost("one.lab", 80),
        AllowedHost("two.lab", 81),
    }


async def test_further_hosts_are_allowed_with_their_site():
    router = AllowedHost("map.lab", 5000, site="map")
    host = MixedHost(FakeSandbox(), {"map": "http://map.lab:3000"}, (), [router])
    opened = await host.open(["map"])
    assert host.allowed(opened) == [AllowedHost("map.lab", 3000), router]
    assert host.allowed(await host.open(["shop"])) == [sandbox_host(8)]


async def test_an_address_that_is_new_to_the_browser_is_allowed():
    host = MixedHost(FakeSandbox(), {"wiki": "http://one.lab/"})
    opened = (await host.open(["shop", "wiki"])).moved({"wiki": "http://new.lab/"})
    assert host.allowed(opened) == [
        sandbox_host(8),
        AllowedHost("one.lab", 80),
        AllowedHost("new.lab", 80),
    ]


class FakeSandbox:
    """A sandbox that remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    async def open(self, sites):
        self.calls.append(("open", list(sites)))
        return OpenSites("t", {site: f"http://{site}.t.localhost:8" for site in sites})

    def allowed(self, opened):
        return [sandbox_host(8)]

    async def state(self, opened):
        return {"shop": {"cart": {}}}

    async def fork(self, opened):
        return OpenSites("u", dict.fromkeys(opened.origins, "http://fork"))

    async def close(self, opened):
        self.calls.append(("close", opened.token))

    async def aclose(self):
        self.calls.append(("aclose", None))


async def test_sites_of_the_sandbox_and_elsewhere_open_side_by_side():
    sandbox = FakeSandbox()
    host = MixedHost(sandbox, {"wiki": "https://wiki.example/w/"})
    opened = await host.open(["shop", "wiki"])
    assert opened.origins == {
        "shop": "http://shop.t.localhost:8",
        "wiki": "https://wiki.example/w",
    }
    assert host.allowed(opened) == [sandbox_host(8), AllowedHost("wiki.example", 443)]
    assert await host.state(opened) == {"shop": {"cart": {}}}
    await host.close(opened)
    await host.aclose()
    assert sandbox.calls == [("open", ["shop"]), ("close", "t"), ("aclose", None)]


async def test_an_episode_elsewhere_does_not_ask_the_sandbox():
    sandbox = FakeSandbox()
    host = MixedHost(sandbox, {"wiki": "https://wiki.example/"})
    opened = await host.open(["wiki"])
    assert host.allowed(opened) == [AllowedHost("wiki.example", 443)]
    assert await host.state(opened) == {}
    await host.close(opened)
    assert sandbox.calls == []


async def test_an_episode_in_the_sandbox_reaches_nothing_elsewhere():
    host = MixedHost(FakeSandbox(), {"wiki": "https://wiki.example/"})
    assert host.allowed(await host.open(["shop"])) == [sandbox_host(8)]


async def test_only_an_episode_of_the_sandbox_alone_can_be_forked():
    host = MixedHost(FakeSandbox(), {"wiki": "https://wiki.example/"})
    assert (await host.fork(await host.open(["shop"]))).token == "u"
    with pytest.raises(CannotFork, match="wiki runs elsewhere"):
        await host.fork(await host.open(["wiki"]))


def test_an_address_is_written_with_the_sites_placeholder():
    opened = OpenSites("t", {"shop": "http://shop.t.localhost:8"})
    assert hide_origins("http://shop.t.localhost:8/a?b", opened) == "__SHOP__/a?b"
    for other in ("http://shop.t.localhost:81/", "http://elsewhere/"):
        assert hide_origins(other, opened) == other


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("http://shop.t.localhost:8010/a?b=1", "http://shop.t.localhost:8010/"),
        ("http://admin.lab:7780/admin/sales?c=1", "http://admin.lab:7780/admin"),
        ("http://admin.lab:7780/admin", "http://admin.lab:7780/admin"),
        ("http://elsewhere.lab/a/b", "http://elsewhere.lab/"),
    ],
)
def test_home_is_the_address_of_the_site(url, home):
    origins = {
        "shop": "http://shop.t.localhost:8010",
        "shopping_admin": "http://admin.lab:7780/admin",
    }
    assert home_of(url, OpenSites("", origins)) == home


def test_rules_name_each_host_with_its_port_and_end_in_nothing_else():
    hosts = [
        AllowedHost("*.localhost", 8010, "127.0.0.1"),
        AllowedHost("a.example", 443),
    ]
    assert resolver_rules(hosts) == (
        "MAP *.localhost:8010 127.0.0.1:8010,"
        "MAP a.example:443 a.example:443,"
        "MAP * ~NOTFOUND"
    )
    assert any("MAP * ~NOTFOUND" in argument for argument in egress_arguments([]))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://[::1]:8010/", "[::1]:8010"),
        ("https://[FD00:0:0:0:0:0:0:7]/shop", "[fd00::7]:443"),
        ("http://[::ffff:10.0.0.1]/", "[::ffff:a00:1]:80"),
    ],
)
def test_rules_write_addresses_of_ipv6_as_the_browser_does(url: str, place: str):
    rules = resolver_rules([AllowedHost.of_url(url)])

    assert rules == f"MAP {place} {place},MAP * ~NOTFOUND"


def test_a_name_may_lead_to_an_address_of_ipv6():
    rules = resolver_rules([AllowedHost("shop.lab", 80, "::1")])

    assert rules == "MAP shop.lab:80 [::1]:80,MAP * ~NOTFOUND"


@pytest.mark.parametrize("url", ["ftp://x/", "file:///etc/passwd", "http://", "shop"])
def test_only_web_addresses_can_be_allowed(url):
    with pytest.raises(ValueError, match="not an http"):
        AllowedHost.of_url(url)


async def test_a_sandbox_episode_is_opened_read_and_closed():
    with running_sandbox() as sandbox:
        host = SandboxHost(sandbox.control_url)
        opened = await host.open(["shop"])
        assert urlsplit(opened.origins["shop"]).port == sandbox.port
        assert host.allowed(opened) == [sandbox_host(sandbox.port)]
        assert set(await host.state(opened)) == {"shop"}
        await host.close(opened)
        with pytest.raises(SiteBroken, match="returned no state"):
            await host.state(opened)
        await host.close(opened)
        with pytest.raises(SiteBroken, match="did not open"):
            await host.open(["nowhere"])
        await host.aclose()


class Restarting:
    """A sandbox that answers from a certain second on."""

    def __init__(self, back_at: float) -> None:
        self.back_at, self.now = back_at, 0.0

    def __call__(self, request):
        if self.now < self.back_at:
            raise httpx.ConnectError("refused")
        return httpx.Response(200, json={"token": "t", "origins": {"shop": "http://s"}})

    async def pause(self, seconds):
        self.now += seconds

    def host(self):
        client = SandboxClient("http://sandbox", transport=httpx.MockTransport(self))
        return SandboxHost("", client=client, pause=self.pause, clock=lambda: self.now)


async def test_a_sandbox_that_starts_again_is_waited_for():
    host = Restarting(back_at=20).host()
    opened = await host.open(["shop"])
    assert opened.origins == {"shop": "http://s"}


async def test_a_sandbox_that_stays_away_breaks_the_episode():
    sandbox = Restarting(back_at=1_000)
    with pytest.raises(SiteBroken, match="does not answer"):
        await sandbox.host().open(["shop"])
    assert 55 < sandbox.now < 65


async def test_a_refusal_of_the_sandbox_is_not_waited_for():
    def refuse(request):
        return httpx.Response(404, text="no such site")

    client = SandboxClient("http://sandbox", transport=httpx.MockTransport(refuse))
    host = SandboxHost("", client=client, pause=pytest.fail)
    with pytest.raises(SiteBroken, match="no such site"):
        await host.open(["nowhere"])

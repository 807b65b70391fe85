from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from rollouts.browser.hosting.sandbox_client import SandboxClient, SandboxError
from rollouts.sites.kit.episodes import (
    EpisodeStore,
    StateUnreadable,
    StoredState,
    UnknownEpisode,
    UnknownSite,
    set_flag,
)
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.server import build_store
from rollouts.sites.shop import data
from rollouts.sites.shop.state import new_changes
from tests.rollouts.sites.visitor import Sandbox

LAMP = next(p for p in data.PRODUCTS.values() if p.stock)


def test_an_episode_starts_with_an_empty_change_set() -> None:
    sandbox = Sandbox()
    token = sandbox.open("shop")
    assert sandbox.state(token) == {"shop": new_changes()}


def test_opening_tells_the_origin_of_each_site() -> None:
    answer = Sandbox().control("POST", "/episodes", json={"sites": ["shop", "forum"]})
    token = answer.json()["token"]
    assert answer.json()["origins"] == {
        "shop": f"http://shop.{token}.localhost:8010",
        "forum": f"http://forum.{token}.localhost:8010",
    }


def test_two_episodes_do_not_see_each_other() -> None:
    sandbox = Sandbox()
    one, two = sandbox.open("shop"), sandbox.open("shop")
    sandbox.post("shop", one, f"/product/{LAMP.slug}/cart", quantity="2")
    assert sandbox.state(one)["shop"]["cart"] == {LAMP.slug: 2}
    assert sandbox.state(two)["shop"]["cart"] == {}
    assert LAMP.name not in sandbox.get("shop", two, "/cart").text


def test_a_fork_starts_equal_and_then_goes_its_own_way() -> None:
    sandbox = Sandbox()
    token = sandbox.open("shop")
    sandbox.post("shop", token, f"/product/{LAMP.slug}/cart", quantity="2")
    fork = sandbox.control("POST", f"/episodes/{token}/fork").json()["token"]
    assert sandbox.state(fork) == sandbox.state(token)
    sandbox.post("shop", fork, f"/cart/{LAMP.slug}/remove")
    assert sandbox.state(fork)["shop"]["cart"] == {}
    assert sandbox.state(token)["shop"]["cart"] == {LAMP.slug: 2}


def test_the_base_data_survive_a_whole_order() -> None:
    sandbox = Sandbox()
    token = sandbox.open("shop")
    before = dict(data.ORDERS)
    sandbox.post("shop", token, "/order/1024/again")
    address = {"street": "1 Hill Street", "city": "Oslo", "zip": "1"}
    page = sandbox.post("shop", token, "/checkout", delivery="Express", **address)
    assert "Thank you" in page.text
    assert before == data.ORDERS


def test_a_closed_episode_is_gone_and_closing_again_is_fine() -> None:
    sandbox = Sandbox()
    token = sandbox.open("forum")
    assert sandbox.control("DELETE", f"/episodes/{token}").status_code == 204
    assert sandbox.control("DELETE", f"/episodes/{token}").status_code == 204
    answer = sandbox.control("GET", f"/episodes/{token}/state")
    assert answer.status_code == 404
    assert token in answer.json()["error"]


@pytest.mark.parametrize(
    "host", ["shop.0000.localhost", "forum.xyz.localhost", "127.0.0.1", ""]
)
def test_a_host_without_an_episode_gets_a_clear_404_page(host: str) -> None:
    sandbox = Sandbox()
    site, _, token = host.partition(".")
    page = sandbox.get(site or "x", token.split(".")[0] or "0", "/")
    assert page.status_code == 404
    assert "No such episode" in page.text


def test_a_site_that_the_episode_does_not_hold_is_not_found() -> None:
    sandbox = Sandbox()
    token = sandbox.open("shop")
    assert "No such episode" in sandbox.get("forum", token, "/").text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{}", "the body must be"),
        ("no json", "the body must be"),
        ('{"sites": "shop"}', "the body must be"),
        ('{"sites": ["bank"]}', "'bank'"),
        ('{"sites": []}', "no site"),
    ],
)
def test_a_bad_request_to_open_says_what_is_wrong(body: str, message: str) -> None:
    sandbox = Sandbox()
    answer = sandbox.control("POST", "/episodes", content=body)
    assert answer.status_code == 400
    assert message in answer.json()["error"]
    assert len(sandbox.store) == 0


def test_the_longest_unused_episode_is_dropped_first() -> None:
    store = EpisodeStore({"shop": new_changes}, capacity=2)
    sandbox = Sandbox(store)
    one, two = store.open(["shop"]), store.open(["shop"])
    store.state(one)
    store.open(["shop"])
    assert sandbox.control("GET", f"/episodes/{one}/state").status_code == 200
    assert sandbox.control("GET", f"/episodes/{two}/state").status_code == 404


class Kept(StoredState):
    """A state that says how many of its kind are held."""

    held = 0

    def __init__(self, number: int = 0) -> None:
        Kept.held += 1
        self._number, self._is_held = number, True

    def read(self) -> dict[str, int]:
        return {"number": self._number}

    def fork(self) -> Kept:
        return Kept(self._number + 1)

    def close(self) -> None:
        Kept.held -= self._is_held
        self._is_held = False


@pytest.fixture
def kept_store() -> Iterator[EpisodeStore]:
    store = EpisodeStore(
        {"shop": new_changes, "kept": Kept, "broken": refuse}, stored_capacity=2
    )
    yield store
    store.close_all()
    assert Kept.held == 0


def refuse() -> dict[str, int]:
    raise UnknownSite("not here")


def test_a_stored_state_is_asked_for_what_has_changed(kept_store) -> None:
    sandbox = Sandbox(kept_store)
    token = sandbox.open("shop", "kept")
    assert sandbox.state(token) == {"shop": new_changes(), "kept": {"number": 0}}
    fork = sandbox.control("POST", f"/episodes/{token}/fork").json()["token"]
    assert sandbox.state(fork)["kept"] == {"number": 1}


def test_closing_lets_go_of_what_is_stored(kept_store) -> None:
    token = kept_store.open(["kept"])
    kept_store.close(token)
    kept_store.close(token)
    assert Kept.held == 0


def test_fewer_episodes_are_kept_where_each_holds_files(kept_store) -> None:
    first, *others = [kept_store.open(["kept"]) for _ in range(3)]
    plain = [kept_store.open(["shop"]) for _ in range(3)]
    assert Kept.held == 2
    assert all(kept_store.state(token) for token in [*others, *plain])
    with pytest.raises(UnknownEpisode):
        kept_store.state(first)


def test_nothing_stays_of_an_episode_that_could_not_be_opened(kept_store) -> None:
    with pytest.raises(UnknownSite):
        kept_store.open(["kept", "broken"])
    assert (Kept.held, len(kept_store)) == (0, 0)


def test_a_state_that_cannot_be_read_says_why(kept_store, monkeypatch) -> None:
    def fail(self: Kept) -> None:
        raise StateUnreadable("the file is locked")

    monkeypatch.setattr(Kept, "read", fail)
    sandbox = Sandbox(kept_store)
    answer = sandbox.control("GET", f"/episodes/{sandbox.open('kept')}/state")
    assert (answer.status_code, answer.json()["error"]) == (503, "the file is locked")


def test_a_flag_set_back_leaves_no_trace() -> None:
    flags: dict[str, bool] = {}
    set_flag(flags, "lamp", True, base=False)
    assert flags == {"lamp": True}
    set_flag(flags, "lamp", False, base=False)
    assert flags == {}


def test_health_counts_the_open_episodes() -> None:
    sandbox = Sandbox(build_store())
    sandbox.open("shop")
    answer = sandbox.control("GET", "/health")
    assert answer.json() == {"ok": True, "episodes": 1}


async def test_the_client_opens_forks_reads_and_closes() -> None:
    with running_sandbox() as sandbox:
        async with SandboxClient(sandbox.control_url) as client:
            episode = await client.open(["shop"])
            fork = await client.fork(episode.token)
            assert await client.state(fork.token) == {"shop": new_changes()}
            assert episode.origins["shop"].endswith(f":{sandbox.port}")
            await client.close(episode.token)
            with pytest.raises(SandboxError, match="no open episode"):
                await client.state(episode.token)


async def test_the_client_says_when_the_sandbox_is_away() -> None:
    async with SandboxClient("http://127.0.0.1:9", timeout_s=1) as client:
        with pytest.raises(SandboxError, match="does not answer"):
            await client.open(["shop"])


def dropping(times: int) -> httpx.MockTransport:
    """A server that drops the first `times` requests and answers the others."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) <= times:
            raise httpx.ReadError("")
        return httpx.Response(200, json={"shop": {}})

    return httpx.MockTransport(answer)


async def test_an_idle_connection_that_was_dropped_is_opened_again() -> None:
    async with SandboxClient("http://sandbox", transport=dropping(1)) as client:
        assert await client.state("token") == {"shop": {}}


async def test_a_sandbox_that_drops_every_connection_is_away() -> None:
    async with SandboxClient("http://sandbox", transport=dropping(9)) as client:
        with pytest.raises(SandboxError, match="does not answer"):
            await client.state("token")

"""A small Magento on loopback, asked by the harness with the operator's token."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest

from rollouts.browser.evaluators import Verdict, evaluate
from rollouts.browser.evaluators.magento import (
    MagentoShop,
    ShopInterface,
    find_shop,
)
from rollouts.browser.evaluators.types import ShopUnreadable
from tests.loopback import serving
from tests.rollouts.browser.evaluators.helpers import FakeReader, ending, page_rules

ORIGIN = "http://shop.lab"
LATEST = "func:shopping_get_latest_order_url()"
AUTHOR = "func:shopping_get_sku_latest_review_author('B00J8RZL7I')"
RATING = "func:shopping_get_sku_latest_review_rating('B00J8RZL7I')"


class Magento:
    """Knows orders and reviews; lets in who has the token."""

    def __init__(self) -> None:
        self.orders: list[dict[str, str]] = []
        self.reviews: dict[str, list[dict[str, Any]]] = {}
        self.asked: list[str] = []
        self.answer: tuple[int, str] | None = None

    def respond(
        self, method: str, path: str, headers: dict[str, str]
    ) -> tuple[int, str]:
        self.asked.append(path)
        if self.answer is not None:
            return self.answer
        if headers.get("Authorization") != "Bearer s3cret":
            return 401, '{"message": "The consumer isn\'t authorized"}'
        parts = urlsplit(path)
        if parts.path == "/rest/V1/orders":
            return 200, json.dumps({"items": self._newest(parse_qs(parts.query))})
        sku = parts.path.removeprefix("/rest/V1/products/").removesuffix("/reviews")
        return 200, json.dumps(self.reviews.get(unquote(sku), []))

    def _newest(self, query: dict[str, list[str]]) -> list[dict[str, str]]:
        field = query["searchCriteria[sortOrders][0][field]"][0]
        falls = query["searchCriteria[sortOrders][0][direction]"] == ["DESC"]
        size = int(query["searchCriteria[pageSize]"][0])
        return sorted(self.orders, key=lambda one: one[field], reverse=falls)[:size]


@pytest.fixture
def magento() -> Magento:
    return Magento()


@pytest.fixture
def there(magento: Magento) -> Iterator[ShopInterface]:
    with serving(magento.respond) as url:
        yield ShopInterface(url, "s3cret")


async def run(interface: ShopInterface, **target: str) -> Verdict:
    shop = MagentoShop(interface, ORIGIN)
    pages = {f"{ORIGIN}/sales/order/view/order_id/191/": "SKU B07DFJ5XKH"}
    required = {"must_include": [target.pop("wanted")]}
    rules = {"eval": page_rules(required, **target)}
    return await evaluate(rules, ending(), FakeReader(pages), shop=shop)


def review(author: str, percent: int) -> dict[str, Any]:
    rating = {"rating_name": "Rating", "percent": percent}
    return {"nickname": author, "ratings": [rating]}


async def test_the_newest_order_is_opened_in_the_agents_account(magento, there):
    magento.orders = [
        {"increment_id": "000000190", "created_at": "2023-05-02 10:00:00"},
        {"increment_id": "000000191", "created_at": "2023-05-03 10:00:00"},
        {"increment_id": "000000189", "created_at": "2022-05-03 10:00:00"},
    ]
    verdict = await run(there, url=LATEST, wanted="B07DFJ5XKH")
    assert verdict.outcome is True


async def test_a_shop_without_orders_fails_the_check(magento, there):
    verdict = await run(there, url=LATEST, wanted="x")
    assert verdict.outcome is False
    assert verdict.checks[0].why == "The shop has no order."


@pytest.mark.parametrize(
    ("locator", "wanted", "outcome"),
    [
        (AUTHOR, "Emma Lopez", True),
        (AUTHOR, "Somebody", False),
        (RATING, "100", True),
        (RATING, "20", False),
    ],
)
async def test_the_newest_review_is_compared(magento, there, locator, wanted, outcome):
    magento.reviews["B00J8RZL7I"] = [review("Old", 20), review("Emma Lopez", 100)]
    verdict = await run(there, locator=locator, wanted=wanted)
    assert verdict.outcome is outcome


async def test_a_product_without_reviews_fails_the_check(magento, there):
    verdict = await run(there, locator=AUTHOR, wanted="Emma")
    assert (verdict.outcome, verdict.checks[0].got) == (False, "")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((500, ""), "answered 500"),
        ((302, ""), "answered 302"),
        ((200, "<html>"), "returned no JSON"),
        ((200, "[" * 100_000), "returned no JSON"),
        ((200, '{"items": [{}]}'), "malformed"),
        ((200, "5"), "malformed"),
    ],
)
async def test_an_interface_that_fails_leaves_the_check_open(
    magento, there, answer, why
):
    magento.answer = answer
    verdict = await run(there, url=LATEST, wanted="x")
    assert verdict.outcome is None
    assert why in verdict.checks[0].why


@pytest.mark.parametrize("reviews", ['{"message": "no"}', "[{}]", '[{"nickname": 1}]'])
async def test_reviews_that_are_none_leave_the_check_open(magento, there, reviews):
    magento.answer = (200, reviews)
    verdict = await run(there, locator=RATING, wanted="100")
    assert verdict.outcome is None
    assert "malformed" in verdict.checks[0].why


async def test_a_refused_token_is_said_and_not_told(there):
    verdict = await run(
        dataclasses.replace(there, token="wr0ng"), url=LATEST, wanted="x"
    )
    assert verdict.outcome is None
    assert verdict.checks[0].why == "The shop's API refuses the token."


async def test_nobody_there_leaves_the_check_open():
    verdict = await run(
        ShopInterface("http://127.0.0.1:9", "s3cret"), url=LATEST, wanted="x"
    )
    assert verdict.outcome is None
    assert "did not answer: ConnectError" in verdict.checks[0].why


@pytest.mark.parametrize("sku", ["../../orders", "a/../../x", "B1?x=1", "B1#x"])
async def test_a_product_cannot_lead_to_another_part_of_the_interface(
    magento, there, sku
):
    locator = f"func:shopping_get_sku_latest_review_author('{sku}')"
    await run(there, locator=locator, wanted="x")
    (path,) = magento.asked
    start, end = "/rest/V1/products/", "/reviews"
    assert "/" not in path.removeprefix(start).removesuffix(end)
    assert not {"?", "#"} & set(path)


@pytest.mark.parametrize("sku", [".", ".."])
async def test_dots_are_no_product(magento, there, sku):
    locator = f"func:shopping_get_sku_latest_review_author('{sku}')"
    assert (await run(there, locator=locator, wanted="x")).outcome is None
    assert magento.asked == []


async def test_without_an_interface_the_check_stays_open():
    rules = {"eval": page_rules({"must_include": ["x"]}, locator=RATING)}
    verdict = await evaluate(rules, ending(), FakeReader({}))
    assert verdict.outcome is None
    assert "needs the shop's API: set SITE" in verdict.checks[0].why


def test_the_shop_is_the_episodes_site_that_has_an_interface():
    interfaces = {"shopping": ShopInterface("http://x", "t")}
    assert find_shop(interfaces, {"reddit": "http://r"}) is None
    assert find_shop(interfaces, {"reddit": "http://r", "shopping": ORIGIN})


def test_an_instance_is_asked_at_its_own_address():
    assert ShopInterface("{address}", "t").at(ORIGIN) == ShopInterface(ORIGIN, "t")


class ResettableShop:
    """Knows one review; its container's reset removes all tokens."""

    def __init__(self) -> None:
        self.tokens: set[str] = set()
        self.fetched: list[tuple[str, dict[str, str]]] = []
        self.token_answer: httpx.Response | None = None
        self.is_closed = False

    def respond(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/integration/admin/token"):
            return self._give_token(request)
        token = request.headers["Authorization"].removeprefix("Bearer ")
        if self.is_closed or token not in self.tokens:
            return httpx.Response(401, json={"message": "not authorized"})
        return httpx.Response(200, json=[review("Emma", 100)])

    def _give_token(self, request: httpx.Request) -> httpx.Response:
        person = json.loads(request.content)
        self.fetched.append((str(request.url), person))
        if self.token_answer is not None:
            return self.token_answer
        if person != {"username": "admin", "password": "s3cret"}:
            return httpx.Response(401, json={"message": "sign-in was incorrect"})
        self.tokens = {f"token-{len(self.fetched)}"}
        return httpx.Response(200, json=next(iter(self.tokens)))


def shop_of(there: ResettableShop, **person: str) -> MagentoShop:
    given = {"user": "admin", "password": "s3cret"} | person
    interface = ShopInterface("{address}", **given).at(ORIGIN)
    transport = httpx.MockTransport(there.respond)
    return MagentoShop(interface, ORIGIN, transport=transport)


async def test_a_token_is_fetched_from_the_instance_once():
    there = ResettableShop()
    shop = shop_of(there)
    assert await shop.find_latest_review("a") is not None
    assert await shop.find_latest_review("b") is not None
    person = {"username": "admin", "password": "s3cret"}
    assert there.fetched == [
        (f"{ORIGIN}/rest/default/V1/integration/admin/token", person)
    ]


async def test_a_token_that_a_reset_has_removed_is_renewed():
    there = ResettableShop()
    shop = shop_of(there)
    await shop.find_latest_review("a")
    there.tokens.clear()
    assert await shop.find_latest_review("a") is not None
    assert len(there.fetched) == 2


async def test_a_new_token_that_is_refused_is_not_renewed_again():
    there = ResettableShop()
    there.is_closed = True
    with pytest.raises(ShopUnreadable, match="refuses the token"):
        await shop_of(there).find_latest_review("a")
    assert len(there.fetched) == 1


async def test_a_wrong_password_is_said_and_not_told():
    with pytest.raises(ShopUnreadable, match="refuses user and password") as caught:
        await shop_of(ResettableShop(), password="wr0ng").find_latest_review("a")
    assert "wr0ng" not in repr(caught.value)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (httpx.Response(200, json={"token": "x"}), "gave no token"),
        (httpx.Response(200, json=""), "gave no token"),
        (httpx.Response(200, json="a\r\nHost: b"), "gave no token"),
        (httpx.Response(200, text="<html>"), "returned no JSON"),
        (httpx.Response(503), "answered 503"),
    ],
)
async def test_a_shop_that_gives_no_token_leaves_the_check_open(answer, why):
    there = ResettableShop()
    there.token_answer = answer
    with pytest.raises(ShopUnreadable, match=why):
        await shop_of(there).find_latest_review("a")

"""The data that published tasks read from a Magento shop, over its REST interface.

The harness sends the requests, never the page. The administrator's token, or name and
password, come from the operator and go only to the operator's address, regardless of a
task file's content. The answers are those of WebArena's helper functions of the same
names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.types import (
    PageUnreadable,
    ShopReview,
    ShopUnreadable,
)

NEWEST_ORDER = {
    "searchCriteria[sortOrders][0][field]": "created_at",
    "searchCriteria[sortOrders][0][direction]": "DESC",
    "searchCriteria[pageSize]": "1",
}
ANSWER_S = 30.0
# Where a name and a password are exchanged for a token that lasts for hours.
SIGN_IN_PATH = "/rest/default/V1/integration/admin/token"
# Placeholder of the instance's address, as in the operator's resets.
ADDRESS = "{address}"


@dataclasses.dataclass(frozen=True, slots=True)
class ShopInterface:
    """Where a shop's REST interface is, and what lets an administrator in.

    Attributes:
        url: Address above /rest, without a trailing slash; {address} in it is replaced
            by that of the episode's instance.
        token: An integration's token; "" fetches one as `user` with `password`, which
            also works after a reset has removed all tokens. None of the three is ever
            part of a message or a record.
    """

    url: str
    token: str = dataclasses.field(default="", repr=False)
    user: str = dataclasses.field(default="", repr=False)
    password: str = dataclasses.field(default="", repr=False)

    @property
    def names_instance(self) -> bool:
        """Whether each instance of the shop has its own interface."""
        return ADDRESS in self.url

    def at(self, origin: str) -> ShopInterface:
        """Return the interface of the instance at this address."""
        return dataclasses.replace(self, url=self.url.replace(ADDRESS, origin))


class MagentoShop:
    """Satisfies `Shop`."""

    def __init__(
        self,
        interface: ShopInterface,
        origin: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`origin` is the shop's address for the browser, without a trailing slash."""
        self._interface = interface
        self._token = interface.token
        self._origin = origin
        self._transport = transport

    async def find_latest_order(self) -> str:
        """Return the address of the newest order's page, in the agent's account."""
        answer = await self._ask("orders", NEWEST_ORDER)
        try:
            items = answer["items"]
            number = int(items[0]["increment_id"]) if items else None
        except (KeyError, IndexError, TypeError, ValueError):
            raise ShopUnreadable(Sentence("malformed_orders")) from None
        if number is None:
            raise PageUnreadable(Sentence("no_order"))
        return f"{self._origin}/sales/order/view/order_id/{number}/"

    async def find_latest_review(self, sku: str) -> ShopReview | None:
        """Return a product's newest review, None when it has none."""
        if not sku.strip("."):
            raise ShopUnreadable(Sentence("no_product", sku=repr(sku)))
        answer = await self._ask(f"products/{quote(sku, safe='')}/reviews", {})
        try:
            if not answer:
                return None
            last = answer[-1]
            return ShopReview(str(last["nickname"]), str(last["ratings"][0]["percent"]))
        except (KeyError, IndexError, TypeError):
            raise ShopUnreadable(Sentence("malformed_reviews")) from None

    async def _ask(self, path: str, params: dict[str, str]) -> Any:
        """Return the interface's answer, from JSON."""
        url = f"{self._interface.url}/rest/V1/{path}"
        async with httpx.AsyncClient(
            timeout=ANSWER_S, trust_env=False, transport=self._transport
        ) as client:
            try:
                response = await self._get(client, url, params)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                told = Sentence("shop_silent", error=type(error).__name__)
                raise ShopUnreadable(told) from None
        return _read_answer(response, refused="shop_refuses")

    async def _get(
        self, client: httpx.AsyncClient, url: str, params: dict[str, str]
    ) -> httpx.Response:
        """Ask with the token; fetch one where there is none, or it no longer counts."""
        is_new = not self._token
        if is_new:
            self._token = await self._fetch_token(client)
        headers = {"Authorization": f"Bearer {self._token}"}
        response = await client.get(url, params=params, headers=headers)
        if response.status_code == 401 and self._interface.user and not is_new:
            self._token = ""
            return await self._get(client, url, params)
        return response

    async def _fetch_token(self, client: httpx.AsyncClient) -> str:
        person = {
            "username": self._interface.user,
            "password": self._interface.password,
        }
        url = f"{self._interface.url}{SIGN_IN_PATH}"
        response = await client.post(url, json=person)
        token = _read_answer(response, refused="shop_refuses_person")
        if not is_token(token):
            raise ShopUnreadable(Sentence("shop_without_token"))
        return str(token)


def is_token(value: object) -> bool:
    """Whether this can be sent as a token: one plain word."""
    is_text = isinstance(value, str) and value.isascii() and value.isprintable()
    return is_text and bool(value) and " " not in str(value)


def _read_answer(response: httpx.Response, *, refused: str) -> Any:
    """Return what an answer's JSON holds.

    Raises:
        ShopUnreadable: The answer is a refusal, an error or no JSON.
    """
    if response.status_code in (401, 403):
        raise ShopUnreadable(Sentence(refused))
    if response.status_code != 200:
        raise ShopUnreadable(Sentence("shop_answered", status=response.status_code))
    try:
        return response.json()
    except (ValueError, RecursionError):
        raise ShopUnreadable(Sentence("shop_without_json")) from None


def find_shop(
    interfaces: Mapping[str, ShopInterface], origins: Mapping[str, str]
) -> MagentoShop | None:
    """Return the shop among an episode's sites, by key; None where there is none."""
    for site, origin in origins.items():
        if site in interfaces:
            return MagentoShop(interfaces[site].at(origin), origin)
    return None

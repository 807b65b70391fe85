"""The helper functions of published task files: recognised, never run as code."""

from __future__ import annotations

import dataclasses
import re
from urllib.parse import urlparse

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.evaluators.types import Shop

FUNCTION = "func:"
POST_URL = "reddit_get_post_url"
# Spelt as in the published files.
MEMBER_ROLE = "gitlab_get_project_memeber_role"
# These use a Magento shop's own interface.
LATEST_ORDER = "shopping_get_latest_order_url"
REVIEW_AUTHOR = "shopping_get_sku_latest_review_author"
REVIEW_RATING = "shopping_get_sku_latest_review_rating"
# How many texts each helper takes.
TEXTS = {
    POST_URL: 1,
    MEMBER_ROLE: 1,
    LATEST_ORDER: 0,
    REVIEW_AUTHOR: 1,
    REVIEW_RATING: 1,
}
ACCOUNTS = "td[data-label='Account'] span.gl-avatar-labeled-sublabel"
ROLES = "td.col-max-role span"
_CALL = re.compile(r"func:\s*(?P<name>\w+)\((?P<arguments>[^()]*)\)\s*\Z")


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionCall:
    """One call of a helper: its name and its texts, `__page__` left out."""

    name: str
    arguments: tuple[str, ...]


class UnknownFunction(ValueError):
    """The helper is unknown, or needs a shop and there is none."""


def parse_function(text: str) -> FunctionCall:
    """Read `func:name('text', ...)`.

    Raises:
        UnknownFunction: The message says what is missing.
    """
    match = _CALL.match(text)
    if match is None:
        raise UnknownFunction(Sentence("unsupported_function", text=repr(text[:200])))
    name = match["name"]
    if name not in TEXTS:
        raise UnknownFunction(Sentence("unknown_function", name=repr(name)))
    found = [part.strip() for part in match["arguments"].split(",")]
    texts = tuple(part.strip("'\"") for part in found if part not in ("", "__page__"))
    if len(texts) != TEXTS[name]:
        raise UnknownFunction(f"{name} takes {TEXTS[name] or 'no'} text")
    return FunctionCall(name, texts)


async def compute_address(text: str, last_url: str, shop: Shop | None) -> str:
    """Return an address that a task file has computed: a post's, or the newest order's.

    Raises:
        UnknownFunction: The helper gives no address, or there is no shop to ask.
        PageUnreadable: The shop has no order, or does not answer.
    """
    call = parse_function(text)
    if call.name == LATEST_ORDER:
        return await need_shop(call, shop).find_latest_order()
    if call.name != POST_URL:
        raise UnknownFunction(Sentence("no_address_given", name=call.name))
    return find_post_url(call.arguments[0].replace("__last_url__", last_url))


async def read_review(call: FunctionCall, shop: Shop | None) -> str:
    """Who wrote a product's newest review, or its rating; "" when there is none.

    Raises:
        UnknownFunction: There is no shop to ask.
        ShopUnreadable: It does not answer.
    """
    review = await need_shop(call, shop).find_latest_review(call.arguments[0])
    if review is None:
        return ""
    return review.author if call.name == REVIEW_AUTHOR else review.rating


def need_shop(call: FunctionCall, shop: Shop | None) -> Shop:
    """Return the shop; without one the check stays undecided."""
    if shop is None:
        raise UnknownFunction(Sentence("needs_shop", name=call.name))
    return shop


def find_post_url(url: str) -> str:
    """The post that an address under /f/<forum>/<post>/ belongs to, or the address."""
    parts = urlparse(url)
    names = parts.path.split("/")
    if len(names) < 4 or names[1] != "f":
        return url
    return f"{parts.scheme}://{parts.netloc}/f/{names[2]}/{names[3]}/"


def role_program(account: str) -> Program:
    """Reads the role at the position of an account among the accounts."""
    return Program(["beside", ACCOUNTS, f"@{account}", ROLES])

"""The helper functions of published task files: recognised, never run as code."""

from __future__ import annotations

import dataclasses
import re
from urllib.parse import urlsplit

from rollouts.browser.evaluators.locators import Program, parse_locator

FUNCTION = "func:"
POST_URL = "reddit_get_post_url"
# The published files spell it like that.
MEMBER_ROLE = "gitlab_get_project_memeber_role"
# These ask Magento's REST interface with an administrator's password.
SHOP_FUNCTIONS = frozenset(
    {
        "shopping_get_latest_order_url",
        "shopping_get_sku_latest_review_author",
        "shopping_get_sku_latest_review_rating",
    }
)
ACCOUNTS = "td[data-label='Account'] span.gl-avatar-labeled-sublabel"
ROLES = "td.col-max-role span"
SEPARATOR = "\n"
_CALL = re.compile(r"func:\s*(?P<name>\w+)\((?P<arguments>[^()]*)\)\s*\Z")


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionCall:
    """One call of a helper: its name and its texts, `__page__` left out."""

    name: str
    arguments: tuple[str, ...]


class UnknownFunction(ValueError):
    """The helper is none that is known, or one that cannot be served here."""


def parse_function(text: str) -> FunctionCall:
    """Read `func:name('text', ...)`.

    Raises:
        UnknownFunction: The message says what is missing.
    """
    match = _CALL.match(text)
    if match is None:
        raise UnknownFunction(f"unsupported function {text[:200]!r}")
    name = match["name"]
    if name in SHOP_FUNCTIONS:
        raise UnknownFunction(f"{name} needs the shop's own interface")
    if name not in (POST_URL, MEMBER_ROLE):
        raise UnknownFunction(f"unknown function {name!r}")
    found = [part.strip() for part in match["arguments"].split(",")]
    texts = tuple(part.strip("'\"") for part in found if part != "__page__")
    if len(texts) != 1:
        raise UnknownFunction(f"{name} takes one text")
    return FunctionCall(name, texts)


def compute_address(text: str, last_url: str) -> str:
    """The address that a task file wants computed, from the last page's.

    Raises:
        UnknownFunction: It is not `reddit_get_post_url('__last_url__')`.
    """
    call = parse_function(text)
    if call.name != POST_URL:
        raise UnknownFunction(f"{call.name} gives no address")
    return find_post_url(call.arguments[0].replace("__last_url__", last_url))


def find_post_url(url: str) -> str:
    """The post that an address under /f/<forum>/<post>/ belongs to, or the address."""
    parts = urlsplit(url)
    names = parts.path.split("/")
    if len(names) < 4 or names[1] != "f":
        return url
    return f"{parts.scheme}://{parts.netloc}/f/{names[2]}/{names[3]}/"


def list_program(selector: str) -> Program:
    """Reads the texts of all elements that a selector finds, line by line."""
    program = parse_locator(
        f"[...document.querySelectorAll(`{selector}`)]"
        ".map(el => el.textContent).join(`\n`)"
    )
    assert program is not None  # noqa: S101 (the locator is not empty)
    return program


def find_role(accounts: str, roles: str, account: str) -> str:
    """The role beside an account in two columns of equal length; "" when absent."""
    names = [name.strip() for name in accounts.split(SEPARATOR)]
    titles = [title.strip() for title in roles.split(SEPARATOR)]
    wanted = f"@{account}"
    place = names.index(wanted) if wanted in names else -1
    return titles[place] if 0 <= place < len(titles) else ""
